// The status line: what is in view and in which resolution, whether questions are open, and what went wrong.
import {by_id} from "./dom.js";
import {duration, many, number} from "./words.js";
import {geometry} from "./geometry.js";
import {on_questions} from "./ask.js";
import {state} from "./state.js";
import {timeline} from "./timeline.js";

const error_ms = 20000;
let error_timer = 0;

export function tell_error(text) {
    by_id("status_error").textContent = text;
    clearTimeout(error_timer);
    error_timer = setTimeout(() => {
        by_id("status_error").textContent = "";
    }, error_ms);
}

function links_text(picture) {
    return ["messages", "waits", "collectives"]
        .filter((one) => picture[one] && state.show.includes(one))
        .map((one) => {
            const {slot_s, all} = picture[one];
            return `${one} ${duration(slot_s)} wide (${number(all.length)})`;
        });
}

function text_of(track) {
    const picture = track.near || track.whole;
    if (!picture) return "loading…";
    const [top, bottom] = track.rows_in_view();
    const rows = track.most_first > 0 ? `rows ${top + 1} to ${bottom + 1} of ${track.rows}` : many(track.rows, "row");
    const parts = [
        rows,
        `slots ${duration(picture.slot_s)} (asked for ${duration(picture.wanted_slot_s)})`,
        ...links_text(picture),
    ];
    if (picture.gathering) parts.push("single messages are being gathered, once: soon there is more to see");
    if (track.number === state.side && picture.took_ms) parts.push(`answered in ${Math.round(picture.took_ms)} ms`);
    return `${track.letter ? `${track.letter}: ` : ""}${parts.join(" · ")}`;
}

function draw() {
    if (timeline.moving) return;
    const base = `${duration(state.to - state.from)} of ${duration(geometry.end - geometry.begin)}`;
    by_id("status_view").textContent = [base, ...timeline.tracks.map(text_of)].join("  |  ");
}

export function start_status() {
    timeline.extras.push(draw);
    on_questions((open, error) => {
        by_id("status_busy").textContent = open > 0 ? "asking…" : "";
        if (error) tell_error(error);
    });
}
