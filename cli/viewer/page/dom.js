// Makes elements from data. What comes from a trace becomes text, never markup.

// Makes an element: `make("button", {id: "x", class: "y", on: {click}, "aria-label": "z"}, "text", child)`.
export function make(tag, about = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(about)) {
        if (value === undefined || value === null || value === false) continue;
        if (name === "on") for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
        else if (name === "class") element.className = value;
        else if (name === "style") Object.assign(element.style, value);
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(
        ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
    );
    return element;
}

export function by_id(id) {
    return document.getElementById(id);
}

export function fill(element, ...children) {
    element.replaceChildren(
        ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
    );
}

// Makes a button that is on or off.
export function toggle(text, pressed, run, about = {}) {
    return make(
        "button",
        {type: "button", class: "toggle", "aria-pressed": String(pressed), on: {click: run}, ...about},
        text,
    );
}

export function button(text, run, about = {}) {
    return make("button", {type: "button", on: {click: run}, ...about}, text);
}

export function choice(label, options, value, run, about = {}) {
    const select = make(
        "select",
        {"aria-label": label, on: {change: () => run(select.value)}, ...about},
        options.map(([key, text]) => make("option", {value: key}, text)),
    );
    select.value = value;
    return select;
}

// Clears the canvas and gives it this size, with the resolution of the screen. Returns its context, whose units are CSS
// pixels.
export function fit_canvas(canvas, width, height) {
    const scale = window.devicePixelRatio || 1;
    const wide = Math.max(1, Math.round(width * scale)),
        high = Math.max(1, Math.round(height * scale));
    if (canvas.width !== wide || canvas.height !== high) {
        canvas.width = wide;
        canvas.height = high;
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
}

export function announce(text) {
    by_id("live").textContent = text;
}
