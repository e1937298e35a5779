// Hatches the time in which threads were able to run and had no core: the upper part of high rows, whose lower part is
// for waits, and low rows as a whole.
import {css} from "./colors.js";
import {gap_of} from "./draw_slots.js";
import {geometry} from "./geometry.js";
import {hatched_pieces} from "./picture.js";
import {theme} from "./theme.js";

const tile_px = 8;
let pattern = null,
    pattern_of = -1;

// The lines lean to the left, those of waits and of the tracer to the right. Each is light and dark, so that it is seen
// on every color.
function leaning_left(context) {
    if (pattern && pattern_of === theme.version) return pattern;
    const canvas = new OffscreenCanvas(tile_px, tile_px),
        lines = canvas.getContext("2d");
    for (const [aside, width, style] of [
        [1.5, 1.5, css(theme.paper, 0.8)],
        [0, 1.5, css(theme.alarm, 0.9)],
    ]) {
        lines.strokeStyle = style;
        lines.lineWidth = width;
        for (const by of [-tile_px, 0, tile_px]) {
            lines.beginPath();
            lines.moveTo(by + aside - 1, -1);
            lines.lineTo(by + aside + tile_px + 1, tile_px + 1);
            lines.stroke();
        }
    }
    pattern_of = theme.version;
    return (pattern = context.createPattern(canvas, "repeat"));
}

export function draw_no_core(context, track, picture) {
    const high = Math.max(1, track.row_px - gap_of(track.row_px)),
        part = high >= 12 ? Math.max(5, high * 0.36) : high;
    const [top, bottom] = track.rows_in_view();
    context.fillStyle = leaning_left(context);
    for (let row = top; row <= bottom; ++row) {
        const there = row - picture.first_row;
        if (there < 0 || there >= picture.rows.length) continue;
        for (const {from, to} of hatched_pieces(picture, there, track.from, track.to)) {
            const x = Math.max(geometry.gutter, track.x_of(from)),
                right = Math.min(geometry.width, track.x_of(to));
            if (right > x) context.fillRect(x, track.y_of(row), right - x, part);
        }
    }
}
