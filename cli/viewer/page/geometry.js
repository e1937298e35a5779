// Where times are on the screen. Times here are those of the window in view; a trace may be shifted against it
// (track.js).
import {change, state} from "./state.js";

export const geometry = {
    width: 800,
    gutter: 120, // width of the names of rows, to the left of the plot
    begin: 0,
    end: 1, // begin, end: the limits of all traces
};
const least_window_s = 2e-9;

export function plot_width() {
    return Math.max(1, geometry.width - geometry.gutter);
}
export function seconds_a_pixel() {
    return (state.to - state.from) / plot_width();
}
export function x_of(time) {
    return geometry.gutter + (time - state.from) / seconds_a_pixel();
}
export function time_at(x) {
    return state.from + (x - geometry.gutter) * seconds_a_pixel();
}

// Moves a window into the run, of which it may leave an eighth of its width on either side.
export function within(from, to) {
    const run = geometry.end - geometry.begin;
    const length = Math.min(Math.max(to - from, least_window_s), 1.02 * run);
    const room = length / 8,
        middle = (from + to) / 2;
    from = Math.min(Math.max(middle - length / 2, geometry.begin - room), geometry.end + room - length);
    if (length > run) from = geometry.begin - (length - run) / 2;
    return {from, to: from + length};
}

export function pan(pixels) {
    const by = pixels * seconds_a_pixel();
    change(within(state.from + by, state.to + by));
}

// Zooms in if `factor` < 1. The time at x stays at x.
export function zoom(factor, x = geometry.gutter + plot_width() / 2) {
    const at = time_at(x);
    change(within(at - (at - state.from) * factor, at + (state.to - at) * factor));
}

export function whole() {
    return {from: geometry.begin, to: geometry.end};
}
