// Shows the lines of the program's source around a call.
import {ask_json} from "./ask.js";
import {button, by_id, fill, make} from "./dom.js";

export function source_button(track, place, box_id = "source") {
    if (!place || place === "unknown" || !/:\d+$/.test(place)) return null;
    return button("source", () => show_source(track, place, by_id(box_id)), {
        class: "link",
        "aria-label": `Source at ${place}`,
    });
}

export async function show_source(track, place, box) {
    fill(box, make("p", {class: "dim"}, "…"));
    try {
        const {file, line, first, lines} = await ask_json("source", {trace: track.number, place});
        const rows = lines.map((text, i) =>
            make(
                "div",
                {class: first + i === line ? "here" : ""},
                make("span", {class: "line_number"}, String(first + i)),
                text || " ",
            ),
        );
        fill(
            box,
            make("h3", {}, `${file}:${line}`),
            make("pre", {class: "source", tabindex: 0, "aria-label": `Source of ${file}`}, rows),
        );
        box.querySelector(".here")?.scrollIntoView({block: "nearest"});
    } catch (error) {
        fill(box, make("p", {class: "dim"}, `${place}: ${error.message}`));
    }
}
