// Collective operations: time, bytes, and how evenly the ranks' times in them are distributed.
import {bytes, duration, number, percent} from "../words.js";
import {change, state} from "../state.js";
import {make} from "../dom.js";
import {table} from "../table.js";

export function collectives(track, profile) {
    const rows = profile.collectives,
        longest = Math.max(1e-30, ...rows.map((row) => row.time_s));
    return [
        make(
            "p",
            {class: "lead"},
            "Balance: the mean of the ranks' times in it, of the longest. Low where ranks come at different times.",
        ),
        table(
            "collectives_table",
            [
                {title: "operation", left: true, value: (row) => row.name},
                {
                    title: "time",
                    value: (row) => row.time_s,
                    text: (row) => duration(row.time_s),
                    bar: (row) => row.time_s / longest,
                },
                {title: "calls", value: (row) => row.calls, text: (row) => number(row.calls)},
                {title: "average", value: (row) => row.avg_s, text: (row) => duration(row.avg_s)},
                {title: "longest", value: (row) => row.max_s, text: (row) => duration(row.max_s)},
                {title: "bytes", value: (row) => row.bytes, text: (row) => bytes(row.bytes)},
                {title: "balance", value: (row) => row.balance.ratio, text: (row) => percent(row.balance.ratio)},
                {title: "most in", value: (row) => row.balance.max_rank, text: (row) => `rank ${row.balance.max_rank}`},
            ],
            rows,
            {by: 1, run: (row) => change({fn: state.fn === row.name ? "" : row.name})},
        ),
    ];
}
