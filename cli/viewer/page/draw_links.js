// Draws what connects rows: messages, waits, collectives, and the critical path. Also draws the calls that a killed job
// was in.
import {color_of, css, mixed} from "./colors.js";
import {gap_of, hatching} from "./draw_slots.js";
import {geometry} from "./geometry.js";
import {theme} from "./theme.js";

// How lines that stand for several messages are drawn: [largest number of messages, width, opacity].
const weights = [
    [1, 1, 0.7],
    [4, 1.4, 0.72],
    [16, 2, 0.75],
    [64, 2.8, 0.8],
    [Infinity, 3.8, 0.85],
];
const arrows_up_to = 250;

export function middle_of(track, row) {
    return track.y_of(row) + (track.row_px - gap_of(track.row_px)) / 2;
}

function arrow(context, x, y, from_x, from_y) {
    const angle = Math.atan2(y - from_y, x - from_x),
        size = 6;
    context.moveTo(x - size * Math.cos(angle - 0.4), y - size * Math.sin(angle - 0.4));
    context.lineTo(x, y);
    context.lineTo(x - size * Math.cos(angle + 0.4), y - size * Math.sin(angle + 0.4));
}

function in_view(track, begin, end) {
    return end >= track.from && begin <= track.to;
}

export function draw_messages(context, track, picture) {
    const all = picture.messages?.all || [];
    const seen = all.filter((one) => in_view(track, Math.min(one[3], one[4]), Math.max(one[3], one[4])));
    // If there are very many messages, each is fainter, so that the rows remain visible.
    const crowd = Math.min(1, 90 / Math.max(1, seen.length)) ** 0.6;
    let least = 0;
    for (const [most, width, alpha] of weights) {
        context.beginPath();
        for (const [from, to, count, sent, received] of seen) {
            if (count <= least || count > most) continue;
            const x = track.x_of(sent),
                y = middle_of(track, from),
                end_x = track.x_of(received),
                end_y = middle_of(track, to);
            context.moveTo(x, y);
            context.lineTo(end_x, end_y);
            if (seen.length <= arrows_up_to) arrow(context, end_x, end_y, x, y);
        }
        if (seen.length <= arrows_up_to) {
            // A light edge makes the lines visible on dark functions.
            context.lineWidth = width + 1.6;
            context.strokeStyle = css(theme.paper, 0.5);
            context.stroke();
        }
        context.lineWidth = width;
        context.strokeStyle = css(theme.ink, Math.max(0.1, alpha * crowd));
        context.stroke();
        least = most;
    }
    return seen.length;
}

// Returns the opacity of a wait. If it stands for several waits, the opacity is the share of time that they take. It is
// less in low rows, so that the functions remain visible.
function wait_strength([, , , begin, end, waited_s], low) {
    const share = Math.min(1, waited_s / Math.max(1e-12, end - begin));
    return share < (low ? 0.35 : 0.1) ? 0 : share * (low ? 0.65 : 1);
}

export function draw_waits(context, track, picture) {
    const high = track.row_px - gap_of(track.row_px),
        part = high >= 12 ? Math.max(5, high * 0.36) : high;
    const [top, bottom] = track.rows_in_view();
    context.fillStyle = hatching(context, [0, 0, 0], 0.5);
    for (const wait of picture.waits?.all || []) {
        const [row, , , begin, end] = wait;
        if (row < top || row > bottom || !in_view(track, begin, end)) continue;
        const x = Math.max(geometry.gutter, track.x_of(begin)),
            right = Math.min(geometry.width, track.x_of(end));
        if (right - x < 1.5) continue;
        context.globalAlpha = wait_strength(wait, high < 12);
        context.fillRect(x, track.y_of(row) + high - part, right - x, part);
    }
    context.globalAlpha = 1;
}

// Draws a bar for each collective above the rows. If it is wide enough, also draws a frame over the rows from its begin
// to its end.
export function draw_collectives(context, track, picture) {
    const bottom = Math.min(track.height, track.y_of(track.rows));
    for (const [, count, begin, end, , operation] of picture.collectives?.all || []) {
        if (!in_view(track, begin, end)) continue;
        const x = track.x_of(begin),
            right = Math.max(x + 1, track.x_of(end));
        const left = Math.max(geometry.gutter, x),
            width = Math.min(geometry.width, right) - left;
        if (width <= 0) continue;
        const color = operation === "mixed" ? theme.dim : color_of(operation, theme.name);
        context.fillStyle = css(color, count > 1 ? 0.75 : 1);
        context.fillRect(left, 3, Math.max(1, width), 8);
        if (right - x < 5 || count > 1) continue;
        context.strokeStyle = css(mixed(color, theme.ink, 0.5), 0.8);
        context.lineWidth = 1;
        context.strokeRect(Math.round(x) + 0.5, track.top - 2.5, Math.round(right - x), bottom - track.top + 2);
    }
}

// In rows that are high enough for names, the critical path runs above the names.
function path_y(track, row) {
    return track.row_px >= 16 ? track.y_of(row) + 4 : middle_of(track, row);
}

function trace_path(context, track, pieces) {
    context.beginPath();
    let before = null;
    for (const {rank, begin_s, end_s} of pieces) {
        const row = track.row_of_rank(rank);
        if (row < 0 || !in_view(track, begin_s, end_s)) {
            before = null;
            continue;
        }
        const y = path_y(track, row);
        // Coordinates far outside of the canvas lose their precision.
        const x = Math.max(-50, track.x_of(begin_s)),
            end = Math.min(geometry.width + 50, track.x_of(end_s));
        if (before === null) context.moveTo(x, y);
        else context.lineTo(x, y);
        context.lineTo(end, y);
        before = row;
    }
}

export function draw_path(context, track) {
    if (!track.path) return;
    context.lineJoin = "round";
    for (const [width, color] of [
        [6, css(theme.paper, 0.85)],
        [3, css(theme.alarm)],
    ]) {
        trace_path(context, track, track.path);
        context.lineWidth = width;
        context.strokeStyle = color;
        context.stroke();
    }
}

// Draws a frame from the begin of each open call of a killed job to the end of the run, with a mark at the end.
export function draw_open_calls(context, track) {
    context.strokeStyle = context.fillStyle = css(theme.alarm);
    context.lineWidth = 1.5;
    for (const one of track.info.open_calls) {
        const row = track.row_of_thread(one.row);
        if (row < 0) continue;
        const y = track.y_of(row),
            high = Math.max(2, track.row_px - gap_of(track.row_px));
        const x = Math.max(geometry.gutter - 4, track.x_of(one.begin_s)),
            end = Math.min(geometry.width, track.x_of(track.info.end_s));
        if (end <= geometry.gutter) continue;
        context.setLineDash([4, 2]);
        context.strokeRect(x, y + 0.75, Math.max(1, end - x), Math.max(1, high - 1.5));
        context.setLineDash([]);
        context.beginPath();
        context.moveTo(end - 7, y);
        context.lineTo(end, y + high / 2);
        context.lineTo(end - 7, y + high);
        context.fill();
    }
}

// Outlines what is pinned: a line for a message, otherwise a frame. A wait also gets an arrow to the rank it waits for.
function outline(context, track, pin) {
    const high = track.row_px - gap_of(track.row_px);
    context.beginPath();
    if (pin.kind === "message") {
        const x = track.x_of(pin.from),
            y = middle_of(track, pin.from_row),
            end = track.x_of(pin.to),
            end_y = middle_of(track, pin.to_row);
        context.moveTo(x, y);
        context.lineTo(end, end_y);
        return arrow(context, end, end_y, x, y);
    }
    const x = Math.max(geometry.gutter - 3, track.x_of(pin.from)),
        right = Math.min(geometry.width + 3, track.x_of(pin.to));
    if (right >= geometry.gutter && x <= geometry.width)
        if (pin.kind === "collective") context.rect(x, 2, Math.max(2, right - x), track.y_of(track.rows) - 2);
        else context.rect(x, track.y_of(pin.row) - 0.5, Math.max(2, right - x), Math.max(2, high + 1));
    const row = pin.kind === "wait" && pin.for_rank !== "mixed" ? track.row_of_rank(pin.for_rank) : -1;
    if (row < 0 || row === pin.row) return undefined;
    const at = Math.min(right, track.x_of(pin.to)),
        y = middle_of(track, pin.row),
        to_y = middle_of(track, row);
    context.moveTo(at, y);
    context.lineTo(at, to_y);
    return arrow(context, at, to_y, at, y);
}

export function draw_pin(context, track, pin, color = css(theme.accent)) {
    if (!pin || pin.trace !== track.number) return;
    outline(context, track, pin);
    context.lineJoin = "miter";
    for (const [width, style] of [
        [5, css(theme.paper, 0.9)],
        [2, color],
    ]) {
        context.lineWidth = width;
        context.strokeStyle = style;
        context.stroke();
    }
}
