// The page of `tactus view` in a browser: opened, waited for, asked what it shows. Whatever the browser complains
// about, a dialog, or a request to anyone but the server makes the test fail.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

export const about = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const {chromium} = createRequire(about.modules)("playwright-core");
export const same_time_s = 2e-9; // `tactus dump` and the tables have nanoseconds
const limit_ms = 250_000; // what takes longer hangs; tests/launchers.py ends the browser soon after

export function expect(holds, what) {
    if (!holds) throw new Error(`not true: ${what}`);
}

const units = {s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9};

export function number(text) {
    return Number(text.replaceAll(",", ""));
}

// Of a length of time as the page writes it, such as 1.290 s.
export function seconds(text) {
    return number(text.split(" ")[0]) * units[text.split(" ")[1]];
}

export function close(one, other, slack = same_time_s) {
    return Math.abs(one - other) <= slack;
}

function watched(page, complaints) {
    const own = new URL(about.address).origin;
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`exception: ${error.stack}`));
    page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("request", (request) => {
        const {protocol, origin} = new URL(request.url());
        if (origin !== own && !["data:", "blob:", "about:"].includes(protocol))
            complaints.push(`a request to ${request.url()}`);
    });
    page.on("response", (response) => {
        if (response.status() >= 400) complaints.push(`${response.status()} for ${response.url()}`);
    });
    page.setDefaultTimeout(limit_ms);
}

export class Viewer {
    constructor(page) {
        this.page = page;
        this.keyboard = page.keyboard;
        this.pictures = 0;
    }
    async open(part = "") {
        await this.page.goto("about:blank");
        await this.page.goto(about.address + part);
        await this.page.waitForSelector("#timeline_0");
        return this.settled();
    }
    // What the page shows, when it has answers to all it asked.
    async settled() {
        await this.page.waitForTimeout(30); // an event that was just sent has come
        await this.page.evaluate(() => window.tactus_test.settled());
        return this.page.evaluate(() => window.tactus_test.state());
    }
    async press(...keys) {
        for (const key of keys) await this.keyboard.press(key);
        return this.settled();
    }
    async click(selector) {
        await this.page.click(selector);
        return this.settled();
    }
    text(selector) {
        return this.page.locator(selector).innerText();
    }
    // Cells of a table, row by row, without its head.
    cells(selector) {
        return this.page.$$eval(`${selector} tbody tr`, (rows) =>
            rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim())),
        );
    }
    async picture(name) {
        await this.page.screenshot({path: `${about.screenshots}/${about.case}-${++this.pictures}-${name}.png`});
    }
    // Where a time of a row is, on the screen.
    async place(time, row, down = 0.2, trace = 0) {
        const {from, to, gutter, top, row_height, first_row} = await this.page.evaluate(() =>
            window.tactus_test.state(),
        );
        const box = await this.page.locator(`#timeline_${trace}`).boundingBox();
        const x = box.x + gutter + ((time - from) / (to - from)) * (box.width - gutter);
        return [x, box.y + top + (row - first_row + down) * row_height];
    }
    // By dragging along the time axis, as often as it takes.
    async zoom_to(from, to) {
        for (let turn = 0; ; ++turn) {
            const now = await this.settled();
            expect(turn < 30, `${from} to ${to} comes closer, from ${now.from} to ${now.to}`);
            const [left, y] = await this.place(Math.max(from, now.from), 0);
            const [right] = await this.place(Math.min(to, now.to), 0);
            if (right - left > 200) return now;
            const axis = await this.page.locator("#axis").boundingBox();
            const middle = (left + right) / 2,
                half = Math.max(12, (right - left) / 2 + 4);
            await this.page.mouse.move(middle - half, axis.y + axis.height / 2);
            await this.page.mouse.down();
            await this.page.mouse.move(middle + half, axis.y + axis.height / 2, {steps: 4});
            await this.page.mouse.up();
            expect(y > axis.y, "rows are below the axis");
        }
    }
}

// Runs a test in a browser of its own, and ends the process: 0 where all was as it should be.
export async function test(run) {
    const complaints = [];
    // Containers rarely let a browser make its sandbox; the one page it sees is ours.
    const browser = await chromium.launch({executablePath: about.chromium, args: ["--no-sandbox"], timeout: limit_ms});
    const page = await browser.newPage({viewport: {width: 1500, height: 900}});
    const viewer = new Viewer(page);
    let failed = null;
    try {
        watched(page, complaints);
        await run(viewer);
    } catch (error) {
        failed = error;
        await viewer.picture("failed").catch(() => {});
    }
    await browser.close();
    if (failed) console.error(failed.stack);
    for (const one of complaints) console.error(one);
    process.exit(failed || complaints.length > 0 ? 1 : 0);
}
