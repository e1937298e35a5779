// Ranks that share a core: the time line is hatched where they had none, the legend and the tooltip tell it, and a
// button takes the hatching away.
import {about, expect, test} from "./page.mjs";

const [known] = about.truth;
const percent = (text) => Number(/([\d.]+) %/.exec(text)[1]) / 100;
const pixels = (viewer) => viewer.page.$eval("#timeline_0", (canvas) => canvas.toDataURL());

// The shares that `tactus timeline` told, over the time from one to the other.
function share_between({rows, slot_s, from_s}, row, from, to) {
    let sum = 0;
    for (const {slot, share} of rows[row].without_core) {
        const begin = from_s + slot * slot_s;
        sum += share * Math.max(0, Math.min(to, begin + slot_s) - Math.max(from, begin));
    }
    return sum / (to - from);
}

await test(async (viewer) => {
    await viewer.open();
    await viewer.picture("whole");
    const legend = await viewer.text("#legend_no_core");
    expect(legend.startsWith("had no core") && percent(legend) > 0.1, `the legend says: ${legend}`);
    // In the middle of the longest time between two barriers of rank 0.
    const barriers = known.calls.filter(({rank, function: name}) => rank === 0 && name === "MPI_Barrier");
    const gaps = barriers.slice(1).map((call, i) => [barriers[i].begin_s + barriers[i].length_s, call.begin_s]);
    const [from, to] = gaps.reduce((best, gap) => (gap[1] - gap[0] > best[1] - best[0] ? gap : best));
    await viewer.page.mouse.click(...(await viewer.place((from + to) / 2, 0, 0.5)));
    const {pin} = await viewer.settled();
    expect(pin?.function_name === "(application)", `the time between is pinned: ${JSON.stringify(pin)}`);
    const details = await viewer.text("#details");
    const told = /had no core\s+for ([\d.]+ %) of this time/.exec(details);
    expect(told, `it is told that it had no core: ${details}`);
    const expected = share_between(known.timeline, 0, pin.from, pin.to);
    expect(expected > 0.25, `rank 0 had no core for ${expected} of it`);
    expect(Math.abs(percent(told[1]) - expected) < 0.15, `the page says ${told[1]}, tactus timeline ${expected}`);
    await viewer.click("#show_no_core");
    const plain = await pixels(viewer);
    expect((await viewer.page.locator("#legend_no_core").count()) === 0, "what is not hatched is not in the legend");
    await viewer.press("7");
    expect((await pixels(viewer)) !== plain, "key 7 brings the hatching back");
    expect((await viewer.page.locator("#legend_no_core").count()) === 1, "and its entry in the legend");
    await viewer.press("7");
    expect((await pixels(viewer)) === plain, "and takes it away");
    await viewer.press("7");
    await viewer.picture("pinned");
});
