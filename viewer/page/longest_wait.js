// From a wait's line in a table to where in time it was.
import {ask_picture, quietly} from "./ask.js";
import {change} from "./state.js";
import {jump} from "./address.js";
import {within} from "./geometry.js";

const most_looks = 6,
    most_links = 2000;

// Where a rank waited most in that way: first of the whole run, then of what was found, until it is a single one.
async function find_longest(track, {kind, victim}) {
    let from = track.info.begin_s,
        to = track.info.end_s,
        found = null;
    for (let looks = 0; looks < most_looks; ++looks) {
        const about = {trace: track.number, from, to, pixels: 1024, group: victim, messages: most_links, values: 0};
        const picture = await quietly(ask_picture(about));
        const waits = (picture?.waits?.all || []).filter((one) => one[1] === kind);
        if (waits.length === 0) return found;
        const [, , count, begin_s, end_s] = waits.reduce((most, one) => (one[5] > most[5] ? one : most));
        found = {from: begin_s, to: end_s};
        if (count === 1 || (found.from <= from && found.to >= to)) return found;
        ({from, to} = found);
    }
    return found;
}

export async function to_longest_wait(track, wait) {
    const found = await find_longest(track, wait);
    const row = track.row_of_rank(wait.victim);
    if (!found || row < 0) return;
    const margin = Math.max(found.to - found.from, 1e-7);
    jump(within(found.from - track.shift - margin, found.to - track.shift + margin));
    track.show_row(row);
    const {from, to} = found;
    change({cursor: {kind: "slot", trace: track.number, row, at: (from + to) / 2, from, to}, side: track.number});
}
