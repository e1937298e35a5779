// The ranks' clocks: the offset of each over time, and how well it is known.
import {bullets, lead, note, titled} from "../panel_elements.js";
import {chart} from "../chart.js";
import {clocks_of, profile_of_run} from "../profiles.js";
import {duration, number} from "../words.js";
import {table} from "../table.js";

const ns = (value) => duration(typeof value === "number" ? value * 1e-9 : null);

const columns = [
    {title: "rank", value: (row) => row.rank},
    {title: "host", left: true, value: (row) => row.host},
    {title: "timer", left: true, value: (row) => row.timer},
    {title: "relation", left: true, value: (row) => row.relation},
    {title: "offset", value: (row) => row.offset_ns, text: (row) => ns(row.offset_ns)},
    {title: "drift", value: (row) => row.drift_ppm, text: (row) => drift_text(row.drift_ppm)},
    {title: "known to ±, at worst", value: (row) => row.half_width_worst_ns,
        text: (row) => ns(row.half_width_worst_ns)},
    {title: "rounds", value: (row) => row.rounds.length},
];

function drift_text(ppm) {
    return ppm === null ? "unknown" : `${ppm.toFixed(3)} ppm`;
}

function points_of(rank) {
    return rank.rounds
        .filter((round) => round.time_s !== null && round.offset_ns !== null)
        .map((round) => ({x: round.time_s, y: round.offset_ns * 1e-9, half: (round.half_width_ns ?? 0) * 1e-9}));
}

// Returns a line for each rank: offsets as measured, with their half-widths.
function lines_of(ranks) {
    return ranks
        .map((rank) => ({name: `rank ${rank.rank}`, points: points_of(rank)}))
        .filter(({points}) => points.length > 0);
}

function notes_of(ranks) {
    const when = ({time_s}) => (time_s === null ? "" : ` at ${duration(time_s)}`);
    return ranks.flatMap(({rank, notes}) => notes.map((one) => `rank ${rank}: ${one.meaning}${when(one)}`));
}

export async function clocks(track, _, signal) {
    const all = await clocks_of(track, signal);
    const {sentences} = await profile_of_run(track, signal);
    const lines = lines_of(all.ranks);
    const notes = notes_of(all.ranks);
    const {raw, fitted} = all.reversed || {};
    return [
        sentences?.clock && lead(`Corrected: ${sentences.clock}.`),
        lead(
            `Clocks were ${all.measured ? "" : "not "}measured, fit: ${all.fit}. Messages that would arrive before `,
            `they are sent, collectives left out: ${number(raw)} by clocks as read, ${number(fitted)} as fitted.`,
        ),
        lines.length > 0
            ? chart("clocks_chart", lines, "offset against the reference")
            : note("All ranks read one clock: there are no offsets to draw."),
        table("clocks_table", columns, all.ranks, {by: 0, down: false}),
        titled("Notes", notes.length > 0 && bullets(notes)),
    ];
}
