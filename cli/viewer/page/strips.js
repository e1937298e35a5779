// The strips below the timeline, with the same time axis: quantities and counters.
import {by_id, make} from "./dom.js";
import {counter_strips} from "./counters.js";
import {quantity_strips} from "./quantity.js";
import {redraw, timeline} from "./timeline.js";
import {watch} from "./state.js";

let strips = [];

function build() {
    strips = [...quantity_strips(), ...counter_strips()];
    by_id("strips").replaceChildren(...strips.map(({canvas, box}) => make("div", {class: "strip_box"}, canvas, box)));
    redraw();
}

export function start_strips() {
    timeline.extras.push(() => {
        for (const {draw} of strips) draw();
    });
    watch(["show"], build);
    build();
}
