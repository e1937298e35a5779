// The timeline of all traces. It draws frames while something moves, and asks the server when the view has settled.
import {by_id, fit_canvas, make} from "./dom.js";
import {css} from "./colors.js";
import {draw_axis, ticks} from "./axis.js";
import {draw_bitmap, draw_gaps, draw_spans} from "./draw_slots.js";
import {draw_collectives, draw_messages, draw_open_calls, draw_path, draw_pin, draw_waits} from "./draw_links.js";
import {draw_no_core} from "./draw_no_core.js";
import {draw_names, draw_scrollbar, gutter_for} from "./draw_rows.js";
import {geometry, x_of} from "./geometry.js";
import {on_theme, theme} from "./theme.js";
import {open_questions} from "./ask.js";
import {shows, state, watch} from "./state.js";

const settle_ms = 60;
export const timeline = {tracks: [], chosen: null, frames: 0, moving: false, messages_drawn: 0, extras: []};

const separate_ms = 150, // Moves with more time between them are separate movements.
    together_ms = 3; // Moves with less time between them count as a single move.
let dirty = false,
    settle_timer = 0,
    last_moved = -separate_ms,
    alone = true;

export function redraw() {
    if (dirty) return;
    dirty = true;
    requestAnimationFrame(frame);
}

// Called when something moved. The last pictures are stretched until the view settles. After a single move the server
// is asked at once.
function moved() {
    const since = performance.now() - last_moved;
    if (since > together_ms) alone = since > separate_ms;
    last_moved += since;
    timeline.moving = true;
    clearTimeout(settle_timer);
    settle_timer = setTimeout(settle, alone ? 0 : settle_ms);
    redraw();
}

async function settle() {
    settle_timer = 0;
    timeline.moving = false;
    redraw();
    await Promise.all(timeline.tracks.map((track) => track.settle()));
}

function draw_grid(context, track) {
    context.fillStyle = css(theme.ink, 0.07);
    for (const time of ticks().list) context.fillRect(Math.round(x_of(time)), 0, 1, track.height);
}

function draw_ends(context, track) {
    context.fillStyle = css(theme.ink, 0.35);
    for (const time of [track.info.begin_s, track.info.end_s])
        context.fillRect(Math.round(track.x_of(time)), 0, 1, track.height);
}

function draw_track(track) {
    const context = fit_canvas(track.canvas, geometry.width, track.height);
    context.fillStyle = css(theme.paper);
    context.fillRect(0, 0, geometry.width, track.height);
    for (const picture of [track.whole, track.near]) if (picture) draw_bitmap(context, track, picture);
    draw_gaps(context, track);
    draw_grid(context, track);
    const picture = track.near || track.whole;
    if (picture) {
        draw_spans(context, track, picture, timeline.moving);
        if (shows("no_core")) draw_no_core(context, track, picture);
        if (shows("waits")) draw_waits(context, track, picture);
        if (shows("collectives")) draw_collectives(context, track, picture);
        timeline.messages_drawn = shows("messages") ? draw_messages(context, track, picture) : 0;
    }
    draw_open_calls(context, track);
    if (shows("path")) draw_path(context, track);
    draw_ends(context, track);
    draw_pin(context, track, state.pin);
    if (document.activeElement === track.canvas) draw_pin(context, track, state.cursor, css(theme.ink));
    if (timeline.chosen) {
        context.fillStyle = css(theme.accent, 0.16);
        const from = x_of(timeline.chosen.from);
        context.fillRect(from, 0, x_of(timeline.chosen.to) - from, track.height);
    }
    const row = state.cursor?.trace === track.number ? state.cursor.row : -1;
    draw_names(context, track, row);
    draw_scrollbar(context, track);
}

function frame() {
    dirty = false;
    timeline.frames += 1;
    for (const track of timeline.tracks) draw_track(track);
    draw_axis(timeline.chosen);
    for (const draw of timeline.extras) draw();
}

export function pictures_settled(waits = (track) => track.asked) {
    return !dirty && settle_timer === 0 && !timeline.tracks.some(waits);
}

export function is_settled() {
    return pictures_settled() && timeline.tracks.every((track) => track.timer === 0) && open_questions() === 0;
}

export function settled() {
    return new Promise((resolve) => {
        const look = () => (is_settled() ? resolve() : setTimeout(look, 10));
        look();
    });
}

// Divides the height among the traces by their numbers of rows.
function lay_out() {
    const box = by_id("timeline"),
        width = geometry.width;
    geometry.width = Math.max(200, box.clientWidth);
    geometry.gutter = gutter_for(timeline.tracks);
    const rows = timeline.tracks.reduce((sum, track) => sum + track.rows + 4, 0);
    const high = Math.max(40 * timeline.tracks.length, box.clientHeight);
    for (const track of timeline.tracks) {
        track.height = Math.floor(
            Math.max(
                0.25 * high,
                Math.min(timeline.tracks.length > 1 ? 0.75 * high : high, (high * (track.rows + 4)) / rows),
            ),
        );
    }
    if (timeline.tracks.length === 2) timeline.tracks[1].height = Math.floor(high - timeline.tracks[0].height - 3);
    for (const track of timeline.tracks) track.canvas.style.height = `${track.height}px`;
    if (geometry.width !== width || timeline.tracks.some((track) => track.has_many_rows)) moved();
    else if (settle_timer === 0) settle();
}

function made_canvas(track) {
    const name =
        `Timeline of ${track.info.name}: a row for each of ${track.rows} ${state.rows}. ` +
        "Arrows move, plus and minus zoom, [ and ] go from slot to slot, question mark lists all keys.";
    return make("canvas", {
        id: `timeline_${track.number}`,
        class: "track",
        tabindex: 0,
        role: "img",
        "aria-label": name,
        "aria-roledescription": "timeline",
        "data-trace": track.number,
    });
}

export function start_timeline(tracks) {
    timeline.tracks = tracks;
    for (const track of tracks) {
        track.canvas = made_canvas(track);
        track.on_picture = redraw;
        by_id("timeline").append(track.canvas); // after the hairline, which lies over all canvases
        track.canvas.addEventListener("focus", redraw);
        track.canvas.addEventListener("blur", redraw);
    }
    watch(["from", "to", "first", "row_px", "shift"], moved);
    watch(["show"], () => {
        lay_out();
    });
    watch(["fn", "pin", "cursor"], redraw);
    watch(["rows", "groups", "time"], () => {
        for (const track of tracks) track.ask_whole();
        lay_out();
    });
    on_theme(redraw);
    new ResizeObserver(lay_out).observe(by_id("timeline"));
    for (const track of tracks) track.ask_whole();
    lay_out();
}
