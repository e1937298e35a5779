// Finds calls by the name of their function or place, and goes from one to the next.
import {ask_json} from "./ask.js";
import {announce, by_id} from "./dom.js";
import {go_to, track_of} from "./moves.js";
import {in_words} from "./describe.js";
import {state} from "./state.js";
import {timeline} from "./timeline.js";

const step_s = 1.25e-10; // the unit of times: behind one is at least that much later

function answer(text) {
    by_id("search_answer").textContent = text;
    announce(text);
}

function as_pick(track, found) {
    return {
        kind: "slot",
        trace: track.number,
        row: track.row_of_thread(found.row_thread),
        at: found.begin_s,
        from: found.begin_s,
        to: found.end_s,
        function_name: found.function,
        single: true,
        thread: found.row_thread,
        threads: 1,
        share: 1,
        busy: 1,
        seconds: found.end_s - found.begin_s,
    };
}

// From what is pinned on, if it is in view: else from the edge of the window.
function start_from(track, by) {
    const pin = state.pin;
    if (pin && pin.trace === track.number && pin.from < track.to && pin.to > track.from) return pin.from;
    return by > 0 ? track.from : track.to;
}

async function find(name, by) {
    const track = track_of(state.pin || state.cursor || {trace: state.side});
    if (!name) return;
    const at = start_from(track, by);
    const about = {trace: track.number, name};
    try {
        const {found} = await ask_json("find", {...about, ...(by > 0 ? {after: at} : {before: at})});
        if (!found) return answer(by > 0 ? "none after this" : "none before this");
        const pick = as_pick(track, found);
        go_to(pick, {cursor: pick});
        answer(`rank ${found.rank}`);
        announce(in_words(track, pick));
    } catch (error) {
        answer(error.message);
    }
}

export function next_by_name(by) {
    const name = state.pin?.function_name || state.fn || by_id("search_input").value;
    return name ? find(name, by) : answer("choose a call or a function first");
}

async function calls(track, thread, from, to, most) {
    return ask_json("calls", {trace: track.number, row_thread: thread, from, to, most});
}

async function next_call(track, thread, pin) {
    const {calls: list} = await calls(track, thread, pin.to, track.info.end_s + 1, 3);
    return list.find((call) => call.begin_s > pin.from + step_s / 2 && call.begin_s >= pin.to - step_s);
}

// Calls come by time, from the window's begin on: the window grows backwards until there are some, and not too many.
async function last_call(track, thread, pin) {
    let length = Math.max((state.to - state.from) / 8, 1e-6);
    for (let i = 0; i < 24; ++i) {
        const from = Math.max(track.info.begin_s - 1, pin.from - length);
        const {calls: list, more} = await calls(track, thread, from, pin.from, 200);
        const before = list.filter((call) => call.begin_s < pin.from - step_s / 2);
        if (before.length > 0 && !more) return before[before.length - 1];
        if (!more && from < track.info.begin_s) return null;
        length *= more ? 0.23 : 4;
    }
    return null;
}

export async function next_in_row(by) {
    const pin = state.pin || state.cursor;
    if (!pin) return answer("choose a call first");
    const track = track_of(pin),
        thread = pin.kind === "slot" && pin.thread >= 0 ? pin.thread : track.thread_of_row(pin.row);
    if (!(thread >= 0)) return answer("this row has several threads");
    try {
        const call = await (by > 0 ? next_call : last_call)(track, thread, pin);
        if (!call) return answer(by > 0 ? "the last call of this row" : "the first call of this row");
        const pick = as_pick(track, {...call, row_thread: thread});
        go_to(pick, {cursor: pick});
        return announce(in_words(track, pick));
    } catch (error) {
        return answer(error.message);
    }
}

export function start_search() {
    const input = by_id("search_input");
    by_id("search").addEventListener("submit", (event) => event.preventDefault());
    input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
            event.preventDefault();
            find(input.value.trim(), event.shiftKey ? -1 : 1);
        } else if (event.key === "Escape") {
            input.value = "";
            timeline.tracks[0].canvas.focus();
        }
    });
    input.addEventListener("input", () => {
        by_id("search_answer").textContent = "";
    });
}
