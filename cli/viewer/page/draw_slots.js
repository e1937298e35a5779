// Draws the functions. Slots are columns of a bitmap, which is only stretched during a move. Calls that are longer than
// a few pixels are drawn at their exact times, with their names.
import {bounds, slots_between} from "./picture.js";
import {color_of, css, ink_on, mixed} from "./colors.js";
import {geometry} from "./geometry.js";
import {shortened} from "./words.js";
import {state} from "./state.js";
import {theme} from "./theme.js";

const shade_steps = 16;
const letter_px = 6.3; // average width of a letter in the font below
const least_span_px = 3, // The bitmap is good enough for shorter calls,
    least_low_span_px = 24; // and in low rows, which have no room for names and edges, also for longer calls.
const most_moving = 4000; // calls that are drawn during a move
const bitmaps = new WeakMap();

const pack = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

// Returns the colors of a function, by the share of a slot that it fills. They are pale for a small share.
function shades_of(name) {
    const full = shown_color(name);
    return Array.from({length: shade_steps}, (_, i) =>
        pack(mixed(theme.paper, full, 0.42 + (0.58 * i) / (shade_steps - 1))),
    );
}

export function shown_color(name) {
    const color = color_of(name, theme.name);
    return state.fn && state.fn !== name ? mixed(color, theme.paper, 0.82) : color;
}

function paint(track, picture) {
    const {slots, rows} = picture;
    const canvas = new OffscreenCanvas(Math.max(1, slots), Math.max(1, rows.length));
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const shades = new Map();
    for (let row = 0; row < rows.length; ++row) {
        const line = row * canvas.width;
        for (let i = picture.row_begin[row]; i < picture.row_begin[row + 1]; ++i) {
            const number = picture.function[i];
            let shade = shades.get(number);
            if (!shade) shades.set(number, (shade = shades_of(track.function_name(number))));
            const full = (picture.share[i] / 255) * (picture.busy[i] / 255);
            pixels.fill(
                shade[Math.round(full * (shade_steps - 1))],
                line + picture.first[i],
                line + picture.last[i] + 1,
            );
        }
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

function bitmap_of(track, picture) {
    const style = `${theme.version} ${state.fn}`;
    let made = bitmaps.get(picture);
    if (!made || made.style !== style) bitmaps.set(picture, (made = {style, canvas: paint(track, picture)}));
    return made.canvas;
}

// Draws only the columns in view, because coordinates far outside are too large for a canvas.
export function draw_bitmap(context, track, picture) {
    const bitmap = bitmap_of(track, picture);
    const first = Math.max(0, Math.floor((track.from - picture.from_s) / picture.slot_s));
    const last = Math.min(picture.slots, Math.ceil((track.to - picture.from_s) / picture.slot_s));
    if (last <= first) return;
    const x = track.x_of(picture.from_s + first * picture.slot_s),
        end = track.x_of(picture.from_s + last * picture.slot_s);
    const [top, bottom] = track.rows_in_view();
    const row = Math.max(0, top - picture.first_row),
        rows = Math.min(picture.rows.length - row, bottom + 1 - top);
    if (rows <= 0) return;
    const y = track.y_of(row + picture.first_row),
        high = rows * track.row_px;
    context.fillStyle = css(theme.paper); // hides a coarser picture below where this one is empty
    context.fillRect(x, y, end - x, high);
    context.imageSmoothingEnabled = false;
    context.drawImage(bitmap, first, row, last - first, rows, x, y, end - x, high);
}

let hatch = null,
    hatch_of = "";
export function hatching(context, ink = [0, 0, 0], alpha = 0.55) {
    const key = `${ink} ${alpha}`;
    if (hatch && hatch_of === key) return hatch;
    const canvas = new OffscreenCanvas(6, 6),
        lines = canvas.getContext("2d");
    lines.strokeStyle = css(ink, alpha);
    lines.lineWidth = 1.4;
    for (const by of [-6, 0, 6]) {
        lines.beginPath();
        lines.moveTo(by - 1, 7);
        lines.lineTo(by + 7, -1);
        lines.stroke();
    }
    hatch_of = key;
    return (hatch = context.createPattern(canvas, "repeat"));
}

function name_on(name, width) {
    const room = Math.floor((width - 8) / letter_px);
    if (name.length <= room) return name;
    const short = name.replace(/^MPI_/, "");
    return room < 3 ? "" : shortened(short, room);
}

// Draws at most `most` calls, and returns how many it drew.
function draw_row_spans(context, track, picture, row, y, high, most) {
    const [begin, end] = slots_between(picture, row, track.from, track.to);
    const least = high >= 6 ? least_span_px : least_low_span_px;
    let drawn = 0;
    for (let i = begin; i < end && drawn < most; ++i) {
        if (!picture.span[i]) continue;
        const {from, to} = bounds(picture, i);
        const x = Math.max(geometry.gutter, track.x_of(from)),
            right = Math.min(geometry.width, track.x_of(to));
        if (right - x < least) continue;
        drawn += 1;
        const name = track.function_name(picture.function[i]),
            color = shown_color(name);
        context.fillStyle = css(color);
        context.fillRect(x, y, right - x, high);
        if (name === "(tracer)") {
            context.fillStyle = hatching(context);
            context.fillRect(x, y, right - x, high);
            continue;
        }
        if (track.x_of(from) > geometry.gutter && high >= 6) {
            context.fillStyle = css(mixed(color, [0, 0, 0], 0.28));
            context.fillRect(x, y, 1, high);
        }
        if (high < 11 || right - x < 26 || (name === "(application)" && right - x < 90)) continue;
        context.fillStyle = name.startsWith("(") ? css(theme.dim) : ink_on(color);
        context.fillText(name_on(name, right - x), x + 4, y + high / 2 + 0.5);
    }
    return drawn;
}

export function draw_spans(context, track, picture, moving) {
    const gap = gap_of(track.row_px);
    const [top, bottom] = track.rows_in_view();
    let left = moving ? most_moving : 1e6;
    context.font = `${track.row_px >= 18 ? 11 : 10}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    for (let row = top; row <= bottom && left > 0; ++row) {
        const there = row - picture.first_row;
        if (there < 0 || there >= picture.rows.length) continue;
        left -= draw_row_spans(context, track, picture, there, track.y_of(row), track.row_px - gap, left);
    }
}

export function gap_of(row_px) {
    return row_px >= 16 ? 2 : row_px >= 5 ? 1 : 0;
}

export function draw_gaps(context, track) {
    const gap = gap_of(track.row_px);
    if (gap === 0) return;
    const [top, bottom] = track.rows_in_view();
    context.fillStyle = css(theme.paper);
    for (let row = top; row <= bottom; ++row)
        context.fillRect(geometry.gutter, track.y_of(row + 1) - gap, geometry.width, gap);
}
