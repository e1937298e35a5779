// Formats numbers for people.

const time_units = [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "µs"],
    [1e-9, "ns"],
];

// Writes three or four significant digits.
function digits(value) {
    const size = Math.abs(value);
    return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

export function duration(seconds) {
    if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "unknown";
    if (seconds === 0) return "0 s";
    const [unit, name] = time_units.find(([one]) => Math.abs(seconds) >= one * 0.9995) || time_units[3];
    return `${digits(seconds / unit)} ${name}`;
}

// Writes a point in time with as many digits as are needed to distinguish times that are `step` apart.
export function moment(seconds, step = 1e-9) {
    const places = Math.min(10, Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1e-10)) + 0.001)));
    return `${seconds.toFixed(places)} s`;
}

export function bytes(count) {
    if (!Number.isFinite(count)) return "unknown";
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let unit = 0;
    while (Math.abs(count) >= 1024 && unit + 1 < units.length) {
        count /= 1024;
        unit += 1;
    }
    return `${unit === 0 ? count : digits(count)} ${units[unit]}`;
}

export function percent(share) {
    return Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : "–";
}

export function number(value) {
    if (value === null || value === undefined) return "–";
    if (Number.isInteger(value)) return value.toLocaleString("en-US");
    return Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3 ? value.toExponential(3) : value.toPrecision(4);
}

export function many(count, one, more = `${one}s`) {
    return `${number(count)} ${count === 1 ? one : more}`;
}

export function shortened(text, most) {
    return text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
}

// The names of the kinds of waits, which the server sends with a trace.
const wait_names = new Map();

export function learn_wait_names({wait_names: names}) {
    for (const [kind, name] of Object.entries(names)) wait_names.set(kind, name);
}

export function wait_words(kind) {
    return wait_names.get(kind) || String(kind);
}
