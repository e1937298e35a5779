// Draws the names of rows in the gutter, and marks the chosen row.
import {css} from "./colors.js";
import {gap_of} from "./draw_slots.js";
import {geometry} from "./geometry.js";
import {shortened} from "./words.js";
import {theme} from "./theme.js";

const least_label_px = 10,
    letter_px = 6.2;

export function gutter_for(tracks) {
    const longest = Math.max(
        4,
        ...tracks.map((track) => Math.max(...track.row_names.slice(0, 2000).map((name) => name.length))),
    );
    return Math.round(Math.min(190, Math.max(88, longest * letter_px + 22)));
}

// If rows are too low for names, only every second, fourth, eighth, ... row has one.
export function draw_names(context, track, chosen) {
    context.fillStyle = css(theme.panel);
    context.fillRect(0, 0, geometry.gutter, track.height);
    context.fillStyle = css(theme.line);
    context.fillRect(geometry.gutter - 1, 0, 1, track.height);
    const [top, bottom] = track.rows_in_view();
    let every = 1;
    if (track.row_px < least_label_px) while (every * track.row_px < least_label_px + 2) every *= 2;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let row = top; row <= bottom; ++row) {
        if (row % every !== 0 && row !== chosen) continue;
        const y = track.y_of(row) + (Math.max(every === 1 ? track.row_px : 10, 3) - gap_of(track.row_px)) / 2;
        if (row === chosen) {
            context.fillStyle = css(theme.accent, 0.25);
            context.fillRect(0, track.y_of(row), geometry.gutter - 1, Math.max(3, track.row_px));
        }
        if (
            y < track.top - 1 ||
            (every > 1 && chosen >= 0 && row !== chosen && Math.abs(row - chosen) * track.row_px < 11)
        )
            continue;
        context.fillStyle = css(row === chosen ? theme.ink : theme.dim);
        context.fillText(
            shortened(track.row_names[row], Math.floor((geometry.gutter - 14) / letter_px)),
            geometry.gutter - 8,
            y,
        );
    }
    context.textAlign = "left";
    if (!track.letter) return;
    context.fillStyle = css(theme.accent);
    context.font = "bold 11px system-ui, sans-serif";
    context.fillText(track.letter, 6, 9);
}

// Shows how many rows there are above and below those in view.
export function draw_scrollbar(context, track) {
    if (track.most_first <= 0) return;
    const high = (track.room * track.room) / (track.rows * track.row_px),
        y = track.top + (track.first / track.rows) * track.room;
    context.fillStyle = css(theme.dim, 0.45);
    context.fillRect(geometry.width - 5, y, 4, Math.max(12, high));
}
