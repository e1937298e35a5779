// Finds calls by the name of their function or call place, and goes from one call to the next.
import {ask_json} from "./ask.js";
import {announce, by_id} from "./dom.js";
import {go_to, track_of} from "./moves.js";
import {in_words} from "./describe.js";
import {state} from "./state.js";
import {timeline} from "./timeline.js";

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

// The search starts at what is pinned if that is in view, and otherwise at the edge of the window.
function start_from(track, by) {
    const pin = state.pin;
    if (pin && pin.trace === track.number && pin.from < track.to && pin.to > track.from) return pin.from;
    return by > 0 ? track.from : track.to;
}

// Goes to the call that the server finds. If there is none, shows the text `none`.
async function find(track, about, none) {
    try {
        const {found} = await ask_json("find", {...track.which, ...about});
        if (!found) return answer(none);
        const pick = as_pick(track, found);
        go_to(pick, {cursor: pick});
        answer(`rank ${found.rank}`);
        return announce(in_words(track, pick));
    } catch (error) {
        return answer(error.message);
    }
}

function find_name(name, by, exact) {
    const track = track_of(state.pin || state.cursor || {trace: state.side});
    const from = start_from(track, by);
    const about = {name, ...(exact && {exact: 1}), ...(by > 0 ? {after: from} : {before: from})};
    return find(track, about, by > 0 ? "none after this" : "none before this");
}

export function next_by_name(by) {
    const exact = state.pin?.function_name || state.fn;
    const name = exact || by_id("search_input").value.trim();
    return name ? find_name(name, by, Boolean(exact)) : answer("choose a call or a function first");
}

export function next_in_row(by) {
    const pin = state.pin || state.cursor;
    if (!pin) return answer("choose a call first");
    const track = track_of(pin),
        row_thread = pin.kind === "slot" && pin.thread >= 0 ? pin.thread : track.thread_of_row(pin.row);
    if (!(row_thread >= 0)) return answer("this row has several threads");
    const about = {row_thread, ...(by > 0 ? {after: pin.from} : {before: pin.from})};
    return find(track, about, by > 0 ? "the last call of this row" : "the first call of this row");
}

export function start_search() {
    const input = by_id("search_input");
    by_id("search").addEventListener("submit", (event) => event.preventDefault());
    input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
            event.preventDefault();
            const name = input.value.trim();
            if (name) find_name(name, event.shiftKey ? -1 : 1, false);
        } else if (event.key === "Escape") {
            input.value = "";
            timeline.tracks[0].canvas.focus();
        }
    });
    input.addEventListener("input", () => {
        by_id("search_answer").textContent = "";
    });
}
