// Which ranks waited for which, where and how long, and the root causes.
import {button, make} from "../dom.js";
import {duration, number, percent, wait_words} from "../words.js";
import {lead, note, titled} from "../panel_elements.js";
import {profile_of_run} from "../profiles.js";
import {table} from "../table.js";
import {to_wait_of} from "../longest_wait.js";
import {to_rank} from "./balance.js";

const not_finished = "Waits are found when a trace is finished (tactus finish); this one is not.";

export function call_text({function: name, text}) {
    return text && text !== "unknown" ? `${name} at ${text}` : name;
}

function root_text(root) {
    return `rank ${root.rank}, before ${call_text(root.before)}`;
}

function who_and_for_whom({victims, victim, place, causer, causer_place, root}) {
    const who = victims > 1 ? `${victims} ranks, most ${victim},` : `rank ${victim}`;
    const lines = [
        `${who} in ${call_text(place)}`,
        `for rank ${causer} in ${call_text(causer_place)}`,
        root && `comes from ${root_text(root)}`,
    ];
    return make(
        "div",
        {},
        lines.filter((line) => line).map((line) => make("div", {}, line)),
    );
}

function groups_table(track, profile) {
    const rows = profile.waits,
        longest = Math.max(1e-30, ...rows.map((row) => row.seconds));
    return table(
        "waits_table",
        [
            {title: "wait", wrap: true, value: (row) => wait_words(row.kind)},
            {
                title: "time",
                value: (row) => row.seconds,
                text: (row) => duration(row.seconds),
                bar: (row) => row.seconds / longest,
            },
            {title: "who, and for whom", wrap: true, value: (row) => row.victim, cell: who_and_for_whom},
            {title: "share", value: (row) => row.seconds, text: (row) => percent(row.seconds / profile.waits_total_s)},
            {title: "count", value: (row) => row.count, text: (row) => number(row.count)},
            {
                title: "because it waited",
                value: (row) => row.indirect_s ?? 0,
                text: (row) => (row.indirect_s === undefined ? "–" : duration(row.indirect_s)),
            },
            {title: "longest", value: (row) => row.longest_s, text: (row) => duration(row.longest_s)},
        ],
        rows,
        {by: 1, run: (row) => to_wait_of(track, row), caption: "A click shows where a long one was."},
    );
}

function roots_table(track, profile) {
    const rows = profile.wait_roots,
        longest = Math.max(1e-30, ...rows.map((row) => row.seconds));
    return table(
        "roots_table",
        [
            {
                title: "rank",
                value: (row) => row.rank,
                cell: (row) => button(String(row.rank), () => to_rank(track, row.rank), {class: "link"}),
            },
            {title: "busy before", left: true, value: (row) => call_text(row.before)},
            {
                title: "made others wait",
                value: (row) => row.seconds,
                text: (row) => duration(row.seconds),
                bar: (row) => row.seconds / longest,
            },
            {title: "for itself", value: (row) => row.direct_s, text: (row) => duration(row.direct_s)},
            {title: "through others", value: (row) => row.indirect_s, text: (row) => duration(row.indirect_s)},
        ],
        rows,
        {by: 2},
    );
}

function ranks_table(track, profile) {
    const rows = profile.waiting_ranks,
        longest = Math.max(1e-30, ...rows.map((row) => Math.max(row.waited_s, row.caused_s)));
    return table(
        "waiting_ranks_table",
        [
            {title: "rank", value: (row) => row.rank},
            {title: "computed", value: (row) => row.computed_s, text: (row) => duration(row.computed_s)},
            {
                title: "waited",
                value: (row) => row.waited_s,
                text: (row) => duration(row.waited_s),
                bar: (row) => row.waited_s / longest,
            },
            {
                title: "made others wait",
                value: (row) => row.caused_s,
                text: (row) => duration(row.caused_s),
                bar: (row) => row.caused_s / longest,
            },
            {title: "root cause of", value: (row) => row.root_s ?? 0, text: (row) => duration(row.root_s ?? 0)},
            {
                title: "critical path",
                value: (row) => row.critical_path_s ?? 0,
                text: (row) => duration(row.critical_path_s ?? 0),
            },
        ],
        rows,
        {by: 0, down: false, run: (row) => to_rank(track, row.rank)},
    );
}

export async function waits(track, _, signal) {
    const profile = await profile_of_run(track, signal);
    if (!profile.waits) return note(profile.efficiency_unknown || not_finished);
    const waited = profile.waited_s ?? profile.waits_total_s;
    return [
        lead(`${duration(waited)} waited, ` +
            `${percent(waited / profile.waits_total_s)} of the time of all ranks and threads`),
        groups_table(track, profile),
        titled("Root causes", profile.wait_roots && roots_table(track, profile)),
        titled("Ranks", profile.waiting_ranks && ranks_table(track, profile)),
    ];
}
