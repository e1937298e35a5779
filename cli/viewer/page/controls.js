// The buttons and choices of the header.
import {button, by_id, choice, fill, make, toggle} from "./dom.js";
import {change, flip, shows, state, watch} from "./state.js";
import {open_help} from "./keys.js";
import {other_theme} from "./theme.js";
import {see_all} from "./moves.js";
import {shortened} from "./words.js";
import {sound_groups} from "./address.js";
import {timeline} from "./timeline.js";
import {zoom} from "./geometry.js";

const overlays = [
    ["messages", "Messages", "a line for each (key 1)"],
    ["waits", "Waits", "hatched where ranks waited (key 2)"],
    ["collectives", "Collectives", "bars above the rows (key 3)"],
    ["path", "Critical path", "what the run's length hangs on (key 4)"],
    ["counters", "Counters", "values that the program gave (key 5)"],
    ["quantity", "Quantities", "rows in each function (key 6)"],
    ["no_core", "No core", "hatched where threads could run and had no core (key 7)"],
];
const times = [
    ["corrected", "corrected time"],
    ["compensated", "without the tracer"],
    ["raw", "clocks as read"],
];

function rows_choice() {
    const has = (kind) => timeline.tracks.some((track) => (track.info.rows[kind] || []).length > 0);
    const options = [
        ["processes", "a row a process"],
        ["threads", "a row a thread"],
        ["hosts", "a row a host"],
        ["communicators", "a row a communicator"],
        ["all", "one row"],
        ["groups", "groups of ranks…"],
    ];
    return choice(
        "Rows",
        options.filter(([kind]) => kind === "groups" || has(kind)),
        state.rows,
        choose_rows,
        {id: "rows"},
    );
}

function choose_rows(rows) {
    const ranks = timeline.tracks[0].info.ranks,
        half = Math.max(1, Math.floor(ranks / 2));
    const groups = state.groups || (ranks > 1 ? `0-${half - 1} ${half}-${ranks - 1}` : "0");
    change({rows, first: [0, 0], cursor: null, pin: null, groups: rows === "groups" ? groups : state.groups});
}

function groups_input() {
    const input = make("input", {
        id: "groups",
        type: "text",
        size: 14,
        value: state.groups,
        "aria-label": "Groups of ranks, as 0-3 4-7",
        title: "groups of ranks, as 0-3 4-7,9",
        on: {
            change: () => {
                const groups = sound_groups(input.value);
                input.value = groups;
                if (groups) change({groups});
            },
        },
    });
    return input;
}

function sides() {
    if (timeline.tracks.length < 2) return [];
    const shift = make("input", {
        id: "shift",
        type: "number",
        step: "any",
        value: state.shift,
        "aria-label": "Seconds by which B is moved",
        title: "seconds by which B is moved",
        on: {change: () => change({shift: Number(shift.value) || 0})},
    });
    return [make("label", {class: "field"}, "B moved by", shift, "s")];
}

function draw() {
    const focused = document.activeElement?.id;
    fill(
        by_id("view_controls"),
        rows_choice(),
        state.rows === "groups" ? groups_input() : null,
        choice("Time", times, state.time, (time) => change({time, pin: null}), {id: "time"}),
        make(
            "span",
            {class: "group", role: "group", "aria-label": "Shown in the timeline"},
            overlays.map(([key, text, hint]) =>
                toggle(text, shows(key), () => flip(key), {id: `show_${key}`, title: hint}),
            ),
        ),
        sides(),
    );
    if (focused && by_id("view_controls").querySelector(`#${CSS.escape(focused)}`)) by_id(focused).focus();
}

function title() {
    const names = timeline.tracks.map((track) => shortened(track.info.name, 60));
    document.title = `${names.join(", ")} – tactus`;
    fill(
        by_id("trace_name"),
        timeline.tracks.map((track) =>
            make(
                "span",
                {class: "name", title: track.info.path},
                track.letter ? make("span", {class: "badge"}, track.letter) : null,
                shortened(track.info.name, 40),
            ),
        ),
    );
}

export function start_controls() {
    title();
    fill(
        by_id("page_controls"),
        make(
            "span",
            {class: "group"},
            button("−", () => zoom(1 / 0.6), {id: "zoom_out", "aria-label": "Farther", title: "farther (key -)"}),
            button("+", () => zoom(0.6), {id: "zoom_in", "aria-label": "Closer", title: "closer (key +)"}),
            button("Whole run", see_all, {id: "zoom_whole", title: "key Home"}),
        ),
        button("◐", other_theme, {id: "theme", "aria-label": "Dark or light", title: "dark or light (key t)"}),
        button("?", open_help, {id: "open_help", "aria-label": "Help: keys", title: "keys (?)"}),
    );
    watch(["show", "rows", "groups", "time", "shift"], draw);
    draw();
}
