// The elements of panels: paragraphs, lists, parts with a title, pairs.
import {make} from "./dom.js";

export function lead(...content) {
    return make("p", {class: "lead"}, ...content);
}

export function note(...content) {
    return make("p", {class: "dim"}, ...content);
}

export function bullets(items, about = {}, tag = "ul") {
    const list = items.map((item) => make("li", {}, item));
    return make(tag, about, list);
}

// Returns null if there is no content.
export function titled(title, content) {
    return content ? [make("h3", {}, title), content] : null;
}

export function pairs_list(pairs) {
    const list = pairs.map(([what, value]) => [make("dt", {}, what), make("dd", {}, String(value))]);
    return make("dl", {class: "pairs"}, list);
}
