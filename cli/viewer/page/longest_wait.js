// Goes from a line of a table of waits to a long wait of that kind in the timeline.
import {ask_picture} from "./ask.js";
import {change} from "./state.js";
import {jump} from "./address.js";
import {tell_error} from "./status.js";
import {wait_pick} from "./pick.js";
import {within} from "./geometry.js";

const most_looks = 6,
    most_links = 2000;
const or_mixed = (one, wanted) => one === wanted || one === "mixed";

// Finds the longest wait of a rank. A picture may show several waits as one link. So the time of the longest link is
// searched again, until that link stands for a single wait.
async function find_longest(track, {kind, victim, name, causer}, from, to) {
    let found = null;
    for (let looks = 0; looks < most_looks; ++looks) {
        const about = {...track.which, from, to, pixels: 1024, group: victim, messages: most_links, values: 0};
        const {waits} = await ask_picture(about);
        const alike = waits.all.filter(
            (one) => one[1] === kind && or_mixed(one[6], name) && or_mixed(one[7], causer),
        );
        if (alike.length === 0) return found;
        found = alike.reduce((most, one) => (one[5] > most[5] ? one : most));
        const [, , count, begin_s, end_s] = found;
        if (count === 1 || (begin_s <= from && end_s >= to)) return found;
        [from, to] = [begin_s, end_s];
    }
    return found;
}

export async function to_longest_wait(track, wait, from = track.info.begin_s, to = track.info.end_s) {
    const row = track.row_of_rank(wait.victim);
    if (row < 0) return tell_error(`Rank ${wait.victim} has no row of its own here.`);
    let found = null;
    try {
        found = await find_longest(track, wait, from, to);
    } catch {
        return; // The status line shows the error.
    }
    if (!found) return tell_error(`Rank ${wait.victim} is not seen to wait there: it did so behind the last record.`);
    const pin = wait_pick(track, [row, ...found.slice(1)]);
    const margin = Math.max(pin.to - pin.from, 1e-7);
    jump(within(pin.from - track.shift - margin, pin.to - track.shift + margin));
    track.show_row(row);
    change({pin, cursor: pin, side: track.number});
}

// Does the same for a wait in the JSON of a report.
export function to_wait_of(track, {kind, victim, place, causer}) {
    return to_longest_wait(track, {kind, victim, name: place.function, causer});
}
