// The window in view as a table, for people who cannot see the picture, and to copy.
import {duration, many, moment, percent} from "../words.js";
import {lead, note} from "../panel_elements.js";
import {settled} from "../timeline.js";
import {shown_seconds, slots_between, totals_between} from "../picture.js";
import {table} from "../table.js";

const most_functions = 6;
const most_rows = 300;

// Returns the seconds in view by number of function. A long call counts only as far as it is in view.
function row_times(track, picture, row) {
    const sums = new Map();
    const [begin, end] = slots_between(picture, row, track.from, track.to);
    for (let i = begin; i < end; ++i) {
        const number = picture.function[i];
        const span = picture.span[i];
        const seconds = span
            ? Math.min(picture.span_end[span - 1], track.to) - Math.max(picture.span_begin[span - 1], track.from)
            : shown_seconds(picture, row, i);
        sums.set(number, (sums.get(number) || 0) + Math.max(0, seconds));
    }
    return sums;
}

function rows_of(track, picture) {
    const [top, bottom] = track.rows_in_view();
    const rows = [];
    for (let row = top; row <= Math.min(bottom, top + most_rows); ++row) {
        const there = row - picture.first_row;
        if (there < 0 || there >= picture.rows.length) continue;
        const room = (track.to - track.from) * picture.row_threads[there];
        rows.push({name: track.row_names[row], times: row_times(track, picture, there), room});
    }
    return rows;
}

function columns_for(track, main, rest) {
    const share = (row, seconds) => `${duration(seconds)} (${percent(seconds / row.room)})`;
    const columns = [{title: "row", left: true, value: (row) => row.name}];
    for (const number of main) {
        const of = (row) => row.times.get(number) || 0;
        columns.push({title: track.function_name(number), value: of, text: (row) => share(row, of(row))});
    }
    const others = (row) =>
        [...row.times].reduce((sum, [number, seconds]) => (main.includes(number) ? sum : sum + seconds), 0);
    return rest ? [...columns, {title: "others", value: others, text: (row) => share(row, others(row))}] : columns;
}

// The indexes of count, begin and end in the links of a picture.
const links = {messages: [2, 3, 4], waits: [2, 3, 4], collectives: [1, 2, 3]};

function links_text(track, picture) {
    const parts = Object.entries(links).filter(([name]) => picture[name]);
    return parts.map(([name, [count, begin, end]]) => {
        const seen = picture[name].all.filter((one) => one[end] >= track.from && one[begin] <= track.to);
        const sum = seen.reduce((all, one) => all + one[count], 0);
        return many(sum, name.slice(0, -1));
    });
}

export async function text(track) {
    await settled();
    const picture = track.near || track.whole;
    if (!picture) return note("There is nothing to show yet.");
    const all = totals_between(picture, track.from, track.to).map(([number]) => number);
    const main = all.slice(0, most_functions);
    const rows = rows_of(track, picture);
    const step = (track.to - track.from) / 1e4;
    return [
        lead(
            `${moment(track.from, step)} to ${moment(track.to, step)}, ${many(rows.length, "row")}. `,
            `${links_text(track, picture).join(", ")}. `,
            `Times are of the function shown, in slots of ${duration(picture.slot_s)}.`,
        ),
        table("text_table", columns_for(track, main, all.length > main.length), rows, {
            by: 0,
            down: false,
            caption: "What the rows in view did",
        }),
    ];
}
