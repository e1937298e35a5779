// Whatever names a program, its files and its trace have: they are shown as text, and nothing that they say is done.
import {about, expect, test} from "./page.mjs";

const [known] = about.truth;
const odd = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "no UTF-8",
    "'quoted' \"twice\" &amp; ${1}",
    "xxxxxxxx",
];
const tabs = [
    "summary",
    "functions",
    "places",
    "balance",
    "messages",
    "collectives",
    "waits",
    "clocks",
    "losses",
    "text",
];
const asleep_s = 300e-6; // how odd_names.c begins each region
const own_elements = {script: 1, img: 0, b: 0, i: 0, iframe: 0, object: 0, style: 0}; // of index.html

// Nothing but the page's own modules may have made elements, or given them what is run.
async function nothing_done(viewer, when) {
    const counts = await viewer.page.evaluate(
        (tags) => Object.fromEntries(tags.map((tag) => [tag, document.querySelectorAll(tag).length])),
        Object.keys(own_elements),
    );
    for (const [tag, count] of Object.entries(own_elements))
        expect(counts[tag] === count, `${counts[tag]} elements <${tag}> ${when}`);
    const run = await viewer.page.$$eval("*", (all) =>
        all.flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith("on"))),
    );
    expect(run.length === 0, `attributes ${run} ${when}`);
    const wide = await viewer.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide <= 0, `the page is ${wide} pixels too wide ${when}`);
}

async function tables(viewer) {
    await viewer.click("#tab_functions");
    const names = new Set((await viewer.cells("#regions_table")).map((row) => row[0]));
    const plain = (name) => name.replace(/\s+/g, " ").trim();
    const shown = new Set([...names].map(plain));
    for (const {name} of known.report.regions)
        expect(shown.has(plain(name)), `the region ${name.slice(0, 80)} is in the table`);
    for (const name of odd)
        expect(
            [...names].some((one) => one.includes(name)),
            `${name} is text in the table`,
        );
    expect(
        [...names].some((one) => one.length > 5000),
        "the endless name is there in full",
    );
    const [[counter, values]] = await viewer.cells("#counters_table");
    expect(
        counter.includes("<b>residual</b>") && counter.includes('"><script>alert(4)</script>'),
        `the counter: ${counter}`,
    );
    expect(Number(values) === known.report.counters[0].values, `${values} values of the counter`);
    await viewer.picture("functions");
}

// Each region pinned, and under the mouse where the program is in nothing else yet.
async function regions(viewer) {
    await viewer.click("#show_messages");
    for (const name of odd) {
        await viewer.press("Escape", "Escape");
        await viewer.page.fill("#search_input", name);
        await viewer.page.press("#search_input", "Enter");
        const {pin} = await viewer.settled();
        expect(pin?.function_name.includes(name), `${name} is found: ${JSON.stringify(pin).slice(0, 200)}`);
        expect((await viewer.text("#pin_title")).includes(name), `${name} is the title`);
        await nothing_done(viewer, `with ${name} pinned`);
        await viewer.click("#zoom_to_pin");
        await viewer.zoom_to(pin.from, pin.from + asleep_s);
        await viewer.page.mouse.move(...(await viewer.place(pin.from + asleep_s / 2, pin.row)));
        await viewer.page.waitForSelector("#tooltip:not([hidden])");
        expect((await viewer.text("#tooltip")).includes(name), `${name} is told under the mouse`);
        const box = await viewer.page.locator("#tooltip").boundingBox();
        expect(box.width < 900 && box.height < 500, `no name makes the tooltip too large: ${JSON.stringify(box)}`);
        await nothing_done(viewer, `with ${name} under the mouse`);
        await viewer.page.locator("#timeline_0").focus();
        await viewer.press("f");
        const chosen = await viewer.page.locator('#legend [aria-pressed="true"]').getAttribute("data-function");
        expect(chosen === pin.function_name, `it is chosen in the legend: ${chosen.slice(0, 80)}`);
        await viewer.press("f");
    }
    await viewer.picture("pinned");
}

await test(async (viewer) => {
    await viewer.open();
    expect((await viewer.text("#trace_name")).includes("<img src=x"), "the trace's own name is text");
    expect((await viewer.page.title()).includes("<img src=x"), "in the title, too");
    await viewer.picture("whole");
    await tables(viewer);
    await regions(viewer);
    await viewer.click("#zoom_whole");
    for (const overlay of ["counters", "quantity", "path"]) await viewer.click(`#show_${overlay}`);
    for (const tab of tabs) {
        await viewer.click(`#tab_${tab}`);
        await nothing_done(viewer, `in tab ${tab}`);
        await viewer.picture(tab);
    }
    await viewer.click("#tab_functions");
    await viewer.page.locator("#counters_table tbody tr").first().click();
    await viewer.settled();
    await nothing_done(viewer, "with the counter chosen");
    const part = await viewer.page.evaluate(() => window.location.hash);
    await viewer.open(part);
    await nothing_done(viewer, "from an address with odd names");
    const script = encodeURIComponent("<script>alert(7)</script>");
    await viewer.open(
        `#fn=${script}&counter=${script}&rows=${script}&tab=${script}&time=${script}&show=counters,${script}`,
    );
    await nothing_done(viewer, "from an address that somebody made up");
    await viewer.picture("made_up");
});
