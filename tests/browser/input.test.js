"use strict";
// Bad and sparse input: the page says what is missing and is never blank; names from a run stay text.

const { after, test } = require("node:test");
const { assert, makePage, open, painted, screenshot, stopBrowser } = require("./harness.js");
const { empty, full, grid, hostile, partial } = require("./profiles.js");

after(stopBrowser);

const hostileTexts = {
  script: "</script></title></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>",
  json: "\\u003c/script>{{data}}]]>-->\u2028\u202e`${alert(4)}`",
  attribute: "\" onmouseover=\"alert(5)\" x='",
};

// What turns or breaks lines is made visible, as everywhere.
const shown = (text) => text.replace(/[\u2028\u202e]/g, (c) => "\\u" + c.charCodeAt(0).toString(16));

for (const [name, text] of Object.entries(hostileTexts)) {
  test(`hostile names stay text: ${name}`, async () => {
    const file = makePage("hostile-" + name, hostile(text));
    const { page, close } = await open(file, { hash: "#rank=1&call=" + encodeURIComponent(text) });
    assert.equal(await page.$$eval("img, iframe, object, [onload], [onerror], [onmouseover]", (all) => all.length), 0);
    assert.equal(await page.$$eval("script", (all) => all.length), 3);
    assert.equal(await page.inputValue("#pick-call"), text);
    assert.ok((await page.textContent("#table-comm tbody th")).includes(shown(text)));
    assert.ok((await page.textContent("#warnings")).includes(shown(text)));
    await page.locator("#chart-calls-heat canvas").scrollIntoViewIfNeeded();
    const box = await page.locator("#chart-calls-heat canvas").boundingBox();
    await page.mouse.move(box.x + box.width / 3, box.y + 46);
    await page.click('#table-call th[data-key="call"] button');
    await screenshot(page, "hostile-" + name);
    await close();
  });
}

test("names of 10 kB are folded and complete", async () => {
  const text = "solver::" + "template_argument<int, double>::".repeat(320);
  const file = makePage("long-names", hostile(text));
  const { page, close } = await open(file);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1280);
  assert.ok((await page.textContent("#table-comm tbody th details")).includes(text));
  assert.ok((await page.$eval("body", (body) => body.offsetHeight)) < 12_000);
  await page.click("#table-call tbody tr:nth-child(1) button.expand");
  await screenshot(page, "long-names");
  await close();
});

test("a program without MPI: the page says so", async () => {
  const { page, close } = await open(makePage("empty", empty()));
  assert.match(await page.textContent("#overview"), /No MPI calls: the program never called MPI_Init \(exit status 0\)\./);
  assert.deepEqual(await page.$$eval("section", (all) => all.map((section) => section.id)), ["overview", "run"]);
  assert.match(await page.textContent("#run"), /\.\/serial/);
  await screenshot(page, "empty");
  await close();
});

test("one rank: no choice of ranks, and the page says why there is no balance", async () => {
  const { page, close } = await open(makePage("one-rank", grid(1)));
  assert.match(await page.textContent("#missing"), /there is one only/);
  assert.match(await page.textContent("#peers"), /No point-to-point message and no one-sided operation was recorded/);
  assert.equal(await page.$$eval("#pick-rank", (all) => all.length), 0);
  assert.ok((await painted(page, "#chart-calls-heat canvas")) > 1000);
  await screenshot(page, "one-rank");
  await close();
});

test("ranks that called no MPI: every section says what it lacks", async () => {
  const profile = grid(2);
  Object.assign(profile, { calls: [], sizes: [], communicators: [] });
  profile.peers.p2p = { world: [], src: [], dst: [], messages: [], bytes: [] };
  for (const rank of profile.ranks) rank.mpi_ns = 0;
  const { page, close } = await open(makePage("no-calls", profile));
  assert.match(await page.textContent("#calls"), /No MPI call was recorded\./);
  assert.match(await page.textContent("#sizes"), /No call that moves bytes was recorded\./);
  assert.match(await page.textContent("#communicators"), /No call on a communicator was recorded\./);
  assert.equal(await page.isVisible("#chart-ranks"), true);
  await close();
});

test("a partial profile: who is missing stands at the top, and the ranks that others name are in the matrix", async () => {
  const { page, close } = await open(makePage("partial", partial()));
  assert.match(await page.textContent("#overview"), /Incomplete: 2 of 4 ranks reported; missing: 2-3/);
  assert.match(await page.textContent("#overview"), /Did not finish MPI: rank 1 killed \(signal 9\) in MPI_Recv/);
  assert.match(await page.getAttribute("#chart-matrix canvas", "aria-label"), /of 3 ranks by bytes/);
  assert.match(await page.textContent("#warnings"), /2 of 4 ranks did not report\./);
  await screenshot(page, "partial");
  await close();
});

test("two worlds: their ranks are told apart", async () => {
  const profile = full();
  profile.worlds.push({ id: 1, size: 1, parent: 0, ranks_reported: 1, missing: [], complete: true });
  profile.worlds[0].size = profile.worlds[0].ranks_reported = 3;
  Object.assign(profile.ranks[3], { world: 1, rank: 0 });
  profile.peers.rma = { world: [1], src: [0], dst: [0], messages: [3], bytes: [300] };
  profile.peers.p2p = { world: [0, 0], src: [0, 1], dst: [1, 0], messages: [1, 1], bytes: [10, 20] };
  for (const site of profile.callsites) site.ranks = site.ranks.filter((rank) => rank < 3);
  profile.callsites = [];
  const { page, close } = await open(makePage("two-worlds", profile), { hash: "#rank=1:0" });
  assert.match(await page.textContent("#selection"), /^Rank 0 of world 1 on node001: /);
  assert.deepEqual(await page.$$eval("#table-rank tr[aria-current]", (all) => all.map((row) => row.dataset.world + ":" + row.dataset.rank)), ["1:0"]);
  assert.equal(await page.$$eval("#table-peer tbody tr", (all) => all.filter((row) => !row.hidden).length), 1);
  await close();
});

test("100,000 signatures and 10,000 call sites", async (context) => {
  const profile = grid(4);
  profile.signatures = Array.from({ length: 100_000 }, (unused, i) => ({ region: "mpi:isend", world: 0, call: "MPI_Isend", comm: 0, peer: i % 4, root: -1, tag: i, bytes: 8, request: null,
    calls: 1, completions: 0, errors: 0, total_ns: 1, min_ns: 1, max_ns: 1, bytes_sent: 8, bytes_received: 0, ranks: [0] }));
  const site = full().callsites[0];
  profile.callsites = Array.from({ length: 10_000 }, (unused, i) => ({ ...site, total_ns: 20_000 - i, stack: [{ ...site.stack[0], line: i + 1 }] }));
  const { page, milliseconds, close } = await open(makePage("many", profile));
  context.diagnostic(`100,000 signatures, 10,000 call sites: drawn after ${milliseconds} ms`);
  assert.match(await page.textContent("#callsites"), /\.\.\. and 8,000 more/);
  await close();
});
