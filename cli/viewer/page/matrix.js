// A heat map of ranks by ranks, with names on hover. The scale is logarithmic, since traffic differs by powers of ten.
import {bytes, number} from "./words.js";
import {css, mixed} from "./colors.js";
import {by_id, fit_canvas} from "./dom.js";
import {hide_tooltip, show_text} from "./tooltip.js";
import {theme} from "./theme.js";

const edge = 26,
    scale_px = 100,
    least_px = 160;
const cold = {light: [222, 235, 247], dark: [32, 48, 66]},
    middle = {light: [49, 130, 189], dark: [64, 140, 200]},
    hot = {light: [122, 1, 60], dark: [255, 196, 77]};

function heat(share) {
    return share < 0.5
        ? mixed(cold[theme.name], middle[theme.name], share * 2)
        : mixed(middle[theme.name], hot[theme.name], share * 2 - 1);
}

// If there are more ranks than pixels, several ranks share a cell.
function cells_of(ranks, list, measure, cells) {
    const sums = new Map(),
        each = ranks / cells;
    for (const one of list) {
        const key = Math.floor(one.from / each) * cells + Math.floor(one.to / each);
        sums.set(key, (sums.get(key) || 0) + one[measure]);
    }
    return sums;
}

export function draw_matrix(canvas, ranks, list, measure) {
    const most_px = Math.max(least_px, by_id("panel").clientWidth - edge - scale_px - 24);
    const cells = Math.min(ranks, most_px),
        cell = Math.max(1, Math.min(28, Math.floor(most_px / cells))),
        side = cells * cell;
    const sums = cells_of(ranks, list, measure, cells),
        values = [...sums.values()].filter((one) => one > 0);
    const most = Math.max(1, ...values),
        least = Math.min(most, ...values);
    canvas.style.width = `${side + edge + scale_px}px`;
    canvas.style.height = `${side + edge + 4}px`;
    const context = fit_canvas(canvas, side + edge + scale_px, side + edge + 4);
    context.fillStyle = css(theme.faint);
    context.fillRect(edge, edge, side, side);
    const gap = cell >= 6 ? 1 : 0;
    for (const [key, value] of sums) {
        context.fillStyle = css(
            heat(most === least ? 1 : Math.log(Math.max(value, least) / least) / Math.log(most / least)),
        );
        context.fillRect(edge + (key % cells) * cell, edge + Math.floor(key / cells) * cell, cell - gap, cell - gap);
    }
    draw_edges(context, ranks, side);
    draw_scale(context, side, measure, least, most);
    hover(canvas, ranks, cells, cell, sums, measure);
}

function draw_edges(context, ranks, side) {
    context.fillStyle = css(theme.dim);
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "middle";
    const every = Math.max(1, 2 ** Math.ceil(Math.log2((ranks * 18) / side)));
    for (let rank = 0; rank < ranks; rank += every) {
        const at = edge + ((rank + 0.5) * side) / ranks;
        context.textAlign = "center";
        context.fillText(String(rank), at, edge - 8);
        context.textAlign = "right";
        context.fillText(String(rank), edge - 4, at);
    }
    context.textAlign = "left";
    context.fillText("to →", edge, 7);
}

function draw_scale(context, side, measure, least, most) {
    const high = Math.min(side, 120),
        x = side + edge + 14,
        text = measure === "bytes" ? bytes : number;
    for (let y = 0; y < high; ++y) {
        context.fillStyle = css(heat(1 - y / high));
        context.fillRect(x, edge + y, 12, 1);
    }
    context.fillStyle = css(theme.dim);
    context.fillText(text(most), x + 18, edge + 5);
    context.fillText(text(least), x + 18, edge + high - 5);
}

function hover(canvas, ranks, cells, cell, sums, measure) {
    canvas.onpointermove = (event) => {
        const box = canvas.getBoundingClientRect();
        const to = Math.floor((event.clientX - box.left - edge) / cell),
            from = Math.floor((event.clientY - box.top - edge) / cell);
        if (to < 0 || from < 0 || to >= cells || from >= cells) return hide_tooltip();
        const each = ranks / cells,
            name = (one) =>
                each === 1 ? `rank ${one}` : `ranks ${Math.ceil(one * each)} to ${Math.ceil((one + 1) * each) - 1}`;
        const value = sums.get(from * cells + to);
        return show_text(
            `${name(from)} to ${name(to)}`,
            [[measure, value === undefined ? "none" : measure === "bytes" ? bytes(value) : number(value)]],
            event.clientX,
            event.clientY,
        );
    };
    canvas.onpointerleave = hide_tooltip;
}
