// The summary of the window in view: how efficient it was, and the waits that time was lost to.
import {ask_picture} from "../ask.js";
import {bullets, lead, note, titled} from "../panel_elements.js";
import {button, make} from "../dom.js";
import {change} from "../state.js";
import {duration, percent, wait_words} from "../words.js";
import {figures, meter} from "./figures.js";
import {to_longest_wait} from "../longest_wait.js";

const most_waits = 5,
    most_links = 2000,
    most_slots = 4e6; // in the answer to one question

// Shows the efficiencies that need no replay with an ideal network (POP: parallel = load balance x communication).
function efficiencies({balance: {other}, wall_s}) {
    return make("div", {id: "efficiencies"}, [
        meter(other.mean_s / wall_s, "parallel efficiency", "the time ranks computed, of all they had"),
        meter(other.ratio, "load balance", "how evenly they computed: 100 % is even"),
        meter(other.max_s / wall_s, "communication", "what the rank that computed most did not spend in MPI"),
    ]);
}

// Adds up waits by rank, kind, function and causing rank, as far as they lie in the window. The most time comes first.
function summed({waits, rows}, {from_s, to_s}) {
    const sums = new Map();
    for (const [row, kind, , begin_s, end_s, waited_s, name, causer] of waits?.all || []) {
        const inside = Math.min(end_s, to_s) - Math.max(begin_s, from_s);
        if (inside <= 0) continue;
        const key = JSON.stringify([row, kind, name, causer]);
        const sum = sums.get(key) || {who: rows[row], row, kind, name, causer, seconds: 0};
        sum.seconds += waited_s * Math.min(1, inside / Math.max(end_s - begin_s, 1e-12));
        sums.set(key, sum);
    }
    return [...sums.values()].sort((one, other) => other.seconds - one.seconds);
}

function wait_item(track, {wall_s, ranks, window}, {who, row, kind, name, causer, seconds}) {
    const where = name === "mixed" ? "several functions" : name;
    const whom = causer === "mixed" ? "several ranks" : `rank ${causer}`;
    const victim = Number(/\d+/.exec(who)?.[0] ?? row);
    const share = percent(seconds / (wall_s * ranks.length));
    return [
        make("strong", {}, `${wait_words(kind)}: ${duration(seconds)}, ${share}. `),
        `${who} waits in ${where} for ${whom}. `,
        button(
            "show a long one",
            () => to_longest_wait(track, {kind, victim, name, causer}, window.from_s, window.to_s),
            {class: "link"},
        ),
        " ",
        name === "mixed" ? null : button("highlight", () => change({fn: name}), {class: "link"}),
    ];
}

export async function summary_of_window(track, profile, signal) {
    const {from_s: from, to_s: to} = profile.window;
    const pixels = Math.max(1, Math.min(1024, Math.floor(most_slots / track.info.ranks)));
    const about = {trace: track.number, from, to, pixels, rows: "processes", messages: most_links, values: 0,
        at_once: 1};
    const picture = await ask_picture(about, signal),
        waits = summed(picture, profile.window);
    const waited = waits.reduce((sum, one) => sum + one.seconds, 0);
    const items = waits.slice(0, most_waits).map((one) => wait_item(track, profile, one));
    return [
        figures([
            ["window", duration(profile.wall_s)],
            ["in MPI", percent(profile.mpi_share)],
            ["waited", track.info.finished ? percent(waited / (profile.wall_s * profile.ranks.length)) : "–"],
            ["ranks", String(profile.ranks.length)],
        ]),
        efficiencies(profile),
        titled("Largest waits in view", items.length > 0 && bullets(items, {class: "worst", id: "worst_waits"}, "ol")),
        items.length === 0 && note("No rank waited in this window, or it was not found out: tactus finish does that."),
        picture.gathering &&
            note("Single waits are still being gathered: until then these are rough at the window's ends."),
        lead("Where waiting comes from, and what the network takes of it, is known of the whole run."),
    ];
}
