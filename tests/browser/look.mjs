// A trace is looked at with the mouse: from the whole run to one call, along a message, from call to call, and every
// tab.
import {about, close, expect, number, seconds, test, same_time_s} from "./page.mjs";

const [known] = about.truth;
const end = (call) => call.begin_s + call.length_s;
const units = {B: 1, KiB: 1024, MiB: 2 ** 20, GiB: 2 ** 30};
const bytes = (text) => number(text.split(" ")[0]) * units[text.split(" ")[1]];

async function whole_run(viewer) {
    const state = await viewer.open();
    const ranks = known.report.ranks_in_run;
    expect(state.row_count === ranks, `${state.row_count} rows, ${ranks} ranks`);
    expect(close(state.to - state.from, known.report.wall_s, 0.03 * known.report.wall_s), "the whole run is in view");
    expect((await viewer.page.title()).includes(known.name), "the page is named after the trace");
    expect((await viewer.text("#trace_name")) === known.name, "and says its name");
    expect((await viewer.page.locator("#status_error").innerText()) === "", "no error is told");
    await viewer.picture("whole");
}

// A collective in the middle of the run that takes long enough to be aimed at.
function a_call() {
    const found = known.calls.filter(
        ({function: name, length_s, rank}) => name === "MPI_Allreduce" && length_s > 3e-6 && rank === 1,
    );
    expect(found.length > 3, "the program calls MPI_Allreduce");
    return found[Math.floor(found.length / 2)];
}

async function zoom_to_call(viewer, call) {
    const middle = call.begin_s + call.length_s / 2;
    await viewer.click("#show_messages"); // else a line may be nearer than the call
    let state = await viewer.settled(),
        turns = 0;
    while (state.to - state.from > 5 * call.length_s) {
        expect(++turns < 60, "the wheel gets closer");
        await viewer.page.mouse.move(...(await viewer.place(middle, call.rank)));
        await viewer.page.mouse.wheel(0, -400);
        state = await viewer.settled();
        expect(state.from < middle && state.to > middle, "what is under the mouse stays there");
    }
    await viewer.page.mouse.move(...(await viewer.place(middle, call.rank)));
    await viewer.page.waitForSelector("#tooltip:not([hidden])");
    expect((await viewer.text("#tooltip")).startsWith(call.function), "the call is told under the mouse");
    await viewer.page.mouse.click(...(await viewer.place(middle, call.rank)));
    ({pin: state} = await viewer.settled());
    expect(
        state?.kind === "slot" && state.single && state.row === call.rank,
        `a call is pinned: ${JSON.stringify(state)}`,
    );
    expect(close(state.from, call.begin_s), `it begins at ${state.from}, by the dump at ${call.begin_s}`);
    expect(close(state.to, end(call), call.slack_s), `it ends at ${state.to}, by the dump at ${end(call)}`);
    expect((await viewer.text("#pin_title")) === call.function, "its function is the title");
    const texts = await viewer.text("#calls");
    expect(texts.includes(call.text), `the call as the dump has it, ${call.text}: ${texts}`);
    await viewer.picture("call");
    await viewer.click("#show_messages");
    await viewer.click("#zoom_whole");
}

// Where a line is clicked, as a part of its way: nearer to the sender's end.
const clicked = 0.2;

// How far a point is from a line, each with an x and a y.
function distance(point, from, to) {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy);
    const along = length === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / length ** 2;
    const part = Math.min(1, Math.max(0, along));
    return Math.hypot(from.x + part * dx - point.x, from.y + part * dy - point.y);
}

// Returns the message whose line is farthest from all others where it will be clicked, of those that fly long enough to
// be aimed at.
function a_message(row_height) {
    const long = known.messages.filter(({sent_s, received_s, bytes: size}) => received_s - sent_s > 20e-6 && size > 0);
    expect(long.length > 0, "some messages take 20 microseconds");
    const clear = (message) => {
        const flight = message.received_s - message.sent_s;
        // zoom_to() leaves its window at least 200 pixels wide, and the flight is a third of that.
        const x = (time) => (200 / 3) * ((time - message.sent_s) / flight);
        const sent = ({sent_s, from}) => ({x: x(sent_s), y: row_height * from});
        const received = ({received_s, to}) => ({x: x(received_s), y: row_height * to});
        const [from, to] = [sent(message), received(message)];
        const point = {x: from.x + clicked * (to.x - from.x), y: from.y + clicked * (to.y - from.y)};
        const others = known.messages.filter((other) => other !== message);
        return Math.min(...others.map((other) => distance(point, sent(other), received(other))));
    };
    const measured = long.slice(0, 1000).map((message) => ({message, clear: clear(message)}));
    const best = measured.reduce((most, one) => (one.clear > most.clear ? one : most));
    expect(best.clear > 1, `some line is by itself where it is clicked: ${best.clear} pixels`);
    return best.message;
}

async function follow_message(viewer, message) {
    const flight = message.received_s - message.sent_s;
    await viewer.zoom_to(message.sent_s - flight, message.received_s + flight);
    const [x, y] = await viewer.place(message.sent_s, message.from, 0.5);
    const [other_x, other_y] = await viewer.place(message.received_s, message.to, 0.5);
    await viewer.page.mouse.click(x + clicked * (other_x - x), y + clicked * (other_y - y));
    const {pin} = await viewer.settled();
    expect(pin?.kind === "message" && pin.count === 1 && !pin.at_end, `a message is pinned: ${JSON.stringify(pin)}`);
    expect(
        pin.from_row === message.from && pin.to_row === message.to,
        `it goes from rank to rank: ${JSON.stringify(pin)}`,
    );
    expect(close(pin.from, message.sent_s) && close(pin.to, message.received_s), `at ${pin.from} and ${pin.to}`);
    expect(pin.bytes === message.bytes && pin.tag === message.tag, `${pin.bytes} bytes, tag ${pin.tag}`);
    await viewer.picture("message");
    expect((await viewer.text("#other_end")).endsWith(`rank ${message.to}`), "its other end is named");
    const there = await viewer.click("#other_end");
    expect(there.pin.at_end && there.pin.row === message.to, `the other end: ${JSON.stringify(there.pin)}`);
    expect(close(there.pin.at, message.received_s), `it is at ${there.pin.at}, by the table at ${message.received_s}`);
    expect(there.from < message.received_s && there.to > message.received_s, "the other end is in view");
    await receiving_call(viewer, message);
    await viewer.page.goBack();
    await viewer.click("#zoom_whole");
}

// What the receiver was in when the message came is, in the dump, a call that received from the sender.
async function receiving_call(viewer, message) {
    const inside = (call) =>
        call.rank === message.to &&
        call.begin_s <= message.received_s &&
        end(call) >= message.received_s - call.slack_s;
    const receive = known.calls.findLast(inside);
    expect(receive, "the dump has a call in which the message came");
    expect(receive.text.includes(`from ${message.from} tag ${message.tag}`), `which received it: ${receive.text}`);
    await viewer.zoom_to(receive.begin_s, end(receive));
    await viewer.click("#show_messages");
    await viewer.page.mouse.click(...(await viewer.place(receive.begin_s + 0.5 * receive.length_s, receive.rank)));
    const {pin} = await viewer.settled();
    expect(pin?.function_name === receive.function, `${receive.function} is there: ${JSON.stringify(pin)}`);
    expect((await viewer.text("#calls")).includes(receive.text), "with the words of the dump");
    await viewer.picture("other_end");
    await viewer.click("#show_messages");
}

async function search(viewer) {
    const name = "MPI_Allreduce";
    const begins = known.calls
        .filter((call) => call.function === name)
        .sort((one, other) => one.begin_s - other.begin_s);
    const found = async (key, place) => {
        await viewer.page.press("#search_input", key);
        const {pin, from, to} = await viewer.settled();
        const {begin_s, rank} = begins[place];
        expect(pin?.function_name === name && close(pin.from, begin_s), `found ${pin?.from}, the dump has ${begin_s}`);
        expect(pin.row === rank && (await viewer.text("#search_answer")) === `rank ${rank}`, `of rank ${rank}`);
        expect(from < begin_s && to > begin_s, "what was found is in view");
    };
    await viewer.press("Escape", "Escape");
    await viewer.page.fill("#search_input", name);
    for (const place of [0, 1, 2, 3]) await found("Enter", place);
    for (const place of [2, 1]) await found("Shift+Enter", place);
    await viewer.picture("search");
    await viewer.page.fill("#search_input", "MPI_Nothing");
    await viewer.page.press("#search_input", "Enter");
    await viewer.settled();
    expect((await viewer.text("#search_answer")).startsWith("none"), "what is not there is not found");
    await viewer.click("#zoom_whole");
}

// The summary follows the window, where that is asked for.
async function summary_of_window(viewer) {
    await viewer.click("#tab_summary");
    const {wall_s} = known.report;
    await viewer.zoom_to(0.7 * wall_s, 0.9 * wall_s);
    const view = await viewer.click("#scope_window");
    const meters = viewer.page.locator("#efficiencies .meter > span:last-child");
    const shares = (await meters.allInnerTexts()).map(parseFloat);
    const [parallel, balance, communication] = shares.map((share) => share / 100);
    expect(close(parallel, balance * communication, 0.003), `the one is the product of the others: ${shares}`);
    const window = await viewer.text("#panel .figure:first-child strong");
    expect(Math.abs(seconds(window) / (view.to - view.from) - 1) < 0.01, `the window: ${window}`);
    const waits = await viewer.page.locator("#worst_waits li").allInnerTexts();
    expect(waits.length > 0 && /rank \d waits in MPI_\w+ for/.test(waits[0]), `what it was lost to: ${waits}`);
    await viewer.picture("summary_of_window");
    const {from, to} = await viewer.click("#worst_waits li:first-child button");
    expect(from < view.to && to > view.from && (from !== view.from || to !== view.to), `the wait: ${from} to ${to}`);
    await viewer.click("#scope_run");
    await viewer.click("#zoom_whole");
}

// Single calls are found, and shown, by the other times, too.
async function other_times(viewer) {
    for (const time of ["raw", "compensated"]) {
        await viewer.page.selectOption("#time", time);
        await viewer.settled();
        await viewer.page.fill("#search_input", "MPI_Allreduce");
        await viewer.page.press("#search_input", "Enter");
        const {pin} = await viewer.settled();
        expect(pin?.function_name === "MPI_Allreduce", `found by ${time} time: ${JSON.stringify(pin)}`);
        const call = await viewer.text("#calls .call.chosen");
        expect(call.startsWith("MPI_Allreduce"), `shown by ${time} time: ${call}`);
    }
    await viewer.page.selectOption("#time", "corrected");
    await viewer.click("#zoom_whole");
}

// A question whose answer is lost is asked again, until the picture is as fine as it should be.
async function asked_again(viewer) {
    const pictures = "**/api/timeline?*";
    let lost = 0;
    await viewer.page.route(pictures, (route) =>
        lost++ < 3 ? route.fulfill({status: 200, body: ""}) : route.continue(),
    );
    const {wall_s} = known.report;
    const {from, to, slot_s} = await viewer.open(`#from=${0.8 * wall_s}&to=${0.81 * wall_s}`);
    expect(lost > 3, `pictures were asked for ${lost} times`);
    expect((to - from) / slot_s > 300, `${(to - from) / slot_s} slots are in view`);
    await viewer.page.unroute(pictures);
    await viewer.open();
}

// The lines of waits lead to the single longest one.
async function longest_wait(viewer) {
    await viewer.click("#tab_waits");
    const wait = known.report.waits.reduce((most, one) => (one.longest_s > most.longest_s ? one : most));
    const line = `#waits_table tbody tr:nth-child(${known.report.waits.indexOf(wait) + 1})`;
    const {from, to, cursor} = await viewer.click(line);
    expect(cursor.row === wait.victim, `of rank ${wait.victim}: ${JSON.stringify(cursor)}`);
    const length = cursor.to - cursor.from;
    expect(length <= wait.longest_s * 1.000001 + same_time_s, `as long as it was: ${length}, ${wait.longest_s}`);
    expect(from < cursor.from && to > cursor.to && to - from < 4 * length + 1e-6, "it fills the view");
    await viewer.picture("wait");
    await viewer.click("#tab_summary");
    await viewer.click("#zoom_whole");
}

async function matrix(viewer) {
    await viewer.click("#tab_messages");
    const ranks = known.report.ranks_in_run,
        edge = 26,
        cell = 28; // as matrix.js draws few ranks
    const pair = (from, to) => known.report.messages.find((one) => one.from === from && one.to === to);
    for (const measure of ["messages", "bytes"]) {
        await viewer.click(`#matrix_${measure}`);
        const box = await viewer.page.locator("#matrix").boundingBox();
        for (let from = 0; from < ranks; ++from)
            for (let to = 0; to < ranks; ++to) {
                await viewer.page.mouse.move(box.x + edge + (to + 0.5) * cell, box.y + edge + (from + 0.5) * cell);
                const text = await viewer.text("#tooltip");
                expect(text.startsWith(`rank ${from} to rank ${to}\n`), `the pair is named: ${text}`);
                const value = text.split("\n").pop(),
                    wanted = pair(from, to)?.[measure];
                const same = !wanted
                    ? value === "none"
                    : measure === "messages"
                      ? number(value) === wanted
                      : Math.abs(bytes(value) / wanted - 1) < 1e-3;
                expect(same, `${measure} from ${from} to ${to}: ${value}, the report has ${wanted}`);
            }
    }
    for (const [from, to, count, size] of await viewer.cells("#messages_table")) {
        const wanted = pair(+from, +to);
        expect(
            number(count) === wanted.messages && Math.abs(bytes(size) / wanted.bytes - 1) < 1e-3,
            `table ${from} ${to}`,
        );
    }
    expect((await viewer.cells("#messages_table")).length === known.report.messages.length, "the table has all pairs");
    await viewer.picture("matrix");
}

async function tabs(viewer) {
    const counts = {functions: "functions", balance: "ranks", collectives: "collectives", clocks: "ranks"};
    const names = await viewer.page.$$eval("#tabs button", (list) => list.map((one) => one.id.slice(4)));
    expect(names.length === 10, `ten tabs: ${names}`);
    for (const name of names) {
        await viewer.click(`#tab_${name}`);
        const text = await viewer.text("#panel");
        expect(text.length > 20 && !/\[object|undefined|NaN/.test(text), `tab ${name}: ${text}`);
        await viewer.picture(`tab_${name}`);
        if (!counts[name]) continue;
        const rows = await viewer.cells(`#${name}_table`);
        expect(rows.length === known.report[counts[name]].length, `tab ${name} has ${rows.length} rows`);
    }
    await viewer.click("#tab_functions");
    const shown = new Map((await viewer.cells("#functions_table")).map((row) => [row[0], number(row[3])]));
    for (const {name, calls} of known.report.functions)
        expect(shown.get(name) === calls, `${shown.get(name)} of ${name}`);
}

// What is in view is in the address, and comes again from it.
async function address(viewer) {
    await viewer.click("#scope_window");
    await viewer.click("#show_path");
    await viewer.page.mouse.dblclick(...(await viewer.place(known.report.wall_s / 2, 2)));
    const before = await viewer.settled(),
        part = await viewer.page.evaluate(() => window.location.hash);
    const after = await viewer.open(part);
    for (const key of ["from", "to", "tab", "scope", "rows", "time", "fn"])
        expect(
            after[key] === before[key] || close(after[key], before[key], 1e-9),
            `${key}: ${before[key]}, ${after[key]}`,
        );
    expect(after.show.join() === before.show.join() && after.show.includes("path"), `shown are ${after.show}`);
    expect(after.to - after.from < 0.6 * known.report.wall_s, "a part of the run is in view");
    await viewer.picture("again");
}

await test(async (viewer) => {
    await whole_run(viewer);
    await zoom_to_call(viewer, a_call());
    await follow_message(viewer, a_message((await viewer.settled()).row_height));
    await search(viewer);
    await summary_of_window(viewer);
    await other_times(viewer);
    await asked_again(viewer);
    await longest_wait(viewer);
    await matrix(viewer);
    await tabs(viewer);
    await address(viewer);
});
