// What a person sees of `tactus view`, for bench/view.   view.mjs FOLDER ADDRESS VIEWS SECONDS
import {createRequire} from "node:module";
import {join, resolve} from "node:path";

const [folder, address, views, seconds] = process.argv.slice(2);
const {chromium} = createRequire(join(resolve(folder), "x.js"))("playwright-core");

const sorted = (values) => [...values].sort((a, b) => a - b);
const part = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(share * values.length))];

// In the page, so that nothing but the page is measured: from the change of the address to the settled picture.
async function settled_after(page, hash) {
    return page.evaluate(async (to) => {
        const begin = performance.now();
        location.hash = to;
        await window.tactus_test.drawn();
        return performance.now() - begin;
    }, hash);
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
// The page allows no evaluated text, which waitForFunction would be.
await page.evaluate(async () => {
    while (!(document.querySelector("#timeline_0") && window.tactus_test.state().slot_s > 0))
        await new Promise((done) => setTimeout(done, 5));
});
console.log(`first picture in the browser: ${Date.now() - begin} ms`);
await page.evaluate(() => window.tactus_test.settled());
const times = [];
for (let i = 0; i < Number(views); ++i) {
    const length = Number(seconds) / 2 ** (10 * Math.random());
    const from = Math.random() * (Number(seconds) - length);
    times.push(await settled_after(page, `from=${from}&to=${from + length}&show=`));
}
console.log(`settled after a zoom: median ${part(times, 0.5).toFixed(0)}, 95 % ${part(times, 0.95).toFixed(0)} ms`);
console.log(`moving: ${(await frames_while_moving(page)).toFixed(0)} frames a second`);
await browser.close();
