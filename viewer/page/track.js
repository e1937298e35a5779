// One trace in the timeline: its rows, where they are, and the pictures of it that are at hand.
import {ask_picture, quietly} from "./ask.js";
import {change, shows, state} from "./state.js";
import {geometry, plot_width} from "./geometry.js";
import {slot_for} from "./picture.js";

const least_row_px = 3,
    most_row_px = 34,
    most_of_few_px = 80;
const most_rows_asked = 512; // of larger traces only rows near those in view are asked for
const most_slots_of_whole = 400000;
const most_links = 2000,
    most_values = 20000;

export class Track {
    constructor(info, number, traces) {
        this.info = info;
        this.number = number;
        this.letter = traces > 1 ? "AB"[number] : "";
        this.alone = traces === 1;
        this.canvas = null;
        this.height = 100;
        this.whole = null; // the whole run, coarse
        this.near = null; // what is in view and around it
        this.key = "";
        this.asked = null; // AbortController of the question that is open
        this.on_picture = () => {};
        this.path = null;
        this.named = "";
        this.names = [];
        this.row_by_name = new Map();
    }

    // Trace time = time in view + shift: of two traces each begins at its own begin.
    get shift() {
        if (this.alone) return 0;
        return this.info.begin_s - (this.number === 1 ? state.shift : 0);
    }
    get from() {
        return state.from + this.shift;
    }
    get to() {
        return state.to + this.shift;
    }
    x_of(time) {
        return geometry.gutter + ((time - this.from) / (state.to - state.from)) * plot_width();
    }
    time_at(x) {
        return this.from + ((x - geometry.gutter) / plot_width()) * (state.to - state.from);
    }

    get row_names() {
        if (this.named !== `${state.rows} ${state.groups}`) this.name_rows();
        return this.names;
    }
    name_rows() {
        this.named = `${state.rows} ${state.groups}`;
        if (state.rows === "groups") this.names = groups().map((group) => `ranks ${group}`);
        else this.names = this.info.rows[state.rows] || this.info.rows.processes;
        this.row_by_name = new Map(this.names.map((name, row) => [name, row]));
    }
    row_named(name) {
        return this.row_names && (this.row_by_name.get(name) ?? -1);
    }
    get rows() {
        return this.row_names.length;
    }
    get top() {
        return shows("collectives") ? 16 : 6;
    }
    get room() {
        return Math.max(20, this.height - this.top - 4);
    }
    get row_px() {
        if (state.row_px) return state.row_px;
        const even = this.room / Math.max(1, this.rows);
        return Math.min(Math.max(most_row_px, Math.min(most_of_few_px, even / 3)), Math.max(least_row_px, even));
    }
    get most_first() {
        return Math.max(0, this.rows - this.room / this.row_px);
    }
    get first() {
        return Math.min(state.first[this.number], this.most_first);
    }
    set first(row) {
        const first = [...state.first];
        first[this.number] = Math.min(this.most_first, Math.max(0, row));
        change({first});
    }
    y_of(row) {
        return this.top + (row - this.first) * this.row_px;
    }
    row_at(y) {
        const row = Math.floor((y - this.top) / this.row_px + this.first);
        return y >= this.top && row >= 0 && row < this.rows ? row : -1;
    }
    rows_in_view() {
        return [Math.floor(this.first), Math.min(this.rows - 1, Math.floor(this.first + this.room / this.row_px))];
    }
    show_row(row) {
        const fits = this.room / this.row_px;
        if (row < this.first) this.first = row;
        else if (row + 1 > this.first + fits) this.first = row + 1 - fits;
    }

    function_name(number) {
        return this.info.functions[number] ?? `function ${number}`;
    }
    row_of_rank(rank) {
        return this.row_named(`rank ${rank}`);
    }
    row_of_thread(thread) {
        const name = this.info.rows.threads[thread] || "";
        const row = this.row_named(name);
        if (row >= 0) return row;
        const rank = this.rank_of_thread(thread);
        return rank < 0 ? -1 : this.row_of_rank(rank);
    }
    rank_of_thread(thread) {
        const found = /^rank (\d+)/.exec(this.info.rows.threads[thread] || "");
        return found ? +found[1] : -1;
    }
    // The thread of a row that has only one, else -1.
    thread_of_row(row) {
        if (state.rows === "threads") return row;
        const name = this.row_names[row];
        const threads = this.info.rows.threads;
        const first = threads.indexOf(name);
        return first >= 0 && !threads.includes(`${name} thread 1`) ? first : -1;
    }

    about(from, to, pixels) {
        const about = {trace: this.number, from, to, pixels, time: state.time === "corrected" ? undefined : state.time};
        if (state.rows === "groups") about.group = groups();
        else about.rows = state.rows;
        return about;
    }

    async ask_whole() {
        this.whole = this.near = null;
        this.key = "";
        this.asked?.abort();
        const {begin_s, end_s} = this.info;
        const pixels = Math.round(Math.min(1024, Math.max(128, most_slots_of_whole / this.rows)));
        const about = {...this.about(begin_s, end_s, pixels), messages: 0, values: 0};
        const wanted = JSON.stringify(about);
        this.whole_wanted = wanted;
        const picture = await quietly(ask_picture(about));
        if (picture && this.whole_wanted === wanted) this.whole = picture;
        this.on_picture();
    }

    // The window and half of one on either side, as far as there is something.
    wanted() {
        const length = this.to - this.from;
        const from = Math.max(this.from - length / 2, this.info.begin_s - length * 0.05);
        const to = Math.min(this.to + length / 2, this.info.end_s + length * 0.05);
        if (to <= from) return null;
        const pixels = Math.max(1, Math.round((plot_width() * (to - from)) / length));
        const about = this.about(from, to, pixels);
        about.messages = shows("messages") || shows("waits") || shows("collectives") ? most_links : 0;
        about.values = shows("counters") ? most_values : 0;
        if (this.rows > most_rows_asked) {
            const [first, last] = this.rows_in_view(),
                margin = last - first + 1;
            about.first_row = Math.max(0, first - margin);
            about.row_count = Math.min(this.rows - about.first_row, 3 * margin);
        }
        return about;
    }

    // Whether the picture at hand does: as fine as a new one would be, and all of what is in view.
    does(about) {
        const {near} = this;
        if (!near || this.key !== key_of(about)) return false;
        const slot = slot_for((about.to - about.from) / about.pixels);
        const spare = (this.to - this.from) / 10;
        const rows = this.rows_in_view();
        return (
            Math.abs(near.slot_s / slot - 1) < 1e-6 &&
            near.from_s <= Math.max(this.from - spare, about.from) &&
            near.to_s >= Math.min(this.to + spare, about.to) &&
            near.first_row <= rows[0] &&
            near.first_row + near.rows.length > rows[1]
        );
    }

    // Asks for what is in view, unless it is there; first what is quickly to be had, then links in full detail.
    async settle() {
        const about = this.wanted();
        if (!about || this.does(about)) return;
        this.asked?.abort();
        const asked = (this.asked = new AbortController());
        const took = performance.now();
        try {
            const quick = await ask_picture(about.messages ? {...about, at_once: 1} : about, asked.signal);
            this.take(quick, about, took);
            const wider = ["messages", "waits", "collectives"].some(
                (one) => quick[one] && quick[one].slot_s > quick.slot_s * 1.01,
            );
            if (about.messages && wider && quick.messages.all.length < most_links / 2)
                this.take(await ask_picture(about, asked.signal), about, took);
        } catch {
            /* superseded, or told in the status line */
        }
        if (this.asked === asked) this.asked = null;
    }

    take(picture, about, took) {
        number_rows(picture);
        picture.took_ms = performance.now() - took;
        this.near = picture;
        this.key = key_of(about);
        this.on_picture();
    }

    stop() {
        this.asked?.abort();
        this.asked = null;
    }
}

// In the answer rows are counted from `first_row` on; here from the first of all.
function number_rows(picture) {
    if (!picture.first_row) return;
    for (const one of picture.messages?.all || []) {
        one[0] += picture.first_row;
        one[1] += picture.first_row;
    }
    for (const of of [picture.waits, picture.counters]) for (const one of of?.all || []) one[0] += picture.first_row;
}

function groups() {
    return state.groups.split(/[\s;]+/).filter((group) => group);
}

// What pictures differ in, but for where they are.
function key_of({from, to, pixels, first_row, row_count, ...rest}) {
    return JSON.stringify(rest);
}
