// What is missing from the trace, and what is known to be wrong with it.
import {bullets, lead, note, titled} from "../panel_elements.js";
import {number} from "../words.js";
import {profile_of_run} from "../profiles.js";
import {table} from "../table.js";

const words = (name) => name.replaceAll("_", " ");
const columns = [
    {title: "loss", left: true, value: (row) => row.name},
    {title: "count", value: (row) => row.count, text: (row) => number(row.count)},
];

export async function losses(track, _, signal) {
    const profile = await profile_of_run(track, signal);
    const lost = Object.entries(profile.losses || {}).map(([name, count]) => ({name: words(name), count}));
    const problems = [...new Set([...track.info.problems, ...(profile.problems || [])])];
    const unmatched = Object.entries(profile.clock?.unmatched || {})
        .filter(([, count]) => count > 0)
        .map(([name, count]) => `${words(name)}: ${number(count)}`);
    const untrusted = profile.untrusted_files || [];
    const nothing = lost.every(({count}) => count === 0);
    return [
        lead(nothing ? "Nothing was lost." : "Some of the run is missing:"),
        table("losses_table", columns, lost, {by: 1}),
        titled("Problems", problems.length > 0 ? bullets(problems, {class: "problem", id: "problems"}) : note("none")),
        titled("Messages and collectives without a counterpart", unmatched.length > 0 && bullets(unmatched)),
        titled("Debug information that does not fit its file", untrusted.length > 0 && bullets(untrusted)),
    ];
}
