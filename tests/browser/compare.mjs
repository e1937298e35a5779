// Two traces on one time axis: each as it is alone, and their numbers beside each other.
import {about, close, expect, number, seconds, test} from "./page.mjs";

const traces = about.truth;
const begin = ({calls}) => Math.min(...calls.map((call) => call.begin_s));

// Rounded to four digits, or three.
const rounded = (one, other) => Math.abs(one - other) <= 2e-3 * Math.abs(other) + 1e-12;

async function both(viewer) {
    const state = await viewer.open();
    const longest = Math.max(...traces.map(({report}) => report.wall_s));
    expect(close(state.to - state.from, longest, 0.03 * longest), "the longer run is in view as a whole");
    expect(close(state.from, 0, 0.03 * longest), "both begin at 0");
    const names = await viewer.text("#trace_name");
    for (const {name} of traces) expect(names.includes(name), `${name} is named: ${names}`);
    for (const [i, {report}] of traces.entries()) {
        const label = await viewer.page.locator(`#timeline_${i}`).getAttribute("aria-label");
        expect(label.includes(`each of ${report.ranks_in_run} processes`), `rows of trace ${i}: ${label}`);
    }
    await viewer.picture("both");
}

// Of either side: its own numbers, what the other has, and the difference.
async function functions(viewer) {
    await viewer.click("#tab_functions");
    for (const [side, letter] of [
        [1, "B"],
        [0, "A"],
    ]) {
        await viewer.click(`#side_${letter}`);
        const {report} = traces[side],
            times = new Map(traces[1 - side].report.functions.map((one) => [one.name, one.time_s]));
        const rows = new Map((await viewer.cells("#functions_table")).map((row) => [row[0], row]));
        expect(rows.size === report.functions.length, `${rows.size} functions of ${letter}`);
        for (const {name, calls, time_s} of report.functions) {
            const [, time, , other, difference, count] = rows.get(name),
                other_s = times.get(name) || 0;
            expect(
                number(count) === calls && rounded(seconds(time), time_s),
                `${letter} ${name}: ${count}, ${time}; ${calls}, ${time_s}`,
            );
            expect(rounded(seconds(other), other_s), `${name} beside it: ${other}, the report has ${other_s}`);
            expect(
                rounded(seconds(difference.replace("−", "-")), time_s - other_s),
                `${name}: ${difference}, ${time_s - other_s}`,
            );
        }
        await viewer.picture(`functions_${letter}`);
    }
}

async function search(viewer) {
    const name = "MPI_Allreduce";
    await viewer.click("#side_B");
    await viewer.page.fill("#search_input", name);
    await viewer.page.press("#search_input", "Enter");
    const {pin} = await viewer.settled();
    const [first] = traces[1].calls
        .filter((call) => call.function === name)
        .sort((one, other) => one.begin_s - other.begin_s);
    expect(
        pin?.trace === 1 && pin.row === first.rank && close(pin.from, first.begin_s),
        `found in B: ${JSON.stringify(pin)}`,
    );
    expect((await viewer.text("#details")).includes(first.text), "with the words of its dump");
    await viewer.picture("search");
    return pin;
}

// B is moved so that what was found lies under the same of A; then a click there finds A's.
async function shift(viewer, pin) {
    const name = "MPI_Allreduce";
    const [first] = traces[0].calls.filter((call) => call.function === name && call.rank === 1 && call.length_s > 2e-6);
    const by = first.begin_s - begin(traces[0]) - (pin.from - begin(traces[1]));
    await viewer.page.fill("#shift", by.toFixed(9));
    await viewer.page.press("#shift", "Enter");
    const moved = await viewer.settled();
    expect(close(moved.shift, by), `B is moved by ${moved.shift}`);
    await viewer.click("#show_messages");
    await viewer.click("#zoom_whole");
    await viewer.zoom_to(first.begin_s - begin(traces[0]), first.begin_s - begin(traces[0]) + first.length_s);
    const at = first.begin_s - begin(traces[0]) + first.length_s / 2;
    await viewer.page.mouse.click(...(await viewer.place(at, 1)));
    const {pin: of_a} = await viewer.settled();
    expect(
        of_a?.trace === 0 && of_a.function_name === name && close(of_a.from, first.begin_s),
        `that of A: ${JSON.stringify(of_a)}`,
    );
    await viewer.picture("moved");
    const begins = pin.from - begin(traces[1]) + by;
    const state = await viewer.settled();
    expect(begins > state.from && begins < state.to, "what was found in B is in view, too");
}

await test(async (viewer) => {
    await both(viewer);
    await functions(viewer);
    const pin = await search(viewer);
    await shift(viewer, pin);
});
