// Measures in a browser what a user sees of `tactus view`, for bench/view. Usage: view.mjs FOLDER ADDRESS VIEWS SECONDS
import {createRequire} from "node:module";
import {join, resolve} from "node:path";

const [folder, address, views, seconds] = process.argv.slice(2);
const {chromium} = createRequire(join(resolve(folder), "x.js"))("playwright-core");

const sorted = (values) => [...values].sort((a, b) => a - b);
const part = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(share * values.length))];

// Measures inside of the page, so that nothing but the page is measured. Returns the times from the change of the
// address to a picture of all that is in view, and to the picture in full detail.
async function times_of(page, [from, to], show) {
    return page.evaluate(async (hash) => {
        await new Promise((done) => setTimeout(done, 200)); // the time that a user looks at it
        const begin = performance.now();
        location.hash = hash;
        await window.tactus_test.pictured();
        const pictured = performance.now() - begin;
        await window.tactus_test.drawn();
        return [pictured, performance.now() - begin];
    }, `from=${from}&to=${to}&show=${show}`);
}

async function measure(page, what, windows, show) {
    const pictured = [],
        settled = [];
    for (const window of windows) {
        const [first, last] = await times_of(page, window, show);
        pictured.push(first);
        settled.push(last);
    }
    const text = (times) => `median ${part(times, 0.5).toFixed(0)}, 95 % ${part(times, 0.95).toFixed(0)} ms`;
    console.log(`${what}: all in view ${text(pictured)}; in full detail ${text(settled)}`);
}

// Each zoom is one and a half to four times closer, at a random place in view. After a window of less than a thousandth
// of the run, it begins again with the whole run.
function* zooms(count, end) {
    let from = 0,
        to = end;
    for (let i = 0; i < count; ++i) {
        if (to - from < end / 1000) [from, to] = [0, end];
        const at = from + Math.random() * (to - from),
            by = 1.5 + 2.5 * Math.random();
        [from, to] = [at - (at - from) / by, at + (to - at) / by];
        yield [from, to];
    }
}

function* jumps(count, end) {
    for (let i = 0; i < count; ++i) {
        const length = end / 2 ** (10 * Math.random());
        const from = Math.random() * (end - length);
        yield [from, from + length];
    }
}

async function frames_while_moving(page) {
    const box = await page.locator("#timeline_0").boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.8, y);
    await page.mouse.down();
    const counted = page.evaluate(
        () =>
            new Promise((done) => {
                const begin = performance.now();
                let frames = 0;
                const next = () => {
                    frames += 1;
                    const passed = performance.now() - begin;
                    if (passed < 2000) requestAnimationFrame(next);
                    else done((1000 * frames) / passed);
                };
                requestAnimationFrame(next);
            }),
    );
    for (let i = 0; i < 100; ++i) {
        await page.mouse.move(box.x + box.width * (0.8 - 0.006 * i), y);
        await page.waitForTimeout(15);
    }
    await page.mouse.up();
    return counted;
}

const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox"]});
const page = await browser.newPage({viewport: {width: 1400, height: 900}});
const begin = Date.now();
await page.goto(`${address}#show=`);
// waitForFunction cannot be used, because the page forbids the evaluation of text.
await page.evaluate(async () => {
    while (!(document.querySelector("#timeline_0") && window.tactus_test.state().slot_s > 0))
        await new Promise((done) => setTimeout(done, 5));
});
console.log(`first picture in the browser: ${Date.now() - begin} ms`);
await page.evaluate(() => window.tactus_test.settled());
for (const [what, show] of [
    ["", ""],
    [", with links", "messages,waits,collectives"],
]) {
    await measure(page, `zooms${what}`, zooms(+views, +seconds), show);
    await measure(page, `jumps${what}`, jumps(+views, +seconds), show);
}
console.log(`moving: ${(await frames_while_moving(page)).toFixed(0)} frames a second`);
await browser.close();
