// The whole run in one line, with a frame around the window in view. Dragging moves the window.
import {areas_of} from "./quantity.js";
import {by_id, fit_canvas} from "./dom.js";
import {change, state} from "./state.js";
import {css} from "./colors.js";
import {geometry, plot_width, within} from "./geometry.js";
import {theme} from "./theme.js";
import {timeline} from "./timeline.js";

const high = 30;

function x_of(time) {
    return geometry.gutter + ((time - geometry.begin) / (geometry.end - geometry.begin)) * plot_width();
}

function draw() {
    const context = fit_canvas(by_id("overview"), geometry.width, high);
    const each = high / timeline.tracks.length;
    timeline.tracks.forEach((track, i) => {
        if (!track.whole) return;
        const x = x_of(track.whole.from_s - track.shift),
            end = x_of(track.whole.to_s - track.shift);
        context.drawImage(areas_of(track, track.whole), x, i * each + 1, end - x, each - 2);
    });
    const from = Math.max(geometry.gutter, x_of(state.from)),
        to = Math.min(geometry.width, x_of(state.to));
    context.fillStyle = css(theme.paper, 0.62);
    context.fillRect(geometry.gutter, 0, from - geometry.gutter, high);
    context.fillRect(to, 0, geometry.width - to, high);
    context.strokeStyle = css(theme.accent);
    context.lineWidth = 1.5;
    context.strokeRect(from + 0.75, 0.75, Math.max(2, to - from - 1.5), high - 1.5);
    context.fillStyle = css(theme.panel);
    context.fillRect(0, 0, geometry.gutter - 1, high);
    context.fillStyle = css(theme.dim);
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText("whole run", geometry.gutter - 8, high / 2);
    context.textAlign = "left";
}

function move(event) {
    if (!(event.buttons & 1)) return;
    const x = event.clientX - by_id("overview").getBoundingClientRect().left;
    const time = geometry.begin + ((x - geometry.gutter) / plot_width()) * (geometry.end - geometry.begin);
    const half = (state.to - state.from) / 2;
    change(within(time - half, time + half));
}

export function start_overview() {
    const canvas = by_id("overview");
    canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        move(event);
    });
    canvas.addEventListener("pointermove", move);
    timeline.extras.push(draw);
}
