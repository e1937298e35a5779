// The keyboard's place in the timeline: a row and a slot. Each move is announced for screen readers.
import {announce} from "./dom.js";
import {change, state} from "./state.js";
import {in_words, nothing_there} from "./describe.js";
import {pick_time} from "./pick.js";
import {seconds_a_pixel, within} from "./geometry.js";
import {timeline} from "./timeline.js";

function middle(track, row) {
    const at = (track.from + track.to) / 2;
    return {trace: track.number, row, at, from: at, to: at};
}

function here(track) {
    if (state.cursor?.trace === track.number && state.cursor.row < track.rows) return state.cursor;
    return middle(track, Math.max(0, Math.ceil(track.first)));
}

// Returns the place from which moves begin. It must be in view, since otherwise they would end where nothing is loaded.
function here_in_view(track) {
    const now = here(track);
    return now.to >= track.from && now.from <= track.to ? now : middle(track, now.row);
}

function put(track, row, at) {
    const found = pick_time(track, row, at) || {
        kind: "slot",
        empty: true,
        trace: track.number,
        row,
        at,
        from: at,
        to: at,
    };
    if (found.kind === "slot" && !found.empty) found.at = at;
    track.show_row(row);
    change({cursor: found, side: track.number});
    announce(found.empty ? nothing_there(track, row, at) : in_words(track, found));
}

export function move_row(track, by) {
    const now = here_in_view(track),
        row = Math.min(track.rows - 1, Math.max(0, now.row + by));
    put(track, row, now.at);
}

// Moves to the next slot of the row that is not empty, or with `by` < 0 to the previous one.
export function move_slot(track, by) {
    const now = here_in_view(track),
        picture = track.near || track.whole;
    if (!picture) return;
    const row = now.row - picture.first_row,
        slack = picture.slot_s / 4;
    let at = by > 0 ? Math.max(now.to, now.at) + slack : now.from - slack;
    if (now.from === now.to) at = now.at;
    const first = picture.row_begin[row],
        end = picture.row_begin[row + 1];
    let found = pick_time(track, now.row, at);
    for (let i = by > 0 ? first : end - 1; !found && i >= first && i < end; i += by) {
        const begin = picture.from_s + picture.first[i] * picture.slot_s;
        if (by > 0 ? begin >= at : begin <= at) found = pick_time(track, now.row, begin + slack);
    }
    if (!found) return void announce("no more in what is loaded");
    at = Math.min(Math.max((found.from + found.to) / 2, picture.from_s), picture.to_s - slack);
    keep_in_view(track, at);
    put(track, now.row, at);
}

function keep_in_view(track, at) {
    const time = at - track.shift,
        length = state.to - state.from,
        margin = 20 * seconds_a_pixel();
    if (time > state.from + margin && time < state.to - margin) return;
    change(within(time - length / 2, time + length / 2));
}

export function pin_cursor(track) {
    const now = here(track),
        found = pick_time(track, now.row, now.at);
    change({pin: found, cursor: found || now});
}

export function track_with_focus() {
    const number = document.activeElement?.dataset?.trace;
    return timeline.tracks[number ?? state.side] || timeline.tracks[0];
}
