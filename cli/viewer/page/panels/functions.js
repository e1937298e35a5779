// The time that all ranks spent in each function.
import {change, state} from "../state.js";
import {color_of, css} from "../colors.js";
import {bytes, duration, number, percent} from "../words.js";
import {lead, titled} from "../panel_elements.js";
import {make} from "../dom.js";
import {table} from "../table.js";
import {theme} from "../theme.js";
import {timeline} from "../timeline.js";
import {profile_in_scope} from "../profiles.js";

const most = (rows, value) => Math.max(1e-30, ...rows.map(value));

function name_cell(row) {
    return make(
        "span",
        {class: row.name === state.fn ? "chosen_name" : ""},
        make("span", {class: "swatch", style: {backgroundColor: css(color_of(row.name, theme.name))}}),
        row.name,
    );
}

function functions_table(id, rows, whole, extra = []) {
    const longest = most(rows, (row) => row.time_s);
    return table(
        id,
        [
            {title: "function", left: true, value: (row) => row.name, cell: name_cell, hint: (row) => row.name},
            {
                title: "time",
                value: (row) => row.time_s,
                text: (row) => duration(row.time_s),
                bar: (row) => row.time_s / longest,
                color: (row) => css(color_of(row.name, theme.name), 0.35),
            },
            {title: "share", value: (row) => row.time_s, text: (row) => percent(row.time_s / whole)},
            ...extra,
            {title: "calls", value: (row) => row.calls, text: (row) => number(row.calls)},
            {title: "average", value: (row) => row.avg_s, text: (row) => duration(row.avg_s)},
            {title: "longest", value: (row) => row.max_s, text: (row) => duration(row.max_s)},
            {title: "bytes", value: (row) => row.bytes, text: (row) => bytes(row.bytes)},
            {title: "failed", value: (row) => row.failed, text: (row) => number(row.failed)},
        ].filter(({title}) => title !== "failed" || rows.some((row) => row.failed)),
        rows,
        {by: 1, run: (row) => change({fn: state.fn === row.name ? "" : row.name})},
    );
}

// If there are two traces, returns columns that compare the time in the same function in the other trace.
async function beside(track, signal) {
    const other = timeline.tracks[1 - track.number];
    if (!other) return [];
    const {functions: list} = await profile_in_scope(other, signal);
    const times = new Map(list.map((row) => [row.name, row.time_s])),
        of = (row) => times.get(row.name) || 0;
    return [
        {title: `${other.letter} time`, value: of, text: (row) => duration(of(row))},
        {
            title: `${track.letter} − ${other.letter}`,
            value: (row) => row.time_s - of(row),
            text: (row) => duration(row.time_s - of(row)),
        },
    ];
}

export async function functions(track, profile, signal) {
    const {functions: list, regions = [], counters = [], total_s} = profile;
    const share = `${percent(profile.mpi_share)} of ${duration(total_s)} of all ranks`;
    return [
        lead(`${duration(profile.mpi_s)} in MPI, ${share}`),
        functions_table("functions_table", list, total_s, await beside(track, signal)),
        titled("Regions of the program", regions.length > 0 && regions_table(regions)),
        titled("Counters", counters.length > 0 && counters_table(counters)),
    ];
}

function regions_table(rows) {
    const longest = most(rows, (row) => row.own_s);
    return table(
        "regions_table",
        [
            {title: "region", left: true, value: (row) => row.name, cell: name_cell, hint: (row) => row.name},
            {
                title: "own time",
                value: (row) => row.own_s,
                text: (row) => duration(row.own_s),
                bar: (row) => row.own_s / longest,
            },
            {title: "with all inside", value: (row) => row.time_s, text: (row) => duration(row.time_s)},
            {title: "in MPI", value: (row) => row.mpi_s, text: (row) => duration(row.mpi_s)},
            {title: "count", value: (row) => row.count, text: (row) => number(row.count)},
            {title: "longest", value: (row) => row.max_s, text: (row) => duration(row.max_s)},
        ],
        rows,
        {by: 1, run: (row) => change({fn: state.fn === row.name ? "" : row.name})},
    );
}

function counters_table(rows) {
    return table(
        "counters_table",
        [
            {
                title: "counter",
                left: true,
                value: (row) => row.name,
                text: (row) => (row.unit ? `${row.name} (${row.unit})` : row.name),
            },
            {title: "values", value: (row) => row.values, text: (row) => number(row.values)},
            {title: "least", value: (row) => row.min, text: (row) => number(row.min)},
            {title: "mean", value: (row) => row.mean, text: (row) => number(row.mean)},
            {title: "greatest", value: (row) => row.max, text: (row) => number(row.max)},
        ],
        rows,
        {
            by: 0,
            down: false,
            run: (row) => change({counter: row.name, show: [...new Set([...state.show, "counters"])]}),
        },
    );
}
