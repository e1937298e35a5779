// The keyboard alone, from the page's first element to a call, its message and the tables: what is said aloud is what
// the dump has. No event of a mouse is ever sent.
import {about, close, expect, test} from "./page.mjs";

const [known] = about.truth;
const focused = (viewer) => viewer.page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);

async function to_timeline(viewer) {
    await viewer.press("Tab");
    expect((await focused(viewer)) === "skip", "the first stop is the way to the timeline");
    await viewer.press("Enter");
    expect((await focused(viewer)) === "timeline_0", "which leads there");
    await viewer.press("ArrowDown");
    expect((await viewer.text("#live")).includes("rank "), "a row is told");
}

// Closer to the cursor, and on from what is no call of MPI, until the cursor is at a single one. Where one call is
// wider than what is loaded, the next is farther away.
async function to_a_call(viewer) {
    let state = await viewer.settled();
    for (let turn = 0; turn < 100; ++turn) {
        const {cursor} = state,
            [row, at] = [cursor.row, cursor.at];
        const name = cursor.function_name || "";
        if (cursor.single && name.startsWith("MPI_") && name !== "MPI_Init") break;
        state = cursor.single ? state : await viewer.press("+");
        expect(at > state.from && at < state.to && state.cursor.row === row, "the cursor stays in view");
        state = await viewer.press("]");
        if ((await viewer.text("#live")).startsWith("no more")) state = await viewer.press("-");
    }
    const said = await viewer.text("#live");
    const [, name, rank, from] = said.match(/^(MPI_\w+)\. row rank (\d+), from ([\d.]+) s, to ([\d.]+) s, lasts/) || [];
    expect(name, `a single call is told: ${said}`);
    const call = known.calls.find(
        (one) => one.rank === +rank && one.function === name && close(one.begin_s, +from, 2e-8),
    );
    expect(call, `the dump has it, too: ${said}`);
    return call;
}

async function pin_it(viewer, call) {
    const {pin} = await viewer.press("Enter");
    expect(
        pin?.function_name === call.function && pin.row === call.rank && close(pin.from, call.begin_s),
        `pinned: ${JSON.stringify(pin)}`,
    );
    expect((await viewer.text("#calls")).includes(call.text), "with the words of the dump");
    await viewer.picture("pinned");
    const following = known.calls.filter((one) => one.rank === call.rank && one.begin_s > call.begin_s);
    const {pin: next} = await viewer.press("N");
    expect(
        close(next.from, following[0].begin_s),
        `the next call begins at ${next.from}, by the dump at ${following[0].begin_s}`,
    );
    const {pin: back} = await viewer.press("P");
    expect(close(back.from, call.begin_s), `and the one before it at ${back.from}`);
    const same = known.calls.filter((one) => one.function === call.function && one.begin_s > call.begin_s);
    const {pin: other} = await viewer.press("n");
    expect(
        close(other.from, same[0].begin_s) && other.row === same[0].rank,
        `the next ${call.function}: ${JSON.stringify(other)}`,
    );
    expect((await viewer.text("#live")).startsWith(`${call.function}. row rank ${same[0].rank}`), "it is told");
}

async function message(viewer) {
    await viewer.press("/");
    expect((await focused(viewer)) === "search_input", "to the search");
    await viewer.keyboard.type("MPI_Sendrecv");
    await viewer.press("Enter", "Escape", "z");
    // Several messages that lie near each other are one, unless the picture is narrow enough.
    let near = await viewer.press("-", "-", "m");
    for (let narrower = 0; narrower < 3 && !(await viewer.text("#live")).startsWith("Message."); narrower++)
        near = await viewer.press("+", "m");
    expect(near.pin?.kind === "message", `a message: ${JSON.stringify(near.pin)}, ${await viewer.text("#live")}`);
    expect(/^Message\. from rank \d+, .* to rank \d+/.test(await viewer.text("#live")), "it is told");
    const is_it = (one) => close(one.sent_s, near.pin.from) && close(one.received_s, near.pin.to);
    const sent = known.messages.find(is_it);
    expect(
        sent && sent.from === near.pin.from_row && sent.to === near.pin.to_row,
        `it is in the table: ${JSON.stringify(near.pin)}`,
    );
    const {pin} = await viewer.press("o");
    expect(pin.at_end !== near.pin.at_end && pin.row === (pin.at_end ? sent.to : sent.from), "its other end");
    await viewer.picture("message");
    await viewer.press("Escape");
}

// Every stop of Tab: it goes around, and nothing keeps it.
async function around(viewer) {
    const stops = [];
    for (let i = 0; i < 120 && !stops.includes("tab_summary"); ++i) {
        await viewer.press("Tab");
        stops.push(await focused(viewer));
    }
    for (const wanted of ["axis", "overview"]) expect(!stops.includes(wanted), `${wanted} is for the mouse`);
    expect(stops.includes("tab_summary"), `the tabs can be reached: ${stops}`);
}

async function panels(viewer) {
    await around(viewer);
    const seen = [];
    for (let i = 0; i < 10; ++i) {
        const {tab} = await viewer.press("ArrowRight");
        expect((await focused(viewer)) === `tab_${tab}`, `the focus is on the tab ${tab}`);
        expect((await viewer.text("#panel")).length > 20, `${tab} has content`);
        seen.push(tab);
        if (tab === "messages") await matrix(viewer);
    }
    expect(new Set(seen).size === 10 && seen[9] === "summary", `all tabs: ${seen}`);
}

// Who cannot hover reads the matrix's numbers in the table below it.
async function matrix(viewer) {
    const rows = await viewer.cells("#messages_table");
    for (const {from, to, messages} of known.report.messages)
        expect(
            rows.some((row) => +row[0] === from && +row[1] === to && +row[2].replaceAll(",", "") === messages),
            `${from} to ${to}`,
        );
    await viewer.picture("matrix");
}

async function rest(viewer) {
    await viewer.press("?");
    expect(await viewer.page.locator("#help").evaluate((help) => help.open), "the help is open");
    await viewer.picture("help");
    await viewer.press("Escape");
    expect(!(await viewer.page.locator("#help").evaluate((help) => help.open)), "and closed again");
    await viewer.press("/");
    await viewer.press("Escape");
    const whole = await viewer.press("Home");
    expect(close(whole.to - whole.from, known.report.wall_s, 0.03 * known.report.wall_s), "the whole run");
    const later = await viewer.press("+", "ArrowRight");
    expect(later.from > whole.from && later.to - later.from < whole.to - whole.from, "closer and later");
    const before = await viewer.page.evaluate(() => document.documentElement.dataset.theme);
    await viewer.press("t");
    expect((await viewer.page.evaluate(() => document.documentElement.dataset.theme)) !== before, "dark and light");
    for (const [key, what] of [
        ["1", "messages"],
        ["2", "waits"],
        ["3", "collectives"],
        ["4", "path"],
        ["5", "counters"],
        ["6", "quantity"],
    ]) {
        const one = (await viewer.settled()).show.includes(what);
        expect((await viewer.press(key)).show.includes(what) !== one, `${what} on or off`);
    }
    await viewer.picture("dark");
}

await test(async (viewer) => {
    await viewer.page.addInitScript(() => {
        window.mouse_events = 0;
        for (const kind of ["mousemove", "mousedown", "pointerdown", "pointermove", "wheel", "touchstart"])
            window.addEventListener(kind, () => (window.mouse_events += 1), true);
    });
    await viewer.open();
    await to_timeline(viewer);
    const call = await to_a_call(viewer);
    await pin_it(viewer, call);
    await message(viewer);
    await panels(viewer);
    await rest(viewer);
    expect((await viewer.page.evaluate(() => window.mouse_events)) === 0, "no mouse was used");
});
