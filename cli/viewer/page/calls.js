// The exact calls of the pinned slot, as `tactus dump` prints them.
import {ask_json} from "./ask.js";
import {bullets, note} from "./panel_elements.js";
import {button, fill, make} from "./dom.js";
import {duration, shortened} from "./words.js";
import {go_to} from "./moves.js";
import {source_button} from "./source.js";

const most_calls = 40;
const same_time_s = 2e-9;
let asked = null;

export function stop_calls() {
    asked?.abort();
}

function pick_of(call, pick) {
    const {begin_s: from, end_s: to, function: function_name} = call;
    return {...pick, from, to, at: from, function_name, single: true, seconds: to - from, share: 1, busy: 1};
}

function call_item(track, call, chosen, pick) {
    const place = call.file ? `${shortened(call.file, 90)}:${call.line}` : call.place || "place unknown";
    const where = [duration(call.end_s - call.begin_s), call.caller && shortened(call.caller, 80), place];
    return make(
        "div",
        {class: chosen ? "call chosen" : "call"},
        make("div", {class: "call_text"}, call.text),
        make(
            "div",
            {class: "dim"},
            `${where.filter((one) => one).join(" · ")} `,
            source_button(track, call.place),
            chosen ? null : button("pin", () => go_to(pick_of(call, pick)), {class: "link"}),
        ),
    );
}

function title_of(shown, more) {
    if (shown.length === 0) return "No call of MPI there";
    return shown.length === 1 ? "Call" : `${more ? "The first " : ""}${shown.length} calls there`;
}

function draw_calls(box, track, pick, {calls, more}) {
    // Calls may lie inside of others. If a single call is pinned, only the call with the same begin is shown.
    const same = (call) =>
        pick.single && call.function === pick.function_name && Math.abs(call.begin_s - pick.from) < same_time_s;
    const inside = calls.filter((call) => (call.end_s > pick.from && call.begin_s < pick.to) || same(call));
    const shown = inside.some(same) ? inside.filter(same) : inside;
    const items = shown.map((call) => call_item(track, call, same(call), pick));
    fill(box, make("h3", {}, title_of(shown, more)), bullets(items, {class: "calls", id: "calls"}));
}

export async function show_calls(box, track, pick) {
    stop_calls();
    if (pick.kind !== "slot" || pick.thread < 0 || !(pick.to > pick.from)) return;
    asked = new AbortController();
    fill(box, note("…"));
    const about = {...track.which, row_thread: pick.thread, from: pick.from, to: pick.to, most: most_calls};
    try {
        draw_calls(box, track, pick, await ask_json("calls", about, asked.signal));
    } catch (error) {
        if (error.name !== "AbortError") fill(box, note(error.message));
    }
}
