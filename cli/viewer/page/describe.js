// Describes a pick: a title and pairs of a name and a value.
import {bytes, duration, many, moment, number, percent, wait_words} from "./words.js";
import {geometry, seconds_a_pixel} from "./geometry.js";

const step = () => Math.min(seconds_a_pixel(), 1e-6) / 10;
const time = (track, at) => moment(at - (track.alone ? 0 : track.info.begin_s), Math.max(1e-9, step()));

function slot(track, pick) {
    const pairs = [["row", track.row_names[pick.row]]];
    if (pick.single && pick.thread >= 0 && pick.threads > 1)
        pairs.push(["thread", track.info.rows.threads[pick.thread]]);
    pairs.push(["from", time(track, pick.from)], ["to", time(track, pick.to)]);
    if (pick.single) pairs.push(["lasts", duration(pick.to - pick.from)]);
    else {
        pairs.push(["slots", `${duration(pick.to - pick.from)}, several calls`]);
        pairs.push(["of it", `${duration(pick.seconds)} in this function`]);
        pairs.push(["share", `${percent(pick.share)} of what was traced there`]);
        if (pick.busy < 0.995) pairs.push(["traced", percent(pick.busy)]);
    }
    if (pick.no_core >= 0.0005) {
        const what = pick.whole ? "this time" : "what is shown of it";
        pairs.push(["had no core", `for ${percent(pick.no_core)} of ${what}`]);
    }
    return {title: pick.function_name, pairs};
}

function message(track, pick) {
    const pairs = [
        ["from", `${track.row_names[pick.from_row]}, ${time(track, pick.from)}`],
        ["to", `${track.row_names[pick.to_row]}, ${time(track, pick.to)}`],
        ["takes", duration(pick.to - pick.from)],
        ["bytes", bytes(pick.bytes)],
        ["tag", number_or(pick.tag)],
        ["communicator", pick.communicator],
    ];
    if (pick.count > 1) pairs.push(["times", "on average"]);
    return {title: pick.count === 1 ? "Message" : many(pick.count, "message"), pairs};
}

const number_or = (value) => (typeof value === "number" ? number(value) : String(value));

function wait(track, pick) {
    const pairs = [
        ["row", track.row_names[pick.row]],
        ["in", pick.function_name],
        ["waits for", pick.for_rank === "mixed" ? "several ranks" : `rank ${pick.for_rank}`],
        ["waited", duration(pick.waited_s)],
        ["from", time(track, pick.from)],
        ["to", time(track, pick.to)],
    ];
    const title = wait_words(pick.wait);
    return {
        title: `${title[0].toUpperCase()}${title.slice(1)}${pick.count > 1 ? ` (${number(pick.count)})` : ""}`,
        pairs,
    };
}

function collective(track, pick) {
    const pairs = [
        ["communicator", pick.communicator],
        ["first comes", time(track, pick.from)],
        ["last leaves", time(track, pick.to)],
        ["takes", duration(pick.to - pick.from)],
        ["bytes", bytes(pick.bytes)],
    ];
    if (pick.root !== null) pairs.push(["root", String(pick.root)]);
    const title = pick.operation === "mixed" ? "Several collectives" : pick.operation;
    return {title: pick.count > 1 ? `${title} (${number(pick.count)})` : title, pairs};
}

function open(track, pick) {
    return {
        title: pick.text,
        pairs: [
            ["row", track.row_names[pick.row]],
            ["since", time(track, pick.from)],
            ["for", `${duration(pick.to - pick.from)} and more`],
            ["ended", "no: the job was inside of it when it ended"],
        ],
    };
}

const makers = {open, slot, message, wait, collective};

export function describe(track, pick) {
    return makers[pick.kind](track, pick);
}

// Returns one sentence, for screen readers.
export function in_words(track, pick) {
    const {title, pairs} = describe(track, pick);
    return `${title}. ${pairs.map(([what, value]) => `${what} ${value}`).join(", ")}`;
}

export function nothing_there(track, row, at) {
    return at < geometry.begin ? "before the run" : `${track.row_names[row]}: nothing was traced at ${time(track, at)}`;
}
