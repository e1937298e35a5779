// Handles the mouse (or pen, or finger) over the timeline and its axis.
import {by_id} from "./dom.js";
import {change, state} from "./state.js";
import {geometry, pan, seconds_a_pixel, time_at, zoom} from "./geometry.js";
import {hide_tooltip, show_tooltip} from "./tooltip.js";
import {moment} from "./words.js";
import {pick} from "./pick.js";
import {redraw, timeline} from "./timeline.js";
import {see} from "./moves.js";

const click_px = 4;
let drag = null; // {choosing, x, y, first, track, far}

function place(event, element) {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

function begin(event, element, track) {
    if (event.button !== 0) return;
    const [x, y] = place(event, element);
    element.setPointerCapture(event.pointerId);
    drag = {choosing: !track || event.shiftKey, x, y, begin_x: x, track, row: track?.first, begin_y: y, far: false};
    leave();
}

function move(event, element, track) {
    const [x, y] = place(event, element);
    if (!drag) return hover(event, track, x, y);
    if (Math.hypot(x - drag.begin_x, y - drag.begin_y) > click_px) drag.far = true;
    if (!drag.far) return undefined;
    if (drag.choosing) {
        const one = time_at(Math.max(geometry.gutter, drag.begin_x)),
            other = time_at(Math.max(geometry.gutter, x));
        timeline.chosen = {from: Math.min(one, other), to: Math.max(one, other)};
        return redraw();
    }
    element.classList.add("grabbed");
    pan(drag.x - x);
    drag.track.first = drag.row + (drag.begin_y - y) / drag.track.row_px;
    drag.x = x;
    return undefined;
}

function end(event, element, track) {
    if (!drag) return;
    const {choosing, far} = drag,
        [x, y] = place(event, element);
    drag = null;
    element.classList.remove("grabbed");
    const {chosen} = timeline;
    timeline.chosen = null;
    redraw();
    if (choosing && chosen) see(chosen.from, chosen.to);
    else if (!far && track) click(track, x, y);
}

function click(track, x, y) {
    if (x < geometry.gutter) {
        const row = track.row_at(y);
        if (row >= 0)
            change({
                cursor: {...(state.cursor || {}), trace: track.number, row, at: track.time_at(geometry.gutter + 1)},
                side: track.number,
            });
        return;
    }
    const found = pick(track, x, y);
    change({pin: found, side: track.number});
    if (found?.kind === "slot") change({cursor: found});
}

let hovered = 0;
function hover(event, track, x, y) {
    if (!track) return;
    cancelAnimationFrame(hovered);
    hovered = requestAnimationFrame(() => {
        show_tooltip(track, pick(track, x, y), event.clientX, event.clientY);
        show_hairline(x);
    });
}

// Shows the time at the mouse. The line is a separate element, so that nothing must be drawn again.
function show_hairline(x) {
    const line = by_id("hairline");
    line.hidden = x < geometry.gutter;
    line.style.left = `${x}px`;
    line.classList.toggle("left", x > geometry.width - 120);
    line.dataset.time = moment(time_at(x), seconds_a_pixel());
}

function leave() {
    cancelAnimationFrame(hovered);
    hide_tooltip();
    by_id("hairline").hidden = true;
}

function wheel(event, element, track) {
    event.preventDefault();
    leave();
    const [x] = place(event, element),
        by = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    if (event.shiftKey) return pan(by || event.deltaX);
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return pan(event.deltaX);
    if (track && (event.altKey || x < geometry.gutter)) {
        track.first += by / Math.max(20, track.row_px);
        return undefined;
    }
    return zoom(Math.exp(Math.min(500, Math.max(-500, by)) * 0.002), Math.max(geometry.gutter, x));
}

function listen(element, track) {
    element.addEventListener("pointerdown", (event) => begin(event, element, track));
    element.addEventListener("pointermove", (event) => move(event, element, track));
    element.addEventListener("pointerup", (event) => end(event, element, track));
    element.addEventListener("pointercancel", () => {
        drag = null;
    });
    element.addEventListener("pointerleave", leave);
    element.addEventListener("wheel", (event) => wheel(event, element, track), {passive: false});
    element.addEventListener("dblclick", (event) => zoom(event.shiftKey ? 2 : 0.5, place(event, element)[0]));
}

export function start_mouse() {
    for (const track of timeline.tracks) listen(track.canvas, track);
    listen(by_id("axis"), null);
}
