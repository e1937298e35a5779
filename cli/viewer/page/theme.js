// The theme, dark or light: the system's choice until the user makes another. Has the colors that canvases need.
import {mixed} from "./colors.js";

const system = matchMedia("(prefers-color-scheme: dark)");
const watchers = [];
export const theme = {name: "light", paper: [255, 255, 255], version: 0};

let chosen_here = null; // The browser may forbid storage: then the choice holds until the page is closed.

function chosen() {
    try {
        return localStorage.getItem("tactus_theme") || chosen_here;
    } catch {
        return chosen_here;
    }
}

function rgb(text) {
    const value = parseInt(text.trim().slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
}

function apply() {
    theme.name = chosen() || (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme.name;
    const style = getComputedStyle(document.documentElement);
    for (const key of ["paper", "panel", "line", "ink", "dim", "accent", "alarm"])
        theme[key] = rgb(style.getPropertyValue(`--${key}`));
    theme.faint = mixed(theme.paper, theme.line, 0.6);
    theme.version += 1;
    for (const run of watchers) run();
}

export function on_theme(run) {
    watchers.push(run);
}

export function start_theme() {
    system.addEventListener("change", apply);
    apply();
}

export function other_theme() {
    chosen_here = theme.name === "dark" ? "light" : "dark";
    try {
        localStorage.setItem("tactus_theme", chosen_here);
    } catch {
        /* See chosen_here. */
    }
    apply();
}
