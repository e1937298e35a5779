// How much each rank sent to each other rank: a matrix, and a table.
import {bytes, number} from "../words.js";
import {draw_matrix} from "../matrix.js";
import {lead} from "../panel_elements.js";
import {make, toggle} from "../dom.js";
import {table} from "../table.js";

let measure = "bytes"; // or "messages"

const average = (row) => row.bytes / Math.max(1, row.messages);
const columns = [
    {title: "from", value: (row) => row.from},
    {title: "to", value: (row) => row.to},
    {title: "messages", value: (row) => row.messages, text: (row) => number(row.messages)},
    {title: "bytes", value: (row) => row.bytes, text: (row) => bytes(row.bytes)},
    {title: "average", value: average, text: (row) => bytes(Math.round(average(row)))},
];

function matrix_box(track, profile) {
    const label = "Messages from each rank (down) to each rank (across); the table below has the same numbers";
    const canvas = make("canvas", {id: "matrix", role: "img", tabindex: 0, "aria-label": label});
    const box = make("div", {});
    const choose = (one) => {
        measure = one;
        draw();
        box.querySelector(`#matrix_${one}`).focus();
    };
    const draw = () => {
        const choices = ["bytes", "messages"].map((one) =>
            toggle(one, measure === one, () => choose(one), {id: `matrix_${one}`}),
        );
        box.replaceChildren(make("div", {class: "controls"}, make("span", {class: "group"}, choices)), canvas);
        draw_matrix(canvas, track.info.ranks, profile.messages, measure);
    };
    draw();
    return box;
}

export function messages(track, profile) {
    const sum = (key) => profile.messages.reduce((all, one) => all + one[key], 0);
    const outside = profile.messages_outside_world;
    return [
        lead(
            `${number(sum("messages"))} messages, ${bytes(sum("bytes"))}`,
            outside ? `, ${number(outside)} to or from others than MPI_COMM_WORLD` : null,
        ),
        matrix_box(track, profile),
        table("messages_table", columns, profile.messages, {by: 3}),
    ];
}
