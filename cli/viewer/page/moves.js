// Moves of the view that go into the browser's history, together with what they pin.
import {whole, within} from "./geometry.js";
import {jump} from "./address.js";
import {state} from "./state.js";
import {timeline} from "./timeline.js";

export function track_of(pick) {
    return timeline.tracks[pick?.trace] || timeline.tracks[state.side] || timeline.tracks[0];
}

export function see(from, to) {
    jump(within(from, to));
}
export function see_all() {
    jump(whole());
}

// Moves the window to `pick`. Its width stays the same, unless `pick` would not fit or would be too small to see.
export function go_to(pick, more = {}) {
    const track = track_of(pick),
        length = Math.max(pick.to - pick.from, 1e-9),
        now = state.to - state.from;
    const wide = pick.kind === "message" ? now : Math.min(Math.max(now, length * 1.3), length * 1000);
    const middle = (pick.kind === "message" ? pick.at : (pick.from + pick.to) / 2) - track.shift;
    if (pick.row >= 0) track.show_row(pick.row);
    const there = middle > state.from + now * 0.1 && middle < state.to - now * 0.1 && wide === now;
    jump({...(there ? {} : within(middle - wide / 2, middle + wide / 2)), pin: pick, ...more});
}

export function zoom_to(pick) {
    const track = track_of(pick),
        slack = (pick.to - pick.from) * 0.15 + 2e-9;
    see(pick.from - slack - track.shift, pick.to + slack - track.shift);
}

export function other_end(pick) {
    const at_end = !pick.at_end;
    go_to({...pick, at_end, at: at_end ? pick.to : pick.from, row: at_end ? pick.to_row : pick.from_row});
}
