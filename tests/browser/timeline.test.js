"use strict";
// The timeline: drawn from a run and from made-up data; zoom, keys, links, what a hover says; a million events.

const { after, before, test } = require("node:test");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { assert, makePage, open, output, painted, screenshot, stopBrowser } = require("./harness.js");
const { grid } = require("./profiles.js");

const { SCOPE_TEST_TOOL: tool, SCOPE_TEST_HEAT: heat, SCOPE_TEST_MPIEXEC: mpiexec, SCOPE_TEST_TIMELINE_DATA: generator } = process.env;
const canvas = "#chart-timeline .chart-body > canvas";
let small;
before(() => { small = ring("timeline-small", 4, 40); });
after(stopBrowser);

/** A page of `ranks` ranks on a ring with about `events` events each, which are always the same. */
function ring(name, ranks, events) {
  const profile = grid(ranks), none = { parallel: null, load_balance: null, communication: null, serialisation: null, transfer: null, run_ns: 0, ideal_ns: 0, approximate: false };
  const notes = Object.fromEntries(["messages", "unmatched_sends", "unmatched_receives", "beyond_window", "collectives", "mismatched_collectives", "partial_collectives", "clock_violations",
    "clock_worst_ns", "unattributed_ns", "folded"].map((key) => [key, 0]));
  execFileSync(generator, [String(ranks), String(events), profile.metadata.run_id, path.join(output, name + ".timeline")]);
  profile.timeline = { file: name + ".timeline", events: 0, from_ns: 0, to_ns: 0, complete: true, waiting_ns: 0, path_ns: 0, efficiency: none, wait_states: [], calls: [],
    ranks: { world: [], rank: [], mpi_ns: [], waiting_ns: [], caused_ns: [], path_ns: [] }, delays: [], critical_path: [], unmatched: [], notes: { ...notes, without: { world: [], rank: [] }, cut: { world: [], rank: [] } } };
  return makePage(name, profile);
}

async function openTimeline(file, options) {
  const opened = await open(file, options);
  await opened.page.waitForSelector("#chart-timeline[data-ready]");
  return opened;
}
const status = (page) => page.textContent("#timeline-view");
const readout = (page) => page.textContent("#chart-timeline > .readout");
const arrows = (page) => page.getAttribute(canvas, "data-arrows").then(Number);
/** What is in view once it has settled, in nanoseconds. */
async function inView(page) {
  await page.waitForTimeout(400);
  await page.waitForSelector(canvas + "[data-from]");
  return page.$eval(canvas, (element) => [element.dataset.from, element.dataset.to].map(Number));
}

test("a small timeline: exact words, keys, arrows, link", async () => {
  const { page, close } = await openTimeline(small);
  assert.match(await page.textContent("#timeline"), /76 calls, 12 regions and 24 messages of 4 ranks\./);
  assert.ok((await painted(page, canvas)) > 10_000);
  const [from, to] = await inView(page);
  assert.equal(from, 0);
  assert.match(await status(page), /^The whole run, .* us; 24 messages\.$/);
  assert.equal(await arrows(page), 24);
  await page.focus(canvas);
  await page.keyboard.press("ArrowRight");
  assert.match(await readout(page), /^rank 0: MPI_Irecv, peer rank 3, tag 1, 8\.00 KiB; 200 ns from [0-9.]+ us$/);
  await page.keyboard.press("Home");
  for (let i = 0; i < 4; ++i) await page.keyboard.press("+");
  const [near, far] = await inView(page);
  assert.ok(Math.abs((far - near) - (to - from) / 16) < 2, `${near} ${far}`);
  assert.match(new URL(page.url()).hash, /^#t=\d+-\d+$/);
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
  assert.match(await readout(page), /^rank 0: MPI_Waitall of MPI_Irecv and 3 more, peer rank 3, tag 1, 8\.00 KiB; /);
  await page.keyboard.press("ArrowDown");
  assert.match(await readout(page), /^rank 1: MPI_Waitall of MPI_Irecv and 3 more, peer rank 0, tag 1, 8\.00 KiB; /);
  await page.keyboard.press("Enter");
  assert.match(new URL(page.url()).hash, /^#rank=1&call=MPI_Waitall(&|$)/);
  assert.match(await page.textContent("#selection"), /^Rank 1 on node000: /);
  const linked = new URL(page.url()).hash;
  await page.keyboard.press("Escape");
  await page.keyboard.press("0");
  assert.deepEqual(await inView(page), [0, to]);
  assert.equal(new URL(page.url()).hash, "");
  await close();
  const second = await openTimeline(small, { hash: linked });
  const [, a, b] = /t=(\d+)-(\d+)/.exec(linked).map(Number);
  assert.deepEqual(await inView(second.page), [a, b]);
  assert.equal(await second.page.inputValue("#pick-rank"), "1");
  await second.close();
});

test("pointer: hover, click, drag, wheel, overview, buttons", async () => {
  const { page, close } = await openTimeline(small);
  await page.locator(canvas).scrollIntoViewIfNeeded();
  const [, end] = await inView(page), box = await page.locator(canvas).boundingBox(), inner = box.width - 76 - 8;
  // The Allreduce that ends the first step: its middle on rank 2, from the data of the table.
  await page.click("#chart-timeline details summary");
  await page.waitForSelector("#timeline-events tbody tr");
  const rows = await page.$$eval("#timeline-events tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.equal(rows.length, 76 + 12);
  const row = rows.find((cells) => cells[0] === "2" && cells[2] === "MPI_Allreduce");
  assert.deepEqual(row.slice(3, 7), ["-", "-", "-", "8 B"]);
  const begin = Number(row[7].split(" ")[0]) * 1000, duration = parseFloat(row[8]) * 1000, at = box.x + 76 + ((begin + duration / 2) / end) * inner, lane = box.y + 24 + 2.5 * 26;
  await page.mouse.move(at, lane);
  assert.match(await page.textContent(".tip"), /^rank 2: MPI_Allreduce, 8 B; /);
  await page.mouse.click(at, lane);
  assert.match(new URL(page.url()).hash, /^#rank=2&call=MPI_Allreduce/);
  await page.mouse.wheel(0, -500);
  const [from, to] = await inView(page);
  assert.ok(to - from < end / 1.9 && from < begin + duration / 2 && to > begin + duration / 2, `${from} ${to}`);
  await page.mouse.move(box.x + 600, lane);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, lane, { steps: 4 });
  await page.mouse.up();
  const [moved, movedTo] = await inView(page), shift = (100 * (to - from)) / inner;
  assert.ok(Math.abs(moved - Math.min(from + shift, end - (to - from))) < (to - from) / 50, `${from} ${moved} ${shift}`);
  assert.ok(Math.abs(movedTo - moved - (to - from)) < 4);
  assert.match(new URL(page.url()).hash, /^#rank=2&call=MPI_Allreduce/);  // a drag is no click
  await page.click('#chart-timeline button[aria-label="Show the whole run"]');
  assert.deepEqual(await inView(page), [0, end]);
  await page.click('#chart-timeline button[aria-label="Zoom in"]');
  const [half, halfTo] = await inView(page);
  assert.ok(Math.abs(halfTo - half - end / 2) < 2);
  await page.click('#chart-timeline button[aria-label="Show the whole run"]');
  const overview = await page.locator("#chart-timeline .overview svg").boundingBox();
  await page.click('#chart-timeline button[aria-label="Zoom in"]');
  await inView(page);
  await page.mouse.move(overview.x + 76 + 0.1 * inner, overview.y + 15);  // outside of what is in view: drawn anew
  await page.mouse.down();
  await page.mouse.move(overview.x + 76 + 0.2 * inner, overview.y + 15, { steps: 3 });
  await page.mouse.up();
  const [drawn, drawnTo] = await inView(page);
  assert.ok(Math.abs(drawn - 0.1 * end) < end / 100 && Math.abs(drawnTo - 0.2 * end) < end / 100, `${drawn} ${drawnTo}`);
  await page.check('input[name="timeline-expand"][value="all"]');
  await inView(page);
  assert.ok((await page.locator(canvas).boundingBox()).height > box.height + 20);
  await screenshot(page, "timeline-small");
  await close();
});

test("without its side file, or with another run's, a page says why and is whole", async () => {
  const profile = JSON.parse(fs.readFileSync(path.join(output, "timeline-small.json"), "utf8"));
  for (const [name, change, reason] of [["timeline-missing", (data) => (data.timeline.file = "nowhere.timeline"), /nowhere\.timeline: No such file or directory/],
    ["timeline-other", (data) => (data.metadata.run_id = "another"), /is the timeline of another run \(r\) than the profile .* \(another\)/]]) {
    const changed = structuredClone(profile);
    change(changed);
    const { page, close } = await open(makePage(name, changed));
    assert.match(await page.textContent("#timeline"), reason);
    assert.equal(await page.$$eval("#chart-timeline", (all) => all.length), 0);
    assert.ok((await painted(page, "#chart-matrix canvas")) > 3000);
    await close();
  }
});

test("a profile that became NAME.old has the timeline that became so", async () => {
  for (const ending of [".json", ".timeline"]) fs.copyFileSync(path.join(output, "timeline-small" + ending), path.join(output, "timeline-before" + ending + ".old"));
  const profile = path.join(output, "timeline-before.json.old");
  fs.writeFileSync(profile, fs.readFileSync(profile, "utf8").replace("timeline-small.timeline", "../elsewhere/timeline-before.timeline"));  // only the name counts
  const { page, close } = await openTimeline(makePage("timeline-before", profile));
  assert.match(await status(page), /24 messages\.$/);
  await close();
});

test("a browser that can't unpack says so", async () => {
  const { page, close } = await open(small, { javaScript: true, init: () => { delete window.DecompressionStream; } });
  await page.waitForSelector("#chart-timeline .alert");
  assert.match(await page.textContent("#chart-timeline .alert"), /This browser can't unpack the timeline/);
  assert.ok((await painted(page, "#chart-matrix canvas")) > 3000);
  await close();
});

test("heat with 4 ranks, recorded", { skip: heat ? false : "no MPI is installed" }, async () => {
  const profile = path.join(output, "heat-traced.json");
  execFileSync(tool, ["run", "--mpi-calls", "--trace", "-q", "-o", profile, mpiexec, "-n", "4", heat, "--size", "200", "--steps", "50", "--imbalance", "0.5"],
    { stdio: ["ignore", "ignore", "inherit"], timeout: 120_000,
      env: { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1", OMPI_MCA_rmaps_base_oversubscribe: "1" } });
  for (const scheme of ["light", "dark"]) {
    const { page, close } = await openTimeline(makePage("heat-traced", profile), { scheme });
    // Ranks in a square: 2 neighbours each, 50 steps.
    assert.match(await page.textContent("#timeline"), /calls and 400 messages of 4 ranks\./);
    assert.equal(await arrows(page), 400);
    await page.focus(canvas);
    await page.keyboard.press("End");
    assert.match(await readout(page), /^rank 0: MPI_Finalize; /);
    const [, to] = await inView(page);
    await page.evaluate((hash) => { location.hash = hash; }, `#t=${Math.round(to * 0.4)}-${Math.round(to * 0.6)}`);
    assert.deepEqual(await inView(page), [Math.round(to * 0.4), Math.round(to * 0.6)]);
    await screenshot(page, "heat-traced-" + scheme);
    await close();
  }
});

/** Medians, in milliseconds, of what painting takes while zooming in and moving. */
async function paintTimes(page) {
  return page.evaluate(async (selector) => {
    const times = [], real = window.requestAnimationFrame.bind(window), element = document.querySelector(selector);
    window.requestAnimationFrame = (callback) => real((now) => {
      const begin = performance.now();
      callback(now);
      times.push(performance.now() - begin);
    });
    const press = async (key, shiftKey = false) => {
      element.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
      await new Promise((done) => real(() => real(done)));
    };
    element.focus();
    for (let i = 0; i < 16; ++i) { await press("+"); await press("ArrowRight", true); }
    for (let i = 0; i < 16; ++i) await press("-");
    window.requestAnimationFrame = real;
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
  }, canvas);
}

test("a million events are drawn as quickly as some thousands", async (context) => {
  const few = await openTimeline(ring("timeline-10k", 16, 800));
  const fewTime = await paintTimes(few.page);
  await few.close();
  const file = ring("timeline-1m", 16, 88_000), begin = Date.now();
  const { page, milliseconds, close } = await openTimeline(file);
  const opened = Date.now() - begin;
  const held = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).timeline);
  assert.ok(held.boxes > 900_000 && held.boxes <= 1_000_000, String(held.boxes));
  const time = await paintTimes(page);
  context.diagnostic(`${held.boxes} events, ${(fs.statSync(file).size / 1e6).toFixed(1)} MB: page after ${milliseconds} ms, timeline after ${opened} ms; painted in ${time.toFixed(1)} ms, 12,000 events in ${fewTime.toFixed(1)} ms`);
  assert.ok(time < Math.max(50, 12 * fewTime), `${time} ms against ${fewTime} ms`);
  assert.ok(opened < 120_000, `${opened} ms`);
  assert.match(await status(page), /messages: zoom in to see them as arrows\.$|messages\.$/);
  await screenshot(page, "timeline-1m");
  await close();
});
