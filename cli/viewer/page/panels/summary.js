// The summary of the run: how long it took, how efficient it was, and what time was lost to.
import {bullets, note, pairs_list, titled} from "../panel_elements.js";
import {button, make} from "../dom.js";
import {call_text} from "./waits.js";
import {change} from "../state.js";
import {duration, number, percent, wait_words} from "../words.js";
import {figures, meter} from "./figures.js";
import {summary_of_window} from "./summary_window.js";
import {to_wait_of} from "../longest_wait.js";
import {to_rank} from "./balance.js";

const most_waits = 5;
const most_open_calls = 100;
const most_hosts = 8;
const meanings = {
    parallel: ["parallel efficiency",
        "the time ranks computed, of all they had; MPI_Init and MPI_Finalize do not count"],
    load_balance: ["load balance", "how evenly they computed: 100 % is even"],
    serialisation: ["serialization", "100 % less what is lost by waiting for each other, with an ideal network"],
    transfer: ["transfer", "100 % less what is lost by the network"],
};

function figures_of_run({info}, {wall_s, mpi_share, waited_s, waits_total_s}) {
    return figures([
        ["wall time", duration(wall_s)],
        ["in MPI", percent(mpi_share)],
        ["waited after MPI_Init", waited_s === undefined ? "–" : percent(waited_s / waits_total_s)],
        ["ranks", number(info.ranks)],
    ]);
}

function efficiencies({efficiency, efficiency_unknown}) {
    if (!efficiency) return note(efficiency_unknown || "Efficiencies are known of finished traces.");
    const meters = Object.entries(meanings).map(([key, words]) => meter(efficiency[key], ...words));
    return make("div", {id: "efficiencies"}, meters);
}

// Shows what is most important, where the time went, the largest wait, its root cause, and how much cores were missing.
function sentences({sentences: said}) {
    if (!said) return false;
    const time = said.time && `Time: ${said.time}`;
    const known = [...new Set([said.finding, time, said.loss, said.root, said.cores])].filter((one) => one);
    return known.length > 0 && bullets(known, {id: "sentences"});
}

function wait_item(track, profile, wait) {
    const who = wait.victims > 1 ? `${wait.victims} ranks wait` : `rank ${wait.victim} waits`;
    const for_whom = `for rank ${wait.causer}, which is in ${call_text(wait.causer_place)}`;
    const parts = [`${who} in ${call_text(wait.place)} ${for_whom}`];
    if (wait.indirect_s > 0.01 * wait.seconds)
        parts.push(`${percent(wait.indirect_s / wait.seconds)} of it because that rank waited itself`);
    if (wait.root) parts.push(`it comes from rank ${wait.root.rank}, busy before ${call_text(wait.root.before)}`);
    const much = `${duration(wait.seconds)}, ${percent(wait.seconds / profile.waits_total_s)}`;
    return [
        make("strong", {}, `${wait_words(wait.kind)}: ${much}. `),
        `${parts.join("; ")}. `,
        button("show a long one", () => to_wait_of(track, wait), {class: "link"}),
        " ",
        button("highlight", () => change({fn: wait.place.function}), {class: "link"}),
    ];
}

function open_item(track, call) {
    const since = duration(track.info.end_s - call.begin_s);
    return [
        button(`rank ${call.rank}`, () => to_rank(track, call.rank), {class: "link"}),
        ` ${call.text}, since ${since}`,
    ];
}

function hosts_text(hosts) {
    const more = hosts.length > most_hosts ? " …" : "";
    return `${hosts.length}: ${hosts.slice(0, most_hosts).join(", ")}${more}`;
}

function facts({info}, {program, mpi, calls, fit, wall_s, critical_path: path, network, compensated}) {
    const list = [
        ["program", program],
        ["MPI", mpi],
        ["trace", info.path],
        ["ranks", number(info.ranks)],
        ["threads", number(info.threads)],
        ["hosts", hosts_text(info.hosts)],
        ["calls", number(calls)],
        ["clock", info.finished ? `one for all (${fit})` : "not yet one for all: tactus finish makes it so"],
    ];
    if (path) list.push(["critical path", `${duration(path.seconds)}, changes rank ${number(path.changes)} times`]);
    if (network)
        list.push(["ideal network", `${duration(network.seconds)} instead of ${duration(network.measured_s)}`]);
    if (compensated)
        list.push(["without the tracer", `${duration(compensated.wall.compensated_s)} instead of ${duration(wall_s)}`]);
    return pairs_list(list);
}

export function summary(track, profile, signal) {
    if (profile.window) return summary_of_window(track, profile, signal);
    const worst = (profile.waits || []).slice(0, most_waits).map((wait) => wait_item(track, profile, wait));
    const open = track.info.open_calls.slice(0, most_open_calls).map((call) => open_item(track, call));
    const problems = profile.problems || [];
    return [
        figures_of_run(track, profile),
        efficiencies(profile),
        titled("In short", sentences(profile)),
        titled("Largest waits", worst.length > 0 && bullets(worst, {class: "worst", id: "worst_waits"}, "ol")),
        titled("Inside of these when it ended", open.length > 0 && bullets(open, {id: "open_calls"})),
        titled("Problems", problems.length > 0 && bullets(problems, {class: "problem"})),
        titled("The run", facts(track, profile)),
    ];
}
