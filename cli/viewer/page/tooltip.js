// The tooltip beside the mouse, which tells what is under it.
import {by_id, fill, make} from "./dom.js";
import {describe} from "./describe.js";
import {shortened} from "./words.js";

export function show_tooltip(track, pick, x, y) {
    if (!pick) return void hide_tooltip();
    const {title, pairs} = describe(track, pick);
    show_text(shortened(title, 120), pairs, x, y);
}

export function show_text(title, pairs, x, y) {
    const tip = by_id("tooltip");
    fill(
        tip,
        make("strong", {}, title),
        make(
            "dl",
            {},
            pairs.map(([what, value]) => [make("dt", {}, what), make("dd", {}, shortened(String(value), 160))]),
        ),
    );
    tip.hidden = false;
    const {width, height} = tip.getBoundingClientRect();
    const left = x + 16 + width > innerWidth ? x - width - 12 : x + 16;
    const top = y + 18 + height > innerHeight ? y - height - 10 : y + 18;
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${Math.max(0, top)}px`;
}

export function hide_tooltip() {
    by_id("tooltip").hidden = true;
}
