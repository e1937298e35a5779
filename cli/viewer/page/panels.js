// The tabs beside the timeline, and when their panels are drawn again.
import {by_id, fill, make, toggle} from "./dom.js";
import {change, state, watch} from "./state.js";
import {chosen_track, profile_in_scope} from "./profiles.js";
import {balance} from "./panels/balance.js";
import {clocks} from "./panels/clocks.js";
import {collectives} from "./panels/collectives.js";
import {functions} from "./panels/functions.js";
import {losses} from "./panels/losses.js";
import {messages} from "./panels/messages.js";
import {on_theme} from "./theme.js";
import {places} from "./panels/places.js";
import {summary} from "./panels/summary.js";
import {text} from "./panels/text.js";
import {timeline} from "./timeline.js";
import {waits} from "./panels/waits.js";

const settle_ms = 300;
// `of` tells what the panel shows: the run, or the picture in view. Without `of` the user chooses run or window.
const panels = [
    {key: "summary", title: "Summary", make: summary},
    {key: "functions", title: "Functions", make: functions},
    {key: "places", title: "Places", make: places},
    {key: "balance", title: "Balance", make: balance},
    {key: "messages", title: "Messages", make: messages},
    {key: "collectives", title: "Collectives", make: collectives},
    {key: "waits", title: "Waits", make: waits, of: "run"},
    {key: "clocks", title: "Clocks", make: clocks, of: "run"},
    {key: "losses", title: "Losses", make: losses, of: "run"},
    {key: "text", title: "As text", make: text, of: "picture"},
];
let asked = null,
    timer = 0;

function chosen() {
    return panels.find(({key}) => key === state.tab) || panels[0];
}

async function draw() {
    timer = 0;
    asked?.abort();
    const now = (asked = new AbortController()),
        panel = chosen(),
        track = chosen_track(),
        box = by_id("panel");
    box.setAttribute("aria-busy", "true");
    try {
        const profile = panel.of ? null : await profile_in_scope(track, now.signal);
        const content = await panel.make(track, profile, now.signal);
        if (now.signal.aborted) return;
        fill(box, content);
    } catch (error) {
        if (error.name === "AbortError" || now.signal.aborted) return;
        fill(box, make("p", {class: "problem"}, error.message));
    }
    box.setAttribute("aria-busy", "false");
}

function draw_later(ms) {
    asked?.abort();
    clearTimeout(timer);
    timer = setTimeout(draw, ms);
}

function tabs() {
    const select = (panel) => {
        change({tab: panel.key});
        by_id(`tab_${panel.key}`).focus();
    };
    const step = (event) => {
        const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (!by) return;
        event.preventDefault();
        select(panels[(panels.indexOf(chosen()) + by + panels.length) % panels.length]);
    };
    fill(
        by_id("tabs"),
        panels.map((panel) =>
            make(
                "button",
                {
                    type: "button",
                    role: "tab",
                    id: `tab_${panel.key}`,
                    "aria-controls": "panel",
                    "aria-selected": String(panel === chosen()),
                    tabindex: panel === chosen() ? 0 : -1,
                    on: {click: () => select(panel), keydown: step},
                },
                panel.title,
            ),
        ),
    );
    by_id("panel").setAttribute("aria-labelledby", `tab_${chosen().key}`);
}

function scope() {
    const panel = chosen(),
        focused = document.activeElement?.id;
    const windows = panel.of
        ? []
        : [
              toggle("Whole run", state.scope === "run", () => change({scope: "run"}), {id: "scope_run"}),
              toggle("Window in view", state.scope === "window", () => change({scope: "window"}), {id: "scope_window"}),
          ];
    const about = {run: "of the whole run", picture: "of the window in view"}[panel.of];
    const sides =
        timeline.tracks.length < 2
            ? []
            : timeline.tracks.map((track) =>
                  toggle(track.letter, state.side === track.number, () => change({side: track.number}), {
                      id: `side_${track.letter}`,
                      title: track.info.name,
                  }),
              );
    fill(
        by_id("scope"),
        make("span", {class: "group"}, windows),
        about ? make("span", {class: "dim"}, about) : null,
        make("span", {class: "group"}, sides),
    );
    if (focused?.match(/^(scope|side)_/)) by_id(focused)?.focus();
}

function divider() {
    const bar = by_id("divider"),
        set = (px) => {
            document.documentElement.style.setProperty("--side", `${Math.max(240, Math.min(innerWidth * 0.6, px))}px`);
        };
    bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
    bar.addEventListener("pointermove", (event) => {
        if (event.buttons & 1) set(innerWidth - event.clientX);
    });
    bar.addEventListener("keydown", (event) => {
        const by = {ArrowLeft: 40, ArrowRight: -40}[event.key];
        if (by) set(by_id("side").clientWidth + by);
    });
}

export function panels_settled() {
    return timer === 0 && by_id("panel").getAttribute("aria-busy") !== "true";
}

export function start_panels() {
    watch(["tab", "scope", "side"], () => {
        tabs();
        scope();
        draw_later(0);
    });
    watch(["from", "to", "first", "rows", "shift"], () => {
        if (chosen().of === "picture" || (!chosen().of && state.scope === "window")) draw_later(settle_ms);
    });
    watch(["fn"], () => {
        if (chosen().key === "functions") draw_later(0);
    });
    on_theme(() => draw_later(0));
    tabs();
    scope();
    divider();
    draw_later(0);
}
