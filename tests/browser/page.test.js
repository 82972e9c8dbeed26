"use strict";
// Every view with every kind of data: clicks, keys, links, what a screen reader gets.

const { after, before, test } = require("node:test");
const { assert, column, makePage, open, painted, screenshot, stopBrowser } = require("./harness.js");
const { full, grid } = require("./profiles.js");

let file;
before(() => { file = makePage("full", full()); });
after(stopBrowser);

const selection = (page) => page.$eval("#selection", (element) => (element.hidden ? "" : element.textContent));

test("every view is drawn, light and dark", async () => {
  for (const scheme of ["light", "dark"]) {
    const { page, close } = await open(file, { scheme });
    for (const id of ["calls-heat", "ranks", "matrix", "sizes", "regions"]) assert.equal(await page.isVisible("#chart-" + id), true, id);
    for (const id of ["calls-heat", "matrix"]) assert.ok((await painted(page, `#chart-${id} canvas`)) > 3000, id);
    assert.equal(await page.$$eval("#chart-ranks .column", (all) => all.length), 4);
    assert.equal(await page.$$eval("#chart-sizes .size", (all) => all.length), 4);
    assert.equal(await page.$$eval("#chart-regions .region", (all) => all.length), 5);
    assert.deepEqual(await page.$$eval("section", (all) => all.map((section) => section.id)),
      ["overview", "findings", "calls", "ranks", "peers", "sizes", "communicators", "callsites", "regions", "missing", "run", "warnings"]);
    assert.match(await page.textContent("#findings li"), /Rank 1 waits 0.4 s/);
    await screenshot(page, "full-" + scheme);
    await close();
  }
});

test("the theme button turns light into dark", async () => {
  const { page, close } = await open(file);
  const ground = () => page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
  const light = await ground();
  await page.click("#theme");
  assert.notEqual(await ground(), light);
  await page.click("#theme");
  assert.equal(await ground(), light);
  await close();
});

test("a column is sorted by click and by keyboard, and says so", async () => {
  const { page, close } = await open(file);
  const head = '#table-call th[data-key="calls"]';
  await page.click(head + " button");
  const numbers = (await column(page, "call", "calls")).map((text) => Number(text.replaceAll(",", "")));
  assert.deepEqual(numbers, [...numbers].sort((a, b) => b - a));
  assert.equal(await page.getAttribute(head, "aria-sort"), "descending");
  await page.focus(head + " button");
  await page.keyboard.press("Enter");
  assert.deepEqual((await column(page, "call", "calls")).map((text) => Number(text.replaceAll(",", ""))), [...numbers].sort((a, b) => a - b));
  assert.equal(await page.getAttribute(head, "aria-sort"), "ascending");
  await page.click('#table-call th[data-key="call"] button');
  const names = await column(page, "call", "call");
  assert.deepEqual(names, [...names].sort());
  assert.equal(await page.$$eval("#table-call [aria-sort]", (all) => all.length), 1);
  await close();
});

test("the filter keeps the rows that match and counts them", async () => {
  const { page, close } = await open(file);
  await page.fill('input[aria-label="Filter the rows of: MPI calls by time"]', "comm_");
  assert.deepEqual((await column(page, "call", "call")).sort(), ["MPI_Comm_free", "MPI_Comm_split"]);
  assert.equal(await page.textContent("#calls .count"), "2 of 17 rows");
  await close();
});

test("hidden columns come on demand", async () => {
  const { page, close } = await open(file);
  assert.equal(await page.isVisible('#table-call th[data-key="min_ns"]'), false);
  await page.check("#calls .table-tools input[type=checkbox]");
  assert.equal(await page.isVisible('#table-call th[data-key="min_ns"]'), true);
  await close();
});

test("a call opens into its ranks, longest first", async () => {
  const { page, close } = await open(file);
  await page.click('#table-call tr[data-call="MPI_Waitall"] button.expand');
  const rows = await page.$$eval("#table-call tr.detail tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows.map((row) => row[0]), ["rank 2", "rank 0", "rank 1", "rank 3"]);
  assert.deepEqual(rows[0], ["rank 2", "node001", "427 ms", "400", "0 B", "1.56 MiB"]);
  assert.equal(new URL(page.url()).hash, "#call=MPI_Waitall");
  assert.equal(await page.getAttribute('#table-call tr[data-call="MPI_Waitall"] button.expand', "aria-expanded"), "true");
  await page.click('#table-call tr[data-call="MPI_Waitall"] button.expand');
  assert.equal(await page.$$eval("#table-call tr.detail", (all) => all.length), 0);
  assert.equal(new URL(page.url()).hash, "");
  await close();
});

test("a rank that is chosen in one view is chosen in all, and is taken back", async () => {
  const { page, close } = await open(file);
  await page.click("#chart-ranks .column:nth-of-type(5) .hit");  // axis, then ranks 0..3
  assert.equal(new URL(page.url()).hash, "#rank=3");
  assert.equal(await page.inputValue("#pick-rank"), "3");
  assert.match(await selection(page), /^Rank 3 on node001: 2\.000 s wall, 160 ms in MPI \(8\.0 %\), most of it in MPI_Waitall \(100 ms\)$/);
  assert.deepEqual(await page.$$eval("#table-rank tr[aria-current]", (all) => all.map((row) => row.dataset.rank)), ["3"]);
  assert.deepEqual(await column(page, "peer", "src"), ["1", "3", "2", "3", "3"]);
  assert.deepEqual(await column(page, "peer", "dst"), ["3", "1", "3", "2", "0"]);
  assert.deepEqual((await column(page, "callsite", "call")).sort(), ["MPI_Bcast", "MPI_Waitall"]);
  assert.equal(await page.textContent("#table-call th.of-rank >> nth=1"), "rank 3 time");
  assert.equal(await page.textContent('#table-call tr[data-call="MPI_Waitall"] td.of-rank >> nth=1'), "100 ms");
  assert.match(await page.textContent("#chart-matrix .partners"), /^Rank 3 sends 800 messages, 3\.91 MiB to 2 ranks \(most to rank 1, 3\.13 MiB\); it is sent /);
  await screenshot(page, "full-rank-3");
  await page.click("#clear");
  assert.equal(new URL(page.url()).hash, "");
  assert.equal(await selection(page), "");
  assert.equal(await page.$$eval(".of-rank", (all) => all.length), 0);
  await close();
});

test("communicators and sizes show the rows that the chosen rank has part in", async () => {
  const profile = grid(4), signature = (call, comm, bytes, ranks) => ({ region: "x", world: 0, call, comm, peer: -1, root: -1, tag: -1, bytes, request: null, calls: ranks.length,
    completions: 0, errors: 0, total_ns: 100, min_ns: 1, max_ns: 2, bytes_sent: 0, bytes_received: 0, ranks });
  profile.communicators.push({ ...profile.communicators[0], id: 1, name: "row", size: 2 });
  profile.signatures = [signature("MPI_Allreduce", 0, 8, [0, 1, 2, 3]), signature("MPI_Isend", 1, 1024, [0, 1]), signature("MPI_Isend", 0, 65536, [2]),
    signature("MPI_Allreduce", 0, 1024, [3]), signature("MPI_Isend", 0, 8, [3]), signature("MPI_Isend", 0, 2048, [1]), signature("MPI_Allreduce", 0, 2048, [1]),
    signature("MPI_Allreduce", 0, 65536, [0])];
  const { page, close } = await open(makePage("parts", profile));
  const shown = async () => [(await column(page, "comm", "name")).sort(), (await column(page, "size", "call")).length];
  assert.deepEqual(await shown(), [["MPI_COMM_WORLD", "row"], 8]);
  for (const [rank, names, rows] of [["1", ["MPI_COMM_WORLD", "row"], 4], ["2", ["MPI_COMM_WORLD"], 2], ["3", ["MPI_COMM_WORLD"], 3]]) {
    await page.fill("#pick-rank", rank);
    await page.keyboard.press("Enter");
    assert.deepEqual(await shown(), [names, rows], "rank " + rank);
  }
  assert.match(await page.textContent("#chart-sizes .fixed"), /of all ranks \(the table below has the rows of the chosen one\)/);
  await close();
});

test("a link restores rank and call, and going back follows", async () => {
  const { page, close } = await open(file, { hash: "#rank=2&call=MPI_Isend" });
  assert.equal(await page.inputValue("#pick-rank"), "2");
  assert.equal(await page.inputValue("#pick-call"), "MPI_Isend");
  assert.deepEqual([...new Set(await column(page, "size", "call"))], ["MPI_Isend"]);
  assert.match(await page.textContent("#table-call tr.detail caption"), /^MPI_Isend by rank/);
  await page.fill("#pick-rank", "1");
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).hash, "#rank=1&call=MPI_Isend");
  await page.goBack();
  assert.equal(await page.inputValue("#pick-rank"), "2");
  await page.click('nav a[href="#sizes"]');
  assert.equal(new URL(page.url()).hash, "#rank=2&call=MPI_Isend&view=sizes");
  await close();
});

test("a link to what is not there chooses nothing", async () => {
  const { page, close } = await open(file, { hash: "#rank=99&call=%3Cimg%20src%3Dx%3E" });
  assert.equal(await selection(page), "");
  await page.fill("#pick-rank", "77");
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute("#pick-rank", "aria-invalid"), "true");
  await close();
});

test("the matrix gives numbers to pointer and keyboard, by layer and quantity", async () => {
  const { page, close } = await open(file);
  const canvas = page.locator("#chart-matrix canvas"), readout = page.locator("#chart-matrix .readout");
  assert.match(await canvas.getAttribute("aria-label"), /^Point-to-point communication matrix of 4 ranks by bytes; the numbers are in the table of peers/);
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await readout.textContent(), "rank 0 to rank 1: 400 messages, 800 KiB");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await readout.textContent(), "rank 2 to rank 1: 0 messages, 0 B");
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).hash, "#rank=2");
  await page.keyboard.press("Escape");
  assert.equal(new URL(page.url()).hash, "");
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width - 5, box.y + 5);
  assert.equal(await page.isVisible(".tip"), false);
  await page.check("input[name=matrix-layer][value=rma]");
  await page.check("input[name=matrix-quantity][value=messages]");
  assert.match(await canvas.getAttribute("aria-label"), /^One-sided communication matrix of 4 ranks by messages/);
  await canvas.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await readout.textContent(), "rank 3 to rank 0: 7 operations, 7.00 KiB");
  assert.match(await page.textContent("#chart-matrix .legend"), /dashed lines: between nodes/);
  await close();
});

test("hovering the heat map shows its cell's numbers, a click chooses both", async () => {
  const { page, close } = await open(file);
  await page.locator("#chart-calls-heat canvas").scrollIntoViewIfNeeded();
  const box = await page.locator("#chart-calls-heat canvas").boundingBox();
  await page.mouse.move(box.x + 230, box.y + 34 + 12);
  assert.match(await page.textContent(".tip"), /^MPI_Waitall of rank \d on node00\d: \d+ ms, 400 calls, sent 0 B, received 1\.56 MiB$/);
  await page.mouse.click(box.x + 230, box.y + 34 + 12);
  assert.match(new URL(page.url()).hash, /^#rank=\d&call=MPI_Waitall$/);
  await close();
});

test("regions: a click looks into one, the next back", async () => {
  const { page, close } = await open(file);
  const names = () => page.$$eval("#chart-regions .region", (all) => all.map((box) => box.getAttribute("aria-label").split(":")[0]));
  assert.deepEqual(await names(), ["all regions", "main", "main/solve", "main/solve/exchange", "main/write"]);
  await page.locator("#chart-regions .region >> nth=2").focus();
  await page.keyboard.press("Enter");
  assert.deepEqual(await names(), ["main/solve", "main/solve/exchange"]);
  assert.match(await page.textContent("#chart-regions .readout"), /^main\/solve: 3\.400 s over all ranks, 4 times, 400 ms of it in MPI$/);
  await page.locator("#chart-regions .region >> nth=0").click();
  assert.equal((await names())[0], "main");
  await close();
});

test("names for screen readers: landmarks, headings, controls, charts, tables", async () => {
  const { page, close } = await open(file);
  const unnamed = await page.$$eval("button, input, select, canvas, [role=img], [tabindex='0']", (all) => all.filter((element) => {
    const label = element.getAttribute("aria-label") || element.textContent.trim() || (element.labels && [...element.labels].map((label) => label.textContent).join("").trim());
    return !label;
  }).map((element) => element.outerHTML.slice(0, 120)));
  assert.deepEqual(unnamed, []);
  for (const landmark of ["header", "nav[aria-label]", "main", "footer"]) assert.equal(await page.$$eval(landmark, (all) => all.length), 1, landmark);
  assert.equal(await page.$$eval("h1", (all) => all.length), 1);
  assert.equal(await page.$$eval("section", (all) => all.filter((section) => !document.getElementById(section.getAttribute("aria-labelledby"))).length), 0);
  assert.equal(await page.$$eval("table", (all) => all.filter((table) => !table.caption || !table.querySelector("th[scope=col]")).length), 0);
  assert.equal(await page.$$eval("figure", (all) => all.filter((figure) => !figure.closest("section").querySelector("table")).length), 0);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await close();
});

test("without JavaScript the tables are there and no chart is promised", async () => {
  const { page, close } = await open(file, { javaScript: false });
  assert.equal(await page.locator("#table-call tbody tr").count(), 17);
  assert.equal(await page.locator("figure:visible").count(), 0);
  assert.match(await page.locator("noscript").textContent(), /need JavaScript/);
  await screenshot(page, "full-no-javascript", { javaScript: false });
  await close();
});

test("on paper and on a narrow screen nothing is cut off", async () => {
  const { page, close } = await open(file, { scheme: "dark", width: 420 });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 420);
  await screenshot(page, "full-narrow");
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.isVisible("header.top"), false);
  assert.equal(await page.isVisible("#table-call"), true);
  await close();
});
