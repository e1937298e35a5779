// Finds what is at a place of the timeline. A pick is {kind, trace, row, at, from, to, ...}, or null for nothing.
import {bounds, no_core_share, shown_seconds, slot_at} from "./picture.js";
import {gap_of} from "./draw_slots.js";
import {geometry} from "./geometry.js";
import {middle_of} from "./draw_links.js";
import {shows} from "./state.js";

const near_px = 4;

function distance(x, y, ax, ay, bx, by) {
    const dx = bx - ax,
        dy = by - ay,
        length = dx * dx + dy * dy;
    const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
    return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function message_pick(track, one, at_end = false) {
    const [from_row, to_row, count, from, to, bytes, tag, communicator] = one;
    return {
        kind: "message",
        trace: track.number,
        row: at_end ? to_row : from_row,
        at: at_end ? to : from,
        from,
        to,
        from_row,
        to_row,
        count,
        bytes,
        tag,
        communicator,
        at_end,
    };
}

function message_at(track, picture, x, y) {
    let best = null,
        least = near_px;
    for (const one of picture.messages?.all || []) {
        const far = distance(
            x,
            y,
            track.x_of(one[3]),
            middle_of(track, one[0]),
            track.x_of(one[4]),
            middle_of(track, one[1]),
        );
        if (far < least) [best, least] = [one, far];
    }
    return best && message_pick(track, best, Math.abs(x - track.x_of(best[4])) < Math.abs(x - track.x_of(best[3])));
}

export function wait_pick(track, [row, wait, count, from, to, waited_s, function_name, for_rank]) {
    return {kind: "wait", trace: track.number, row, at: from, from, to, wait, count, waited_s, function_name, for_rank};
}

// Waits are drawn at the bottom of their rows.
function wait_at(track, picture, row, time, y) {
    const high = track.row_px - gap_of(track.row_px);
    if (high >= 12 && y < track.y_of(row) + high - Math.max(5, high * 0.36)) return null;
    // A link that stands for several waits far apart is not picked, because other calls lie between these waits.
    const dense = ([, , , begin, end, waited_s]) => waited_s > (end - begin) / 2;
    const found = (picture.waits?.all || []).find(
        (one) => one[0] === row && time >= one[3] && time <= one[4] && dense(one),
    );
    return found && track.x_of(found[4]) - track.x_of(found[3]) >= 1.5 ? wait_pick(track, found) : null;
}

export function waits_of(track, row, from, to) {
    return (track.near?.waits?.all || [])
        .filter((one) => one[0] === row && one[4] > from && one[3] < to)
        .map((one) => wait_pick(track, one));
}

export function messages_of(track, row, from, to) {
    return (track.near?.messages?.all || [])
        .filter(
            (one) =>
                (one[0] === row && one[3] >= from && one[3] <= to) ||
                (one[1] === row && one[4] >= from && one[4] <= to),
        )
        .map((one) => message_pick(track, one, !(one[0] === row && one[3] >= from && one[3] <= to)));
}

function open_at(track, row, time) {
    const one = track.info.open_calls.find((call) => track.row_of_thread(call.row) === row && time >= call.begin_s);
    if (!one || time > track.info.end_s) return null;
    return {
        kind: "open",
        trace: track.number,
        row,
        at: one.begin_s,
        from: one.begin_s,
        to: track.info.end_s,
        text: one.text,
        rank: one.rank,
    };
}

function collective_at(track, picture, x) {
    const time = track.time_at(x),
        slack = track.time_at(x + 2) - time;
    const found = (picture.collectives?.all || []).find((one) => time >= one[2] - slack && time <= one[3] + slack);
    if (!found) return null;
    const [communicator, count, from, to, bytes, operation, root] = found;
    return {
        kind: "collective",
        trace: track.number,
        row: 0,
        at: from,
        from,
        to,
        communicator,
        count,
        bytes,
        operation,
        root,
    };
}

function slot_pick(track, picture, row, time) {
    const there = row - picture.first_row;
    if (there < 0 || there >= picture.rows.length) return null;
    const i = slot_at(picture, there, time);
    if (i < 0) return null;
    const {from, to} = bounds(picture, i),
        span = picture.span[i];
    return {
        kind: "slot",
        trace: track.number,
        row,
        at: time,
        from,
        to,
        slot: i,
        function_name: track.function_name(picture.function[i]),
        share: picture.share[i] / 255,
        busy: picture.busy[i] / 255,
        single: span > 0,
        thread: span ? picture.span_thread[span - 1] : track.thread_of_row(row),
        threads: picture.row_threads[there],
        seconds: span ? to - from : shown_seconds(picture, there, i),
        no_core: no_core_share(picture, there, picture.first[i], picture.last[i]),
        whole: from >= picture.from_s && to <= picture.to_s,
    };
}

export function pick_time(track, row, time) {
    for (const picture of [track.near, track.whole]) {
        const found = picture && time >= picture.from_s && time < picture.to_s && slot_pick(track, picture, row, time);
        if (found) return found;
    }
    return null;
}

export function pick(track, x, y) {
    if (x < geometry.gutter) return null;
    const picture = track.near || track.whole,
        time = track.time_at(x);
    if (!picture) return null;
    if (y < track.top) return shows("collectives") ? collective_at(track, picture, x) : null;
    const message = shows("messages") && message_at(track, picture, x, y);
    if (message) return message;
    const row = track.row_at(y);
    if (row < 0) return null;
    const open = open_at(track, row, time);
    if (open) return open;
    return (shows("waits") && wait_at(track, picture, row, time, y)) || pick_time(track, row, time);
}
