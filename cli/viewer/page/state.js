// What the page shows: a single object that only change() changes. Watchers are told which parts changed.

export const defaults = {
    from: 0,
    to: 1, // from, to: the window in view, in seconds since the begin of the run
    rows: "processes",
    groups: "", // lists of ranks such as "0-3 4-7", used when `rows` is "groups"
    first: [0, 0], // the row at the top of each trace
    row_px: 0, // height of a row; 0: as high as there is room
    time: "corrected",
    tab: "summary",
    scope: "run",
    show: ["messages", "waits", "collectives", "no_core"],
    counter: "",
    fn: "", // the function that is highlighted
    side: 0, // the trace that the panels are about
    shift: 0, // seconds by which the second trace is moved
    pin: null,
    cursor: null, // {trace, row, ...}: the place of the keyboard
};

export const state = {...defaults};
const watchers = [];

export function watch(keys, run) {
    watchers.push([keys, run]);
}

const same = (one, other) =>
    one === other || (Array.isArray(one) && Array.isArray(other) && one.join("\n") === other.join("\n"));

export function change(part) {
    const changed = Object.keys(part).filter((key) => !same(state[key], part[key]));
    if (changed.length === 0) return;
    for (const key of changed) state[key] = part[key];
    for (const [keys, run] of watchers) if (keys === null || keys.some((key) => changed.includes(key))) run(changed);
}

export function shows(what) {
    return state.show.includes(what);
}

export function flip(what) {
    change({show: shows(what) ? state.show.filter((one) => one !== what) : [...state.show, what]});
}
