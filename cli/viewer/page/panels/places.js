// The places in the program that call the functions. A click shows the source there.
import {bytes, duration, number, percent} from "../words.js";
import {by_id, make} from "../dom.js";
import {show_source} from "../source.js";
import {table} from "../table.js";

export function places(track, profile) {
    const rows = profile.places,
        longest = Math.max(1e-30, ...rows.map((row) => row.time_s));
    const list = table(
        "places_table",
        [
            {
                title: "place",
                left: true,
                value: (row) => row.text,
                hint: (row) => `${row.file || row.module}:${row.line}`,
            },
            {title: "function", left: true, value: (row) => row.function},
            {title: "in", left: true, value: (row) => row.caller || "", hint: (row) => row.caller},
            {
                title: "time",
                value: (row) => row.time_s,
                text: (row) => duration(row.time_s),
                bar: (row) => row.time_s / longest,
            },
            {title: "share", value: (row) => row.time_s, text: (row) => percent(row.time_s / profile.total_s)},
            {title: "calls", value: (row) => row.calls, text: (row) => number(row.calls)},
            {title: "bytes", value: (row) => row.bytes, text: (row) => bytes(row.bytes)},
        ],
        rows,
        {
            by: 3,
            run: (row) => {
                show_source(track, row.text, by_id("place_source"));
                by_id("place_source").scrollIntoView({block: "nearest"});
                by_id("panel").scrollLeft = 0;
            },
        },
    );
    return [
        make("p", {class: "lead"}, `${number(rows.length)} places; choose one to see its source`),
        list,
        make("div", {id: "place_source"}),
    ];
}
