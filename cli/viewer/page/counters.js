// A strip for each trace that shows one counter of VT.h over time. A band goes from the least to the greatest value of
// all rows. A line shows the last value in the cursor's row, or the mean of all rows if there is no cursor.
import {choice, fit_canvas, make} from "./dom.js";
import {change, shows, state} from "./state.js";
import {color_of, css} from "./colors.js";
import {geometry} from "./geometry.js";
import {number, shortened} from "./words.js";
import {redraw, timeline} from "./timeline.js";
import {theme} from "./theme.js";

const high = 84,
    foot = 6,
    letter = 6; // approximate width of a letter in the labels

function counter_names(track) {
    return track.near?.counters?.names || [];
}

function chosen(track) {
    const names = counter_names(track).map(({name}) => name);
    return Math.max(0, names.indexOf(state.counter));
}

const graphs = new WeakMap();
function graph_of(picture, counter, row) {
    const made = graphs.get(picture);
    if (made && made.counter === counter && made.row === row) return made.graph;
    const graph = make_graph(picture, counter, row);
    graphs.set(picture, {counter, row, graph});
    return graph;
}

// Returns [{begin, least, greatest, ...}...] by time, over all rows. `own` is the value of the chosen row.
function make_graph(picture, counter, row) {
    const slots = new Map();
    for (const [of_row, which, begin, , least, greatest, last] of picture.counters.all) {
        if (which !== counter) continue;
        const slot = slots.get(begin);
        if (!slot) slots.set(begin, {begin, least, greatest, sum: last, rows: 1, own: of_row === row ? last : null});
        else {
            slot.least = Math.min(slot.least, least);
            slot.greatest = Math.max(slot.greatest, greatest);
            slot.sum += last;
            slot.rows += 1;
            if (of_row === row) slot.own = last;
        }
    }
    return [...slots.values()].sort((one, other) => one.begin - other.begin);
}

function draw_line(context, track, graph, y_of, value_of) {
    context.beginPath();
    let started = false,
        before = 0;
    for (const slot of graph) {
        const value = value_of(slot);
        if (value === null) continue;
        const x = track.x_of(slot.begin);
        if (started) context.lineTo(x, before);
        before = y_of(value);
        if (started) context.lineTo(x, before);
        else context.moveTo(x, before);
        started = true;
    }
    if (started) context.lineTo(track.x_of(graph[graph.length - 1].begin + (track.near.counters.slot_s || 0)), before);
    context.stroke();
}

function draw_graph(context, track, graph, slot_s, row) {
    const seen = graph.filter(({begin}) => begin + slot_s >= track.from && begin <= track.to);
    if (seen.length === 0) return null;
    let least = Math.min(...seen.map((slot) => slot.least));
    const greatest = Math.max(...seen.map((slot) => slot.greatest));
    if (least > 0 && least < greatest / 2) least = 0;
    const range = greatest - least || 1,
        y_of = (value) => high - foot - ((value - least) / range) * (high - 2 * foot);
    const color = color_of("a counter", theme.name);
    context.fillStyle = css(color, 0.45);
    for (const slot of seen) {
        const x = track.x_of(slot.begin),
            y = y_of(slot.greatest);
        context.fillRect(x, y, Math.max(1, track.x_of(slot.begin + slot_s) - x), Math.max(1, y_of(slot.least) - y));
    }
    context.strokeStyle = css(row >= 0 ? theme.accent : color);
    context.lineWidth = 1.4;
    draw_line(context, track, seen, y_of, (slot) => (row >= 0 ? slot.own : slot.sum / slot.rows));
    return {least, greatest};
}

function draw(track, canvas) {
    const context = fit_canvas(canvas, geometry.width, high),
        names = counter_names(track),
        which = chosen(track);
    const row = state.cursor?.trace === track.number ? state.cursor.row : -1;
    let range = null;
    if (names.length > 0) {
        range = draw_graph(context, track, graph_of(track.near, which, row), track.near.counters.slot_s, row);
    }
    context.fillStyle = css(theme.panel);
    context.fillRect(0, 0, geometry.gutter, high);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = css(theme.dim);
    context.textAlign = "right";
    const unit = names[which]?.unit ? ` ${names[which].unit}` : "";
    const lines = range
        ? [
              [number(range.greatest) + unit, 12],
              [row >= 0 ? track.row_names[row] : "mean, range", high / 2 + 14],
              [number(range.least) + unit, high - 4],
          ]
        : [[names.length ? "no values here" : "no counters", high / 2 + 14]];
    const most = Math.floor((geometry.gutter - 12) / letter); // Only units are cut off, since numbers come first.
    for (const [text, y] of lines) context.fillText(shortened(text, most), geometry.gutter - 8, y);
    context.textAlign = "left";
}

function choose_box(track) {
    const box = make("span", {class: "strip_choice"});
    let known = "";
    return {
        box,
        renew: () => {
            const names = counter_names(track).map(({name}) => name),
                text = JSON.stringify(names);
            if (text === known || names.length === 0) return;
            known = text;
            box.replaceChildren(
                choice(
                    "Counter",
                    names.map((name) => [name, shortened(name, 40)]),
                    names[chosen(track)],
                    (counter) => {
                        change({counter});
                        redraw();
                    },
                    {id: `counter_${track.number}`},
                ),
            );
        },
    };
}

export function counter_strips() {
    if (!shows("counters")) return [];
    return timeline.tracks.map((track) => {
        const canvas = make("canvas", {
            class: "strip",
            id: `counters_${track.number}`,
            role: "img",
            style: {height: `${high}px`},
            "aria-label": `A counter of ${track.info.name} over time`,
        });
        const {box, renew} = choose_box(track);
        return {
            canvas,
            box,
            draw: () => {
                renew();
                draw(track, canvas);
            },
        };
    });
}
