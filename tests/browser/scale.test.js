"use strict";
// 6,000 ranks, merged from synthetic dumps: some ranks stand for all, and the page says so.

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { after, test } = require("node:test");
const { assert, makePage, open, output, painted, screenshot, stopBrowser } = require("./harness.js");

after(stopBrowser);

/** The page of a job of 6,000 ranks; options are merge's. */
function synthetic(name, options) {
  const dumps = path.join(output, name + "-dumps"), profile = path.join(output, name + ".json");
  try {
    execFileSync(process.env.SCOPE_TEST_SYNTHETIC_DUMPS, [dumps, "6000"]);
    execFileSync(process.env.SCOPE_TEST_TOOL, ["merge", "-q", dumps, "-o", profile, ...options], { stdio: ["ignore", "inherit", "ignore"] });
  } finally {
    fs.rmSync(dumps, { recursive: true, force: true });
  }
  return makePage(name, profile);
}

test("6,000 ranks that keep how times spread: ranks stand for others, the matrix has groups, no chart promises more", async () => {
  const { page, seen, close } = await open(synthetic("ranks-6000", []));
  assert.equal(await page.isVisible("#chart-calls-heat"), false);
  assert.match(await page.textContent("#chart-ranks figcaption"),
    /6\d\d of 6,000 ranks: of each 12 in a row the one with the longest time outside MPI/);
  assert.match(await page.textContent("#chart-matrix figcaption"), /a cell is 24 x 24 ranks/);
  assert.ok((await painted(page, "#chart-matrix canvas")) > 3000);
  const readout = page.locator("#chart-matrix .readout"), canvas = page.locator("#chart-matrix canvas");
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await readout.textContent(), /^ranks 0-23 to ranks 24-47: [\d,]+ messages, /);
  assert.equal(await page.$$eval("#table-spread tbody tr", (rows) => rows.length), 8);
  assert.equal(await page.$$eval("#table-call button.expand", (all) => all.length), 0);
  await page.click("#table-call tbody tr:first-child button");
  assert.match(await page.textContent("#selection"), /^MPI_/);
  const rank = await page.$eval("#table-rank tbody button.link", (button) => button.textContent.trim());
  await page.fill("#pick-rank", rank);
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#selection"), new RegExp("^Rank " + rank + " on node"));
  await page.fill("#pick-rank", "9999");
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#selection"), /^This page has 6\d\d of the ranks, and not rank 9999\.$/);
  assert.deepEqual(seen.errors, []);
  await screenshot(page, "ranks-6000");
  await close();
});

test("6,000 ranks of which each is kept have the heat map of those that stand for all", async () => {
  const { page, seen, close } = await open(synthetic("ranks-6000-all", ["--per-rank", "all"]));
  assert.match(await page.textContent("#chart-calls-heat figcaption"), /6\d\d of 6,000 ranks; /);
  assert.ok((await painted(page, "#chart-calls-heat canvas")) > 3000);
  await page.click("#table-call tbody tr:first-child button.expand");
  assert.match(await page.textContent("#table-call tr.detail caption"), /by rank, longest first/);
  assert.deepEqual(seen.errors, []);
  await close();
});
