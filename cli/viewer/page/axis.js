// The time axis: marks at round times, and the window that the user is choosing.
import {by_id, fit_canvas} from "./dom.js";
import {css} from "./colors.js";
import {duration} from "./words.js";
import {geometry, plot_width, x_of} from "./geometry.js";
import {state} from "./state.js";
import {theme} from "./theme.js";

const axis_px = 26;
const label_px = 92;

// Returns 1, 2 or 5 times a power of ten.
function round_step(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((one) => one * power >= least);
}

export function ticks() {
    const step = round_step(((state.to - state.from) * label_px) / plot_width());
    const list = [];
    for (let k = Math.ceil(state.from / step); k * step <= state.to; ++k) list.push(k * step);
    return {step, list};
}

function unit_for(step) {
    return step >= 0.05 ? [1, "s"] : step >= 5e-5 ? [1e-3, "ms"] : step >= 5e-8 ? [1e-6, "µs"] : [1e-9, "ns"];
}

// If the digits would not fit, labels are relative to the first mark.
function label_of(step, first) {
    const [unit, name] = unit_for(step),
        places = Math.max(0, Math.ceil(-Math.log10((step / unit) * 1.0001)));
    const base = Math.abs(state.to / unit) >= 1e6 ? first : 0;
    return {base, text: (time) => `${base && time > base ? "+" : ""}${((time - base) / unit).toFixed(places)} ${name}`};
}

export function draw_axis(chosen) {
    const canvas = by_id("axis"),
        context = fit_canvas(canvas, geometry.width, axis_px);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const {step, list} = ticks(),
        label = label_of(step, list[0] ?? 0);
    for (const time of list) {
        const x = Math.round(x_of(time)) + 0.5;
        context.strokeStyle = css(theme.dim, 0.7);
        context.beginPath();
        context.moveTo(x, axis_px - 7);
        context.lineTo(x, axis_px);
        for (let i = 1; i < 5; ++i) {
            const small = Math.round(x_of(time + (i * step) / 5)) + 0.5;
            context.moveTo(small, axis_px - 3);
            context.lineTo(small, axis_px);
        }
        context.stroke();
        context.fillStyle = css(theme.dim);
        const text = label.base && time === list[0] ? duration(time) : label.text(time);
        if (x + 4 < geometry.width - 20) context.fillText(text, x + 3, axis_px / 2 - 3);
    }
    context.fillStyle = css(theme.panel);
    context.fillRect(0, 0, geometry.gutter, axis_px);
    context.fillStyle = css(theme.ink);
    context.textAlign = "right";
    context.fillText(duration(state.to - state.from), geometry.gutter - 8, axis_px / 2);
    context.textAlign = "left";
    if (!chosen) return;
    const from = x_of(chosen.from),
        to = x_of(chosen.to);
    context.fillStyle = css(theme.accent, 0.25);
    context.fillRect(from, 0, to - from, axis_px);
    context.fillStyle = css(theme.accent);
    context.font = "bold 11px system-ui, sans-serif";
    context.fillText(duration(chosen.to - chosen.from), Math.min(from + 4, geometry.width - 70), axis_px / 2);
}
