// All keys in one table, which the help shows, too.
import {announce, by_id, button, fill, make} from "./dom.js";
import {change, flip, state} from "./state.js";
import {geometry, pan, plot_width, x_of, zoom} from "./geometry.js";
import {in_words} from "./describe.js";
import {messages_of} from "./pick.js";
import {move_row, move_slot, pin_cursor, track_with_focus} from "./cursor.js";
import {next_by_name, next_in_row} from "./search.js";
import {go_to, other_end, see, see_all, track_of, zoom_to} from "./moves.js";
import {other_theme} from "./theme.js";
import {timeline, redraw} from "./timeline.js";

const page = () => {
    const track = track_with_focus();
    return track.room / track.row_px;
};
const scroll = (rows) => {
    track_with_focus().first += rows;
};

// [keys, what they do, function]
const keys = [
    [["ArrowLeft"], "earlier", () => pan(-plot_width() / 10)],
    [["ArrowRight"], "later", () => pan(plot_width() / 10)],
    [["+", "="], "closer", () => zoom_at_cursor(0.6)],
    [["-", "_"], "farther", () => zoom_at_cursor(1 / 0.6)],
    [["Home"], "the whole run", see_all],
    [["End"], "the end of the run", () => see(geometry.end - (state.to - state.from), geometry.end)],
    [["ArrowUp"], "one row up (the cursor)", () => move_row(track_with_focus(), -1)],
    [["ArrowDown"], "one row down", () => move_row(track_with_focus(), 1)],
    [["PageUp"], "a screen of rows up", () => scroll(-page())],
    [["PageDown"], "a screen of rows down", () => scroll(page())],
    [["]", "Ctrl+ArrowRight"], "next slot of the row", () => move_slot(track_with_focus(), 1)],
    [["[", "Ctrl+ArrowLeft"], "previous slot of the row", () => move_slot(track_with_focus(), -1)],
    [["Enter", " "], "pin what is at the cursor", () => pin_cursor(track_with_focus())],
    [["z"], "zoom to what is pinned", () => state.pin && zoom_to(state.pin)],
    [["n"], "next call of the same function, in any row", () => next_by_name(1)],
    [["p"], "previous call of the same function", () => next_by_name(-1)],
    [["N"], "next call of the row", () => next_in_row(1)],
    [["P"], "previous call of the row", () => next_in_row(-1)],
    [["m"], "next message of the row", () => message_of_row()],
    [["o"], "the message's other end", () => state.pin?.kind === "message" && other_end(state.pin)],
    [["f"], "highlight the function at the cursor, or none", () => highlight()],
    [["/"], "find a function or place", () => by_id("search_input").focus()],
    [[">", "."], "higher rows", () => rows_higher(1.25)],
    [["<", ","], "lower rows", () => rows_higher(0.8)],
    [["0"], "rows as high as there is room", () => change({row_px: 0})],
    [["1"], "messages on or off", () => flip("messages")],
    [["2"], "waits on or off", () => flip("waits")],
    [["3"], "collectives on or off", () => flip("collectives")],
    [["4"], "critical path on or off", () => flip("path")],
    [["5"], "counters on or off", () => flip("counters")],
    [["6"], "rows in each function on or off", () => flip("quantity")],
    [["7"], "hatching where threads had no core on or off", () => flip("no_core")],
    [["t"], "dark or light", other_theme],
    [["Escape"], "let go: what is pinned, chosen, highlighted", () => escape()],
    [["?"], "this help", () => open_help()],
];
const mouse = [
    ["wheel", "closer, farther, around the mouse"],
    ["Shift + wheel", "earlier, later"],
    ["Alt + wheel, wheel over names", "rows"],
    ["drag", "move"],
    ["Shift + drag, drag in the axis", "choose a window to zoom to"],
    ["click", "pin: details and exact calls"],
    ["double click", "closer; with Shift farther"],
];

// If the cursor is in view, it keeps its place.
function zoom_at_cursor(factor) {
    const {cursor} = state,
        at = cursor ? cursor.at - track_of(cursor).shift : NaN;
    zoom(factor, at > state.from && at < state.to ? x_of(at) : undefined);
}

function rows_higher(factor) {
    change({row_px: Math.min(60, Math.max(3, Math.round(track_with_focus().row_px * factor * 10) / 10))});
    redraw();
}

function highlight() {
    const name = (state.cursor || state.pin)?.function_name || "";
    change({fn: state.fn === name ? "" : name});
}

function message_of_row() {
    const now = state.pin?.kind === "message" ? state.pin : state.cursor || state.pin;
    if (!now) return announce("choose a row first");
    const track = track_of(now),
        after = now.kind === "message" ? now.at : now.from;
    const list = messages_of(track, now.row, after + 1e-10, Infinity).sort((one, other) => one.at - other.at);
    if (list.length === 0) return announce("no later message of this row is loaded");
    go_to(list[0]);
    return announce(in_words(track, list[0]));
}

function escape() {
    timeline.chosen = null;
    if (state.pin) change({pin: null});
    else if (state.fn) change({fn: ""});
    else change({cursor: null});
    redraw();
}

export function open_help() {
    const row = (what, does) =>
        make(
            "tr",
            {},
            make(
                "th",
                {scope: "row"},
                what.map((one) => make("kbd", {}, one === " " ? "Space" : one.replace("Arrow", ""))),
            ),
            make("td", {}, does),
        );
    const help = by_id("help");
    fill(
        help,
        make("h2", {}, "Keys"),
        make(
            "div",
            {class: "help_columns"},
            make(
                "table",
                {},
                keys.slice(0, 18).map(([what, does]) => row(what, does)),
            ),
            make(
                "table",
                {},
                keys.slice(18).map(([what, does]) => row(what, does)),
            ),
            make(
                "table",
                {},
                mouse.map(([what, does]) => row([what], does)),
            ),
        ),
        button("Close", () => help.close(), {id: "close_help", autofocus: true}),
    );
    if (!help.open) help.showModal();
}

const by_key = new Map(keys.flatMap(([names, , run]) => names.map((name) => [name, run])));

// Whether the key belongs to a form element or a panel, which uses it itself.
function is_elsewhere(event) {
    const {target} = event;
    if (target.matches("input, select, textarea")) return true;
    const timeline_or_none = target === document.body || target.matches("canvas");
    return (
        !timeline_or_none &&
        ["Enter", " ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"].includes(
            event.key,
        )
    );
}

export function start_keys() {
    addEventListener("keydown", (event) => {
        if (event.altKey || event.metaKey || by_id("help").open || is_elsewhere(event)) return;
        const run = by_key.get(event.ctrlKey ? `Ctrl+${event.key}` : event.key);
        if (!run) return;
        event.preventDefault();
        run();
    });
    by_id("skip").addEventListener("click", (event) => {
        event.preventDefault();
        timeline.tracks[0].canvas.focus();
    });
}
