// Profiles of the whole run and of the window in view. Each is asked for only once.
import {ask_json} from "./ask.js";
import {state} from "./state.js";
import {timeline} from "./timeline.js";

const kept = new Map(),
    most_kept = 40;

async function cached(key, question, about, signal) {
    if (kept.has(key)) return kept.get(key);
    const answer = await ask_json(question, about, signal);
    if (kept.size >= most_kept) kept.delete(kept.keys().next().value);
    kept.set(key, answer);
    return answer;
}

export function profile_of_run(track, signal) {
    return cached(`profile ${track.number}`, "profile", {trace: track.number}, signal);
}

// Returns the profile that the panels show: of the whole run, or of the window in view.
export function profile_in_scope(track, signal) {
    const {begin_s, end_s} = track.info;
    if (state.scope === "run" || (track.from <= begin_s && track.to >= end_s)) return profile_of_run(track, signal);
    const from = Math.max(track.from, begin_s),
        to = Math.min(track.to, end_s);
    if (to <= from) throw new Error("nothing of this trace is in view");
    return cached(`profile ${track.number} ${from} ${to}`, "profile", {trace: track.number, from, to}, signal);
}

export function clocks_of(track, signal) {
    return cached(`clocks ${track.number}`, "clocks", {trace: track.number}, signal);
}

export function chosen_track() {
    return timeline.tracks[state.side] || timeline.tracks[0];
}
