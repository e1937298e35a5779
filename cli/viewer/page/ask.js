// Asks the server, counts the open questions, and turns errors into text.
import {decode_picture} from "./picture.js";

let open = 0;
const watchers = [];

export function open_questions() {
    return open;
}
export function on_questions(run) {
    watchers.push(run);
}
function told(error = null) {
    for (const run of watchers) run(open, error);
}

function address(question, about) {
    const given = new URLSearchParams();
    for (const [key, value] of Object.entries(about))
        for (const one of Array.isArray(value) ? value : [value])
            if (one !== undefined && one !== null) given.append(key, String(one));
    const text = given.toString();
    return `api/${question}${text ? `?${text}` : ""}`;
}

async function reason(answer) {
    try {
        const {error} = await answer.json();
        if (error) return error;
    } catch {
        /* The answer is not JSON, so only its status is known. */
    }
    return `the server answered ${answer.status}`;
}

async function ask(question, about, signal, read) {
    open += 1;
    told();
    let problem = null;
    try {
        const answer = await fetch(address(question, about), {signal});
        if (!answer.ok) throw new Error(await reason(answer));
        return await read(answer);
    } catch (error) {
        if (error.name === "AbortError") throw error;
        const lost = error instanceof TypeError;
        problem = lost
            ? "The server does not answer. Is `tactus view` still running?"
            : `${question}: ${error.message}`;
        throw new Error(problem);
    } finally {
        open -= 1;
        told(problem);
    }
}

export function ask_json(question, about = {}, signal = undefined) {
    return ask(question, about, signal, (answer) => answer.json());
}

export function ask_picture(about, signal = undefined) {
    return ask("timeline", about, signal, async (answer) => decode_picture(await answer.arrayBuffer()));
}

// Gives null instead of an error. An aborted question is no error, and other errors are shown in the status line.
export function quietly(promise) {
    return promise.catch(() => null);
}
