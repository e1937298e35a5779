// Stacked areas that show how many threads are in each function over time. The overview uses them for the whole run,
// and a strip below the timeline for the window.
import {css, mixed} from "./colors.js";
import {fit_canvas, make} from "./dom.js";
import {geometry} from "./geometry.js";
import {shown_color} from "./draw_slots.js";
import {shows, state} from "./state.js";
import {theme} from "./theme.js";
import {timeline} from "./timeline.js";
import {totals_between} from "./picture.js";

const high = 64;
const bitmaps = new WeakMap();

// MPI is at the bottom, so that its height can be read from the base line. Regions are above it, and the application is
// on top.
function order_of(track, picture) {
    const rank = (name) => (name.startsWith("(") ? 2 : name.startsWith("MPI_") ? 0 : 1);
    const all = totals_between(picture, picture.from_s, picture.to_s).map(([number]) => number);
    return all.sort((one, other) => rank(track.function_name(one)) - rank(track.function_name(other)));
}

function paint_column(pixels, picture, slot, width, places, colors, capacity) {
    const times = new Array(places.size).fill(0);
    for (let i = picture.total_begin[slot]; i < picture.total_begin[slot + 1]; ++i)
        times[places.get(picture.total_function[i])] = picture.total_s[i];
    let below = 0;
    for (let i = 0; i < times.length; ++i) {
        const from = Math.round((below / capacity) * high),
            to = Math.round(((below += times[i]) / capacity) * high);
        for (let y = from; y < to && y < high; ++y) pixels[(high - 1 - y) * width + slot] = colors[i];
    }
}

function paint(track, picture) {
    const canvas = new OffscreenCanvas(Math.max(1, picture.slots), high),
        context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, high),
        pixels = new Uint32Array(image.data.buffer);
    const order = order_of(track, picture),
        places = new Map(order.map((number, i) => [number, i]));
    const colors = order.map((number) => {
        const [red, green, blue] = shown_color(track.function_name(number));
        return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    });
    const threads = picture.row_threads.reduce((sum, one) => sum + one, 0);
    for (let slot = 0; slot < picture.slots; ++slot)
        paint_column(pixels, picture, slot, canvas.width, places, colors, threads * picture.slot_s);
    context.putImageData(image, 0, 0);
    return canvas;
}

export function areas_of(track, picture) {
    const style = `${theme.version} ${state.fn}`;
    let made = bitmaps.get(picture);
    if (!made || made.style !== style) bitmaps.set(picture, (made = {style, canvas: paint(track, picture)}));
    return made.canvas;
}

function draw_strip(track, canvas) {
    const context = fit_canvas(canvas, geometry.width, high + 8);
    context.imageSmoothingEnabled = false;
    for (const picture of [track.whole, track.near]) {
        if (!picture) continue;
        const first = Math.max(0, Math.floor((track.from - picture.from_s) / picture.slot_s));
        const last = Math.min(picture.slots, Math.ceil((track.to - picture.from_s) / picture.slot_s));
        if (last <= first) continue;
        const x = track.x_of(picture.from_s + first * picture.slot_s),
            end = track.x_of(picture.from_s + last * picture.slot_s);
        context.fillStyle = css(theme.paper);
        context.fillRect(x, 4, end - x, high);
        context.drawImage(areas_of(track, picture), first, 0, last - first, high, x, 4, end - x, high);
    }
    context.fillStyle = css(theme.panel);
    context.fillRect(0, 0, geometry.gutter, high + 8);
    context.fillStyle = css(mixed(theme.paper, theme.ink, 0.6));
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    const threads = (track.near || track.whole)?.row_threads.reduce((sum, one) => sum + one, 0) || 0;
    context.fillText(`${threads} ${track.letter}`.trim(), geometry.gutter - 8, 10);
    context.fillText("threads in", geometry.gutter - 8, high / 2 + 4);
    context.fillText("0", geometry.gutter - 8, high);
    context.textAlign = "left";
}

export function quantity_strips() {
    if (!shows("quantity")) return [];
    return timeline.tracks.map((track) => {
        const canvas = make("canvas", {
            class: "strip",
            id: `quantity_${track.number}`,
            role: "img",
            style: {height: `${high + 8}px`},
            "aria-label": `How many threads of ${track.info.name} are in each function, over time`,
        });
        return {canvas, draw: () => draw_strip(track, canvas)};
    });
}
