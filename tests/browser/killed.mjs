// A job that was killed: what was recovered is shown, and the calls that it was inside of are told as such.
import {about, expect, test} from "./page.mjs";

const [known] = about.truth;

await test(async (viewer) => {
    const state = await viewer.open();
    expect(state.row_count === known.report.ranks_in_run, `${state.row_count} rows`);
    await viewer.picture("whole");
    const open = known.calls.filter(({text}) => text.endsWith("unfinished"));
    expect(open.length === 2, `two ranks were inside of calls: ${JSON.stringify(open)}`);
    const list = await viewer.text("#open_calls");
    expect(list.split("\n").filter((one) => one.trim()).length === open.length, `so many are listed: ${list}`);
    for (const call of open) {
        expect(
            list.includes(`rank ${call.rank} ${call.function}`),
            `${call.function} of rank ${call.rank} is listed: ${list}`,
        );
        await viewer.page.mouse.click(...(await viewer.place(call.begin_s + call.length_s / 2, call.rank)));
        const {pin} = await viewer.settled();
        expect(pin?.kind === "open" && pin.row === call.rank, `it is pinned: ${JSON.stringify(pin)}`);
        expect(Math.abs(pin.from - call.begin_s) < 2e-9, `it begins at ${pin.from}, by the dump at ${call.begin_s}`);
        const details = await viewer.text("#details");
        expect(
            details.includes(call.function) && details.includes("the job was inside of it"),
            `it is told: ${details}`,
        );
        await viewer.picture(`open_${call.rank}`);
    }
    await viewer.click("#tab_losses");
    await viewer.click("#tab_functions");
    const calls = new Map(
        (await viewer.cells("#functions_table")).map((row) => [row[0], Number(row[3].replaceAll(",", ""))]),
    );
    for (const {name, calls: count} of known.report.functions)
        expect(calls.get(name) === count, `${calls.get(name)} calls of ${name}, the report has ${count}`);
    await viewer.picture("functions");
});
