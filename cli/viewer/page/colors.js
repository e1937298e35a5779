// The color of each function, which the server sends with a trace. The same name has the same color everywhere, also in
// pictures that the command draws.

const known = {light: new Map(), dark: new Map()};

function rgb_of(hex) {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

export function learn_colors({functions, colors}) {
    for (const theme of ["light", "dark"])
        functions.forEach((name, i) => known[theme].set(name, rgb_of(colors[theme][i])));
}

// Chooses a color for a name that is no function, such as a clock. It is one of the functions' colors.
function of_other(name, theme) {
    const others = [...known[theme].values()];
    let sum = 0;
    for (let i = 0; i < name.length; ++i) sum = (sum * 31 + name.charCodeAt(i)) >>> 0;
    return others[sum % others.length] || [128, 128, 128];
}

// Returns [red, green, blue].
export function color_of(name, theme) {
    if (!known[theme].has(name)) known[theme].set(name, of_other(name, theme));
    return known[theme].get(name);
}

export function css([red, green, blue], alpha = 1) {
    return alpha === 1 ? `rgb(${red},${green},${blue})` : `rgba(${red},${green},${blue},${alpha})`;
}

// Returns the color for text on this color.
export function ink_on([red, green, blue]) {
    return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#10141b" : "#ffffff";
}

export function mixed(one, other, share) {
    return one.map((part, i) => Math.round(part * (1 - share) + other[i] * share));
}
