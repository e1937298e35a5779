// The functions in view, most time first. A chosen function is highlighted, and the others are dimmed.
import {by_id, make} from "./dom.js";
import {change, shows, state, watch} from "./state.js";
import {color_of, css} from "./colors.js";
import {duration, percent, shortened} from "./words.js";
import {on_theme, theme} from "./theme.js";
import {timeline} from "./timeline.js";
import {no_core_seconds, totals_between} from "./picture.js";

const at_first = 8,
    least_share = 0.0005; // Functions after the first `at_first` are hidden if their share is smaller.
let all_shown = false;

// Returns [[name, [seconds of each trace]]...].
function functions_in_view() {
    const sums = new Map();
    timeline.tracks.forEach((track, i) => {
        const picture = track.near || track.whole;
        if (!picture) return;
        for (const [number, seconds] of totals_between(picture, track.from, track.to)) {
            const name = track.function_name(number);
            if (!sums.has(name))
                sums.set(
                    name,
                    timeline.tracks.map(() => 0),
                );
            sums.get(name)[i] += seconds;
        }
    });
    const total = (times) => times.reduce((sum, one) => sum + one, 0);
    return [...sums].sort((one, other) => total(other[1]) - total(one[1]));
}

function entry([name, times], whole) {
    const seconds = times.reduce((sum, one) => sum + one, 0),
        chosen = state.fn === name;
    return make(
        "button",
        {
            type: "button",
            class: "legend_entry",
            "aria-pressed": String(chosen),
            "data-function": name,
            title: `${shortened(name, 200)}: ${duration(seconds)}, ${percent(seconds / whole)} of the time in view`,
            on: {click: () => change({fn: chosen ? "" : name})},
        },
        make("span", {
            class: name === "(tracer)" ? "swatch hatched" : "swatch",
            style: {backgroundColor: css(color_of(name, theme.name))},
        }),
        make("span", {class: "legend_name"}, shortened(name, 36)),
        make("span", {class: "legend_share"}, percent(seconds / whole)),
    );
}

function more(hidden) {
    return make(
        "button",
        {
            type: "button",
            class: "link",
            id: "legend_more",
            "aria-expanded": String(all_shown),
            on: {
                click: () => {
                    all_shown = !all_shown;
                    draw();
                    by_id("legend_more")?.focus();
                },
            },
        },
        all_shown ? "fewer" : `and ${hidden} more`,
    );
}

// How long threads had no core, where the time line is hatched for that.
function no_core_entry(seconds, whole) {
    const long = `${duration(seconds)}, ${percent(seconds / whole)} of the time in view`;
    return make(
        "span",
        {class: "legend_entry", id: "legend_no_core", title: `threads could run and had no core: ${long}`},
        make("span", {class: "swatch no_core"}),
        make("span", {class: "legend_name"}, "had no core"),
        make("span", {class: "legend_share"}, percent(seconds / whole)),
    );
}

function seconds_without_core() {
    if (!shows("no_core")) return 0;
    return timeline.tracks.reduce((sum, track) => {
        const picture = track.near || track.whole;
        return sum + (picture ? no_core_seconds(picture, track.from, track.to) : 0);
    }, 0);
}

let drawn = "";
function draw() {
    if (timeline.moving) return;
    const all = functions_in_view(),
        whole = all.reduce((sum, [, times]) => sum + times.reduce((a, b) => a + b, 0), 0) || 1;
    const share = ([, times]) => times.reduce((sum, one) => sum + one, 0) / whole;
    const shown = all.filter((one, i) => all_shown || i < at_first || share(one) >= least_share);
    if (state.fn && !shown.some(([name]) => name === state.fn))
        shown.unshift(all.find(([name]) => name === state.fn) || [state.fn, [0]]);
    const no_core_s = seconds_without_core();
    const text = JSON.stringify([
        (no_core_s / whole).toFixed(3),
        shown.map(([name, times]) => [name, times.map((one) => (one / whole).toFixed(3))]),
        state.fn,
        theme.name,
        all_shown,
    ]);
    if (text === drawn) return;
    drawn = text;
    const focused = document.activeElement?.dataset?.function;
    by_id("legend").replaceChildren(
        ...shown.map((one) => entry(one, whole)),
        no_core_s / whole >= least_share ? no_core_entry(no_core_s, whole) : "",
        all.length > shown.length || all_shown ? more(all.length - shown.length) : "",
    );
    if (focused) [...by_id("legend").children].find((one) => one.dataset.function === focused)?.focus();
}

export function start_legend() {
    timeline.extras.push(draw);
    watch(["fn", "show"], () => {
        drawn = "";
    });
    on_theme(() => {
        drawn = "";
    });
}
