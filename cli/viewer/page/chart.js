// A small chart of lines over time, with a bar at each point for its uncertainty.
import {color_of, css} from "./colors.js";
import {fit_canvas, make} from "./dom.js";
import {duration} from "./words.js";
import {hide_tooltip, show_text} from "./tooltip.js";
import {theme} from "./theme.js";

const wide = 420,
    high = 180,
    left = 74,
    foot = 18;

function range(lines) {
    const points = lines.flatMap((line) => line.points);
    const least = (value) => points.reduce((sum, one) => Math.min(sum, value(one)), Infinity);
    const most = (value) => points.reduce((sum, one) => Math.max(sum, value(one)), -Infinity);
    const box = {
        x0: least((one) => one.x),
        x1: most((one) => one.x),
        y0: least((one) => one.y - one.half),
        y1: most((one) => one.y + one.half),
    };
    if (box.x1 <= box.x0) box.x1 = box.x0 + 1;
    if (box.y1 <= box.y0) [box.y0, box.y1] = [box.y0 - 1e-9, box.y1 + 1e-9];
    return box;
}

function draw_line(context, line, x_of, y_of) {
    const color = color_of(`clock of ${line.name}`, theme.name);
    context.strokeStyle = context.fillStyle = css(color);
    context.beginPath();
    for (const {x, y} of line.points) context.lineTo(x_of(x), y_of(y));
    context.stroke();
    for (const {x, y, half} of line.points) {
        context.fillRect(x_of(x) - 1.5, y_of(y) - 1.5, 3, 3);
        context.fillRect(x_of(x) - 0.5, y_of(y + half), 1, Math.max(1, y_of(y - half) - y_of(y + half)));
    }
}

export function chart(id, lines, what) {
    const canvas = make("canvas", {
        id,
        role: "img",
        "aria-label": `${what}, over time; the table below has the numbers`,
        style: {width: `${wide}px`, height: `${high}px`},
    });
    const context = fit_canvas(canvas, wide, high),
        {x0, x1, y0, y1} = range(lines);
    const x_of = (x) => left + ((x - x0) / (x1 - x0)) * (wide - left - 8),
        y_of = (y) => 8 + ((y1 - y) / (y1 - y0)) * (high - foot - 16);
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const share of [0, 0.5, 1]) {
        const y = y0 + (y1 - y0) * share,
            x = x0 + (x1 - x0) * share;
        context.fillStyle = css(theme.line);
        context.fillRect(left, y_of(y), wide - left - 8, 1);
        context.fillStyle = css(theme.dim);
        context.textAlign = "right";
        context.fillText(duration(y), left - 6, y_of(y));
        context.textAlign = share === 0 ? "left" : share === 1 ? "right" : "center";
        context.fillText(duration(x), x_of(x), high - foot / 2);
    }
    for (const line of lines) draw_line(context, line, x_of, y_of);
    hover(canvas, lines, x_of, y_of);
    return canvas;
}

function hover(canvas, lines, x_of, y_of) {
    canvas.onpointermove = (event) => {
        const box = canvas.getBoundingClientRect(),
            x = event.clientX - box.left,
            y = event.clientY - box.top;
        let best = null,
            least = 14;
        for (const line of lines)
            for (const point of line.points) {
                const far = Math.hypot(x_of(point.x) - x, y_of(point.y) - y);
                if (far < least) [best, least] = [{line, point}, far];
            }
        if (!best) return hide_tooltip();
        return show_text(
            best.line.name,
            [
                ["at", duration(best.point.x)],
                ["offset", duration(best.point.y)],
                ["±", duration(best.point.half)],
            ],
            event.clientX,
            event.clientY,
        );
    };
    canvas.onpointerleave = hide_tooltip;
}
