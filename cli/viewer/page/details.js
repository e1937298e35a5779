// Everything about what is pinned: its description, the exact calls, and buttons to related places.
import {bullets, pairs_list, titled} from "./panel_elements.js";
import {button, by_id, fill, make} from "./dom.js";
import {change, state, watch} from "./state.js";
import {describe} from "./describe.js";
import {duration, shortened} from "./words.js";
import {go_to, other_end, track_of, zoom_to} from "./moves.js";
import {messages_of, waits_of} from "./pick.js";
import {next_by_name, next_in_row} from "./search.js";
import {show_calls, stop_calls} from "./calls.js";

const most_related = 12;

function message_button(track, pick) {
    const row = track.row_names[pick.at_end ? pick.from_row : pick.to_row];
    return button(`Other end: ${row}`, () => other_end(pick), {id: "other_end", title: "key o"});
}

function wait_button(track, pick) {
    if (pick.for_rank === "mixed") return null;
    return button(`Go to rank ${pick.for_rank}`, () => go_to_causer(track, pick), {id: "go_to_causer"});
}

function slot_buttons() {
    return [
        button("◂ in row", () => next_in_row(-1), {title: "previous call of this row (key P)"}),
        button("in row ▸", () => next_in_row(1), {title: "next call of this row (key N)"}),
        button("◂ same function", () => next_by_name(-1), {title: "previous call of this function (key p)"}),
        button("same function ▸", () => next_by_name(1), {title: "next call of this function (key n)"}),
    ];
}

const unpin_about = {id: "unpin", "aria-label": "Unpin", title: "Escape", class: "quiet"};

function buttons(track, pick) {
    return make(
        "div",
        {class: "buttons"},
        pick.kind === "message" ? message_button(track, pick) : null,
        pick.kind === "wait" ? wait_button(track, pick) : null,
        button("Zoom to it", () => zoom_to(pick), {id: "zoom_to_pin", title: "key z"}),
        pick.kind === "slot" ? slot_buttons() : null,
        button("✕", () => change({pin: null}), unpin_about),
    );
}

function go_to_causer(track, pick) {
    const row = track.row_of_rank(pick.for_rank);
    if (row < 0) return;
    track.show_row(row);
    change({cursor: {kind: "slot", trace: track.number, row, at: pick.to, from: pick.to, to: pick.to}});
}

function link_text(track, one) {
    const {title} = describe(track, one);
    if (one.kind === "message") return `${title}: ${track.row_names[one.from_row]} → ${track.row_names[one.to_row]}`;
    const whom = one.for_rank === "mixed" ? "several ranks" : `rank ${one.for_rank}`;
    return `${title}: ${duration(one.waited_s)} for ${whom}`;
}

// Waits that overlap the pinned slot, and messages that begin or end in it.
function related(track, pick) {
    if (pick.kind !== "slot") return null;
    const {row, from, to} = pick;
    const found = [...waits_of(track, row, from, to), ...messages_of(track, row, from, to)].slice(0, most_related);
    const items = found.map((one) => button(link_text(track, one), () => go_to(one), {class: "link"}));
    return titled("Waits and messages there", items.length > 0 && bullets(items, {id: "related"}));
}

function draw() {
    const pick = state.pin;
    const box = by_id("details");
    box.hidden = !pick;
    by_id("side").classList.toggle("with_details", Boolean(pick));
    if (!pick) {
        stop_calls();
        return void fill(box);
    }
    const track = track_of(pick);
    const {title, pairs} = describe(track, pick);
    const calls = make("div", {});
    const badge = track.letter ? make("span", {class: "badge"}, track.letter) : null;
    fill(
        box,
        make("h2", {id: "pin_title"}, badge, shortened(title, 300)),
        buttons(track, pick),
        pairs_list(pairs),
        calls,
        related(track, pick),
        make("div", {id: "source"}),
    );
    box.scrollTop = 0;
    show_calls(calls, track, pick);
}

export function start_details() {
    watch(["pin", "rows"], draw);
    draw();
}
