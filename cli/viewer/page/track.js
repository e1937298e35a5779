// One trace in the timeline: its rows, where they are, and the pictures of it that are loaded.
import {ask_picture, quietly} from "./ask.js";
import {change, shows, state} from "./state.js";
import {geometry, plot_width} from "./geometry.js";
import {slot_for} from "./picture.js";

const least_row_px = 3,
    most_row_px = 34,
    most_of_few_px = 80;
const most_rows_asked = 512; // If a trace has more rows, only those near the rows in view are asked for.
const most_slots_of_whole = 400000;
const most_links = 2000,
    most_values = 20000;
const most_slots = 4e6; // in a picture (docs/viewer.md)
const around_ms = 300, // time that a view must stay before its surroundings are asked for
    least_again_ms = 100, // time before a failed or unfinished question is asked again; it doubles each time
    most_again_ms = 10_000;

export class Track {
    constructor(info, number, traces) {
        this.info = info;
        this.number = number;
        this.letter = traces > 1 ? "AB"[number] : "";
        this.alone = traces === 1;
        this.canvas = null;
        this.height = 100;
        this.whole = null; // picture of the whole run, coarse
        this.near = null; // picture of what is in view, and mostly of its surroundings
        this.key = "";
        this.asked = null; // AbortController of the open question about what is in view
        this.has_quick = false; // the quick answer to that question has arrived
        this.around = null; // AbortController of the open question about the surroundings
        this.timer = 0;
        this.on_picture = () => {};
        this.path = null;
        this.named = "";
        this.names = [];
        this.row_by_name = new Map();
    }

    // Trace time = time in view + shift. If there are two traces, time in view counts from the begin of each.
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
    // Returns the thread of a row that has only one, or -1.
    thread_of_row(row) {
        if (state.rows === "threads") return row;
        const name = this.row_names[row];
        const threads = this.info.rows.threads;
        const first = threads.indexOf(name);
        return first >= 0 && !threads.includes(`${name} thread 1`) ? first : -1;
    }

    // The trace and the kind of times, which are part of each question.
    get which() {
        return {trace: this.number, time: state.time === "corrected" ? undefined : state.time};
    }
    about(from, to, pixels) {
        const about = {...this.which, from, to, pixels};
        if (state.rows === "groups") about.group = groups();
        else about.rows = state.rows;
        return about;
    }

    async ask_whole() {
        this.whole = this.near = null;
        this.key = "";
        this.stop();
        const {begin_s, end_s} = this.info;
        const pixels = Math.round(Math.min(1024, Math.max(16, most_slots_of_whole / this.rows)));
        const about = {...this.about(begin_s, end_s, pixels), messages: 0, values: 0};
        const wanted = JSON.stringify(about);
        this.whole_wanted = wanted;
        const picture = await quietly(ask_picture(about));
        if (picture && this.whole_wanted === wanted) this.whole = picture;
        this.on_picture();
    }

    // If the trace has many rows, questions are only about those near the view.
    get has_many_rows() {
        return this.rows > most_rows_asked;
    }
    // Returns the question for the window and for a share `around` of it on either side, as far as the trace goes. If
    // that is more than the server answers, the question is only about the window.
    wanted(around) {
        const length = this.to - this.from;
        const from = Math.max(this.from - around * length, this.info.begin_s - length * 0.05);
        const to = Math.min(this.to + around * length, this.info.end_s + length * 0.05);
        if (to <= from) return null;
        const pixels = Math.max(1, Math.ceil((plot_width() * (to - from)) / length));
        const [first, last] = this.has_many_rows ? this.rows_in_view() : [0, this.rows - 1],
            rows = last - first + 1;
        if (around > 0 && rows * pixels > most_slots) return this.wanted(0);
        const about = this.about(from, to, pixels);
        const links = shows("messages") || shows("waits") || shows("collectives");
        about.messages = links ? Math.round(most_links * (1 + 2 * around)) : 0;
        about.values = shows("counters") ? Math.round(most_values * (1 + 2 * around)) : 0;
        if (this.has_many_rows) {
            const margin = Math.min(Math.ceil(2 * around * rows), Math.floor((most_slots / pixels - rows) / 2));
            about.first_row = Math.max(0, first - margin);
            about.row_count = Math.min(this.rows - about.first_row, rows + 2 * margin);
        }
        return about;
    }

    // Whether the loaded picture covers the question, as finely as a new picture would.
    has(about) {
        return Boolean(this.near?.final && this.covers(about) && this.near.pixel_s < 1.01 * seconds_a_pixel_of(about));
    }
    covers(about) {
        const {near} = this;
        if (!near || !about || this.key !== key_of(about)) return false;
        const rows = this.rows_in_view();
        return (
            near.from_s <= about.from + near.slot_s / 2 &&
            near.to_s >= about.to - near.slot_s / 2 &&
            near.first_row <= rows[0] &&
            near.first_row + near.rows.length > rows[1]
        );
    }

    // Asks for what is in view, unless it is loaded. Its surroundings are asked for later.
    async settle() {
        const about = this.wanted(0);
        if (about && this.asked?.about === JSON.stringify(about)) return;
        this.stop();
        if (!about) return;
        if (!this.has(about)) await this.ask_for(about);
        else if (!this.has(this.wanted(0.1))) this.later(around_ms, () => this.ask_around());
    }

    // Asks first for a quick answer, unless that is loaded, and then for full detail. Asks again after an error, and as
    // long as messages are being gathered.
    async ask_for(about, {begun = performance.now(), again_ms = least_again_ms, quickly = true} = {}) {
        const asked = (this.asked = new AbortController());
        asked.about = JSON.stringify(about);
        this.has_quick = !quickly;
        try {
            if (quickly) {
                const quick = await ask_picture({...about, at_once: 1}, asked.signal);
                quick.final = quick.slot_s < slot_for(seconds_a_pixel_of(about)) * 1.01 && !quick.gathering;
                this.take(quick, about, begun);
                this.has_quick = true;
            }
            if (!this.near.final || !quickly) {
                const full = await ask_picture(about, asked.signal);
                full.final = !full.gathering;
                this.take(full, about, begun);
            }
        } catch {
            /* The question was aborted, or the status line shows the error. */
        }
        if (this.asked !== asked) return;
        this.asked = null;
        if (this.has(about)) return this.later(around_ms, () => this.ask_around());
        const next = {begun, again_ms: Math.min(most_again_ms, 2 * again_ms), quickly: !this.covers(about)};
        this.later(again_ms, () => this.ask_for(about, next));
    }

    async ask_around() {
        const about = this.wanted(0.5);
        if (!about || this.has(about) || !this.has(this.wanted(0))) return;
        const around = (this.around = new AbortController());
        const picture = await quietly(ask_picture(about, around.signal));
        if (this.around !== around) return;
        this.around = null;
        if (!picture || picture.gathering || has_wider_links(picture, this.near)) return;
        picture.final = true;
        picture.took_ms = this.near.took_ms; // The user saw the view after that time.
        this.take(picture, about);
    }

    take(picture, about, begun = 0) {
        number_rows(picture);
        picture.took_ms ??= performance.now() - begun;
        picture.pixel_s = seconds_a_pixel_of(about);
        this.near = picture;
        this.key = key_of(about);
        this.on_picture();
    }

    later(ms, run) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            this.timer = 0;
            run();
        }, ms);
    }

    stop() {
        this.asked?.abort();
        this.around?.abort();
        clearTimeout(this.timer);
        this.asked = this.around = null;
        this.timer = 0;
    }
}

// In an answer, rows are counted from `first_row`. This changes them to count from the first row of the trace.
function number_rows(picture) {
    if (!picture.first_row) return;
    for (const one of picture.messages?.all || []) {
        one[0] += picture.first_row;
        one[1] += picture.first_row;
    }
    for (const of of [picture.waits, picture.counters]) for (const one of of?.all || []) one[0] += picture.first_row;
}

function groups() {
    return state.groups.split(" ");
}

function seconds_a_pixel_of({from, to, pixels}) {
    return (to - from) / pixels;
}

function has_wider_links(picture, than) {
    return ["messages", "waits", "collectives", "counters"].some(
        (one) => picture[one] && than[one] && picture[one].slot_s > 1.01 * than[one].slot_s,
    );
}

// Two questions with the same key differ only in their window, their rows and their resolution.
function key_of({from, to, pixels, first_row, row_count, messages, values, ...rest}) {
    return JSON.stringify({...rest, messages: messages > 0, values: values > 0});
}
