// Single values as large figures and as bars.
import {make} from "../dom.js";
import {percent} from "../words.js";

// `list` is [[name, value]...].
export function figures(list) {
    const figure = ([name, value]) => make("div", {class: "figure"}, make("strong", {}, value), make("span", {}, name));
    return make("div", {class: "figures"}, list.map(figure));
}

export function meter(value, name, meaning) {
    const width = `${100 * Math.max(0, Math.min(1, value))}%`;
    return make(
        "div",
        {class: "meter", title: meaning},
        make("span", {class: "meter_name"}, name),
        make("span", {class: "meter_bar"}, make("span", {style: {width}})),
        make("span", {}, percent(value)),
    );
}
