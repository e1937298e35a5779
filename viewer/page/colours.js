// A colour for each function, by what kind it is: hues that the colour-blind tell apart (after Okabe and Ito),
// lightness that differs between kinds, a few shades within a kind. The same name has the same colour everywhere.

// [hue, saturation, lightness]
const shades = {
    point: [
        [206, 85, 38],
        [200, 80, 58],
        [216, 62, 50],
        [208, 72, 70],
        [222, 55, 36],
        [196, 70, 44],
    ],
    wait: [
        [16, 88, 46],
        [22, 92, 62],
        [8, 68, 40],
        [14, 85, 72],
    ],
    collective: [
        [42, 95, 48],
        [48, 92, 64],
        [36, 90, 40],
        [52, 85, 50],
        [38, 82, 72],
        [45, 70, 34],
    ],
    one_sided: [
        [322, 48, 58],
        [316, 42, 42],
        [328, 62, 74],
        [310, 36, 54],
    ],
    file: [
        [28, 45, 30],
        [32, 38, 44],
        [24, 50, 22],
    ],
    region: [
        [164, 92, 31],
        [150, 48, 48],
        [172, 52, 40],
        [140, 38, 60],
        [160, 45, 66],
        [178, 60, 28],
        [128, 34, 42],
    ],
    other: [
        [262, 24, 58],
        [254, 22, 70],
        [270, 26, 46],
        [246, 20, 52],
    ],
};
const fixed = {
    MPI_Send: 0,
    MPI_Recv: 1,
    MPI_Isend: 2,
    MPI_Irecv: 3,
    MPI_Sendrecv: 4,
    MPI_Start: 5,
    MPI_Waitall: 0,
    MPI_Wait: 1,
    MPI_Waitany: 2,
    MPI_Test: 3,
    MPI_Allreduce: 0,
    MPI_Bcast: 1,
    MPI_Barrier: 2,
    MPI_Reduce: 3,
    MPI_Alltoall: 4,
    MPI_Allgather: 5,
    MPI_Init: 0,
    MPI_Finalize: 1,
    MPI_Init_thread: 0,
};
const special = {
    light: {"(application)": [110, 14, 83], "(not recorded)": [220, 14, 93], "(tracer)": [280, 8, 62]},
    dark: {"(application)": [130, 9, 31], "(not recorded)": [220, 8, 20], "(tracer)": [280, 8, 48]},
};

function kind_of(name) {
    if (name.startsWith("(")) return "special";
    if (!name.startsWith("MPI_")) return "region";
    if (/^MPI_File_/.test(name)) return "file";
    if (/^MPI_(Win_|R?put|R?get$|R?accumulate|R?get_accumulate|Fetch_and_op|Compare_and)/i.test(name))
        return "one_sided";
    if (/^MPI_(Wait|Test|I?m?probe|Parrived)/i.test(name)) return "wait";
    if (/^MPI_P?(I?[bsr]?send|I?m?recv|Isendrecv|Sendrecv|Start|Pready)/i.test(name)) return "point";
    if (/^MPI_I?(barrier|bcast|gather|scatter|allgather|alltoall|reduce|allreduce|scan|exscan|neighbor)/i.test(name))
        return "collective";
    return "other";
}

function hash(text) {
    let value = 2166136261;
    for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
    return value >>> 0;
}

function rgb_of([hue, saturation, lightness]) {
    const s = saturation / 100,
        l = lightness / 100,
        a = s * Math.min(l, 1 - l);
    const part = (n) => {
        const k = (n + hue / 30) % 12;
        return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
    };
    return [part(0), part(8), part(4)];
}

const known = {light: new Map(), dark: new Map()};

// [red, green, blue]
export function colour_of(name, theme) {
    let colour = known[theme].get(name);
    if (colour) return colour;
    const kind = kind_of(name);
    if (kind === "special") colour = rgb_of(special[theme][name] || special[theme]["(application)"]);
    else colour = rgb_of(shades[kind][(fixed[name] ?? hash(name)) % shades[kind].length]);
    known[theme].set(name, colour);
    return colour;
}

export function css([red, green, blue], alpha = 1) {
    return alpha === 1 ? `rgb(${red},${green},${blue})` : `rgba(${red},${green},${blue},${alpha})`;
}

// What is written on it.
export function ink_on([red, green, blue]) {
    return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#10141b" : "#ffffff";
}

export function mixed(one, other, share) {
    return one.map((part, i) => Math.round(part * (1 - share) + other[i] * share));
}
