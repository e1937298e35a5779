// Decodes the binary answer to `timeline` (docs/viewer.md, "Pictures"), and finds slots in it.

const types = {Uint8Array, Uint16Array, Uint32Array, Float32Array, Float64Array};
const padded = (size) => Math.ceil(size / 8) * 8;

export function decode_picture(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const picture = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    let at = padded(4 + length);
    for (const {name, type, length: elements} of picture.arrays) {
        const one = new types[type](buffer, at, elements);
        picture[name] = one;
        at += padded(one.byteLength);
    }
    picture.span = places(picture.is_span);
    return picture;
}

// Returns for each slot the index of its span in span_begin, span_end and span_thread plus 1, or 0 if it has none.
function places(is_span) {
    const span = new Uint32Array(is_span.length);
    for (let i = 0, known = 0; i < span.length; ++i) if (is_span[i]) span[i] = ++known;
    return span;
}

// Returns the index of the first element of array[begin..end) that is not less than `value`. The array must be sorted,
// as those of slots are.
function lower(array, begin, end, value) {
    while (begin < end) {
        const middle = (begin + end) >>> 1;
        if (array[middle] < value) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

// Returns the range of indexes of the slots of a row that overlap [from, to].
export function slots_between(picture, row, from, to) {
    const begin = picture.row_begin[row],
        end = picture.row_begin[row + 1];
    const first = Math.max(0, Math.floor((from - picture.from_s) / picture.slot_s));
    const last = Math.max(0, Math.floor((to - picture.from_s) / picture.slot_s));
    return [lower(picture.last, begin, end, first), lower(picture.first, begin, end, last + 1)];
}

// Returns the index of the row's slot at a time, or -1. A long call may begin inside of its first slot, so the
// neighbors are examined, too.
export function slot_at(picture, row, time) {
    const [begin, end] = slots_between(picture, row, time - picture.slot_s, time + picture.slot_s);
    let found = -1;
    for (let i = begin; i < end; ++i) {
        const {from, to} = bounds(picture, i);
        if (time >= from && time < to && (found < 0 || picture.span[i])) found = i;
    }
    return found;
}

// Returns the times of a slot. They are exact if a single call fills it.
export function bounds(picture, i) {
    const span = picture.span[i];
    if (span) return {from: picture.span_begin[span - 1], to: picture.span_end[span - 1]};
    return {
        from: picture.from_s + picture.first[i] * picture.slot_s,
        to: picture.from_s + (picture.last[i] + 1) * picture.slot_s,
    };
}

// Returns the seconds that all threads of the row spent in the function that the slot shows.
export function shown_seconds(picture, row, i) {
    const whole = (picture.last[i] - picture.first[i] + 1) * picture.slot_s * picture.row_threads[row];
    return whole * (picture.busy[i] / 255) * (picture.share[i] / 255);
}

// Pictures are hatched from this share of the time without a core on (docs/timeline.md).
const hatched_share = 0.25;

// Returns the range of indexes of the row's shares without a core in the slots first, first + 1, ... last.
function no_core_between(picture, row, first, last) {
    const begin = picture.no_core_begin[row],
        end = picture.no_core_begin[row + 1];
    return [lower(picture.no_core_slot, begin, end, first), lower(picture.no_core_slot, begin, end, last + 1)];
}

// Returns [{from, to}...], the times between `from` and `to` that are hatched.
export function hatched_pieces(picture, row, from, to) {
    const slot_of = (time) => Math.floor((time - picture.from_s) / picture.slot_s);
    const [begin, end] = no_core_between(picture, row, slot_of(from), slot_of(to));
    const pieces = [];
    let before = -2;
    for (let i = begin; i < end; ++i) {
        if (picture.no_core_share[i] < hatched_share * 255) continue;
        const slot = picture.no_core_slot[i],
            at = picture.from_s + slot * picture.slot_s;
        if (slot !== before + 1) pieces.push({from: at, to: at});
        pieces[pieces.length - 1].to = at + picture.slot_s;
        before = slot;
    }
    return pieces;
}

// Returns the share of the time in the slots first to last that the threads of the row had no core.
export function no_core_share(picture, row, first, last) {
    const [begin, end] = no_core_between(picture, row, first, last);
    let sum = 0;
    for (let i = begin; i < end; ++i) sum += picture.no_core_share[i] / 255;
    return sum / (last - first + 1);
}

// Returns the seconds of all threads without a core between two times. Slots that are partly inside count fully.
export function no_core_seconds(picture, from, to) {
    const first = Math.max(0, Math.floor((from - picture.from_s) / picture.slot_s));
    const last = Math.min(picture.slots - 1, Math.ceil((to - picture.from_s) / picture.slot_s) - 1);
    if (last < first) return 0;
    const whole = (last - first + 1) * picture.slot_s;
    return picture.row_threads.reduce(
        (sum, threads, row) => sum + threads * whole * no_core_share(picture, row, first, last),
        0,
    );
}

// Returns [[function, seconds]...] of all rows between two times, most time first. Slots that are partly inside count
// fully.
export function totals_between(picture, from, to) {
    const sums = new Map();
    const first = Math.max(0, Math.floor((from - picture.from_s) / picture.slot_s));
    const last = Math.min(picture.slots - 1, Math.ceil((to - picture.from_s) / picture.slot_s) - 1);
    for (let i = picture.total_begin[first]; last >= first && i < picture.total_begin[last + 1]; ++i) {
        const key = picture.total_function[i];
        sums.set(key, (sums.get(key) || 0) + picture.total_s[i]);
    }
    return [...sums].sort((one, other) => other[1] - one[1]);
}

// Returns the width of slots that the server uses for a wanted width: the smallest that is not shorter, of all 2^b
// eighths of a nanosecond.
export function slot_for(wanted_s) {
    const least = 1.25e-10;
    return least * 2 ** Math.max(0, Math.ceil(Math.log2(wanted_s / least) - 1e-9));
}
