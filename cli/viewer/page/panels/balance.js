// A bar for each rank with its time in MPI and elsewhere, and how evenly these times are distributed.
import {change, state} from "../state.js";
import {duration, percent} from "../words.js";
import {make} from "../dom.js";
import {table} from "../table.js";

function sentence(what, {mean_s, max_s, max_rank, ratio}) {
    const most = `most ${duration(max_s)} on rank ${max_rank}`;
    return make("p", {}, `${what}: on average ${duration(mean_s)}, ${most}, balance ${percent(ratio)}`);
}

function split_bar(row, longest) {
    const part = (kind, seconds) =>
        make("span", {class: `part ${kind}`, style: {width: `${(100 * seconds) / longest}%`}});
    return make(
        "span",
        {class: "split", role: "img", "aria-label": `${percent(row.mpi_share)} in MPI`},
        part("other", row.other_s),
        part("mpi", row.mpi_s),
    );
}

export function balance(track, profile) {
    const rows = profile.ranks,
        longest = Math.max(1e-30, ...rows.map((row) => row.wall_s));
    const hosts = new Set(rows.map((row) => row.host)).size > 1;
    const list = table(
        "balance_table",
        [
            {title: "rank", value: (row) => row.rank},
            {title: "other, MPI", left: true, value: (row) => row.other_s, cell: (row) => split_bar(row, longest)},
            {title: "other", value: (row) => row.other_s, text: (row) => duration(row.other_s)},
            {title: "MPI", value: (row) => row.mpi_s, text: (row) => duration(row.mpi_s)},
            {title: "in MPI", value: (row) => row.mpi_share, text: (row) => percent(row.mpi_share)},
            ...(hosts ? [{title: "host", left: true, value: (row) => row.host}] : []),
        ],
        rows,
        {by: 0, down: false, run: (row) => to_rank(track, row.rank)},
    );
    return [
        make(
            "div",
            {class: "lead"},
            sentence("Other than MPI", profile.balance.other),
            sentence("In MPI", profile.balance.mpi),
        ),
        list,
    ];
}

export function to_rank(track, rank) {
    const row = track.row_of_rank(rank);
    if (row < 0) return;
    track.show_row(row);
    const at = (track.from + track.to) / 2;
    change({
        cursor: {kind: "slot", trace: track.number, row, at: state.cursor?.at ?? at, from: at, to: at},
        side: track.number,
    });
}
