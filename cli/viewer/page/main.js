// Starts the page: asks which traces there are, takes the view from the address, and starts all parts.
import {ask_json, open_questions, quietly} from "./ask.js";
import {by_id, fill, make} from "./dom.js";
import {change, shows, state, watch} from "./state.js";
import {learn_colors} from "./colors.js";
import {learn_wait_names} from "./words.js";
import {address_kept, follow_address, read_address} from "./address.js";
import {geometry, whole, within} from "./geometry.js";
import {is_settled, pictures_settled, redraw, start_timeline, timeline} from "./timeline.js";
import {panels_settled, start_panels} from "./panels.js";
import {start_controls} from "./controls.js";
import {pick_time} from "./pick.js";
import {start_details} from "./details.js";
import {start_keys} from "./keys.js";
import {start_legend} from "./legend.js";
import {start_mouse} from "./mouse.js";
import {start_overview} from "./overview.js";
import {start_search} from "./search.js";
import {start_status, tell_error} from "./status.js";
import {start_strips} from "./strips.js";
import {start_theme} from "./theme.js";
import {Track} from "./track.js";

// Applies the address to the page. What was pinned is looked up in the picture as soon as there is one.
function apply_address() {
    const {part, wanted_pin} = read_address();
    if (part.from === undefined) Object.assign(part, whole());
    else Object.assign(part, within(part.from, part.to));
    if (!timeline.tracks.some((track) => track.info.rows[part.rows]) && part.rows !== "groups") part.rows = "processes";
    change({...part, pin: null});
    if (wanted_pin) pin_later(wanted_pin);
}

async function pin_later({trace, row, at}) {
    const track = timeline.tracks[trace];
    if (!track || row >= track.rows) return;
    await settled();
    const pin = pick_time(track, row, at);
    if (pin && !state.pin) change({pin});
}

// Asks for the critical paths when they are shown for the first time.
async function get_paths() {
    if (!shows("path")) return;
    for (const track of timeline.tracks) {
        if (track.path || track.path_asked) continue;
        track.path_asked = true;
        const answer = await quietly(ask_json("path", {trace: track.number}));
        track.path = answer?.path || null;
        track.path_asked = Boolean(answer);
        if (answer?.left_out) tell_error(`The critical path has ${answer.left_out} short pieces more than are drawn.`);
        redraw();
    }
}

function limits() {
    const {tracks} = timeline;
    geometry.begin = Math.min(...tracks.map((track) => track.info.begin_s - track.shift));
    geometry.end = Math.max(...tracks.map((track) => track.info.end_s - track.shift));
    if (!(geometry.end > geometry.begin)) geometry.end = geometry.begin + 1e-6;
}

function settled() {
    return new Promise((resolve) => {
        const look = () =>
            is_settled() && panels_settled() && address_kept() && open_questions() === 0
                ? resolve()
                : setTimeout(look, 10);
        setTimeout(look, 0);
    });
}

// Waits until the pictures are drawn, but not for the panels beside them.
async function drawn() {
    do await new Promise((done) => requestAnimationFrame(done));
    while (!pictures_settled());
}

// Waits until there are pictures, which may still get finer.
async function pictured() {
    do await new Promise((done) => requestAnimationFrame(done));
    while (!pictures_settled((track) => track.asked && !track.has_quick));
}

function shown_state() {
    const [track] = timeline.tracks;
    return {
        ...state,
        frames: timeline.frames,
        moving: timeline.moving,
        row_count: track.rows,
        messages_drawn: timeline.messages_drawn,
        slot_s: track.near?.slot_s,
        wanted_slot_s: track.near?.wanted_slot_s,
        gutter: geometry.gutter,
        rows_in_view: track.rows_in_view(),
        first_row: track.first,
        row_height: track.row_px,
        top: track.top,
    };
}

async function start() {
    start_theme();
    window.tactus_test = {settled, drawn, pictured, state: shown_state};
    const {traces} = await ask_json("traces");
    timeline.tracks = traces.slice(0, 2).map((info, i, all) => new Track(info, i, all.length));
    traces.forEach(learn_colors);
    traces.forEach(learn_wait_names);
    limits();
    apply_address();
    start_status();
    start_timeline(timeline.tracks);
    start_overview();
    start_legend();
    start_strips();
    start_controls();
    start_mouse();
    start_keys();
    start_search();
    start_details();
    start_panels();
    watch(["show"], get_paths);
    watch(["shift"], limits);
    get_paths();
    follow_address(apply_address);
}

start().catch((error) => {
    tell_error(error.message);
    fill(by_id("timeline"), make("p", {class: "problem"}, error.message));
});
