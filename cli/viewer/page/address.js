// The view in the address: the part after # can be kept, sent to others, and gone back to.
import {change, defaults, state, watch} from "./state.js";

const words = ["rows", "groups", "time", "tab", "scope", "counter", "fn"];

function text_of(one) {
    const out = new URLSearchParams();
    out.set("from", one.from.toPrecision(12).replace(/\.?0+$/, ""));
    out.set("to", one.to.toPrecision(12).replace(/\.?0+$/, ""));
    for (const key of words) if (one[key] !== defaults[key]) out.set(key, one[key]);
    if (one.first.some((row) => row > 0)) out.set("first", one.first.map((row) => +row.toFixed(2)).join(","));
    if (one.row_px > 0) out.set("row_px", String(one.row_px));
    if (one.show !== defaults.show) out.set("show", one.show.join(","));
    if (one.side !== 0) out.set("trace", String(one.side));
    if (one.shift !== 0) out.set("shift", String(one.shift));
    if (one.pin) out.set("pin", [one.pin.trace, one.pin.row, one.pin.at.toPrecision(12)].join(","));
    return `#${out}`;
}

// Reads the state from an address. Invalid parts get their defaults. Only the place of the pin is returned, since a pin
// needs a picture.
export function read_address(hash = location.hash) {
    const given = new URLSearchParams(hash.slice(1)),
        part = {};
    const finite = (key) => (given.has(key) && Number.isFinite(+given.get(key)) ? +given.get(key) : null);
    const from = finite("from"),
        to = finite("to");
    if (from !== null && to !== null && to > from) Object.assign(part, {from, to});
    for (const key of words) part[key] = given.has(key) ? given.get(key) : defaults[key];
    part.groups = sound_groups(part.groups);
    if (part.rows === "groups" && !part.groups) part.rows = defaults.rows;
    if (!["corrected", "compensated", "raw"].includes(part.time)) part.time = defaults.time;
    const first = (given.get("first") || "").split(",").map(Number);
    part.first = [0, 1].map((i) => (first[i] > 0 ? first[i] : 0));
    part.row_px = Math.min(60, Math.max(0, finite("row_px") || 0));
    part.show = given.has("show")
        ? given
              .get("show")
              .split(",")
              .filter((one) => one)
        : defaults.show;
    part.side = finite("trace") === 1 ? 1 : 0;
    part.shift = finite("shift") || 0;
    const pin = (given.get("pin") || "").split(",").map(Number);
    const wanted_pin = pin.length === 3 && pin.every(Number.isFinite) ? {trace: pin[0], row: pin[1], at: pin[2]} : null;
    return {part, wanted_pin};
}

// Keeps only the groups that are valid lists of ranks.
export function sound_groups(text) {
    return text
        .split(/[\s;]+/)
        .filter((one) => /^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(one))
        .join(" ");
}

function keep_address() {
    const text = text_of(state);
    if (text !== location.hash) history.replaceState(null, "", text);
}

// Changes the view and adds it to the browser's history, so that the user can go back.
export function jump(part) {
    keep_address();
    change(part);
    const text = text_of(state);
    if (text !== location.hash) history.pushState(null, "", text);
}

// Browsers limit how often an address may change, so it is written after a quiet time.
const quiet_ms = 150;
let timer = 0;

export function address_kept() {
    return timer === 0;
}

export function follow_address(apply) {
    watch(null, () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            timer = 0;
            keep_address();
        }, quiet_ms);
    });
    addEventListener("popstate", () => {
        clearTimeout(timer);
        timer = 0;
        apply();
    });
}
