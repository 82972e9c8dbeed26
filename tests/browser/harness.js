"use strict";
// What the browser tests share: makes pages with the built tool, opens them in Chromium, and watches what they do.
// CTest gives the surroundings: SCOPE_TEST_TOOL, SCOPE_TEST_CHROMIUM, SCOPE_TEST_HEAT (the demo, "" where there is no MPI),
// SCOPE_TEST_MPIEXEC, SCOPE_TEST_TIMELINE_DATA (timeline_data.cpp), SCOPE_TEST_OUTPUT (pages and screenshots are kept there).

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { createRequire } = require("node:module");

const output = process.env.SCOPE_TEST_OUTPUT;
const tool = process.env.SCOPE_TEST_TOOL;
// npm installs into the build tree.
const { chromium } = createRequire(path.join(output, "package.json"))("playwright-core");

const browserTimeout = 120_000; // of one action; generous, machines are busy

/** Writes the profile and makes its page; returns the page's path. */
function makePage(name, profile, options = []) {
  const input = typeof profile === "string" ? profile : path.join(output, name + ".json");
  if (typeof profile !== "string") fs.writeFileSync(input, JSON.stringify(profile));
  const page = path.join(output, name + ".html");
  execFileSync(tool, ["report", input, "-o", page, ...options], { stdio: ["ignore", "inherit", "inherit"] });
  return page;
}

let browser = null;
async function startBrowser() {
  browser = browser || (await chromium.launch({ executablePath: process.env.SCOPE_TEST_CHROMIUM, args: ["--no-sandbox"], timeout: browserTimeout }));
  return browser;
}
async function stopBrowser() {
  if (browser) await browser.close();
  browser = null;
}

/** Opens a page that makePage made. `seen` collects what must stay empty: errors, and requests for anything but the file. */
async function open(file, { hash = "", scheme = "light", javaScript = true, width = 1280, init = null } = {}) {
  const context = await (await startBrowser()).newContext({ colorScheme: scheme, javaScriptEnabled: javaScript, reducedMotion: "reduce", viewport: { width, height: 900 } });
  if (init) await context.addInitScript(init);
  const page = await context.newPage();
  page.setDefaultTimeout(browserTimeout);
  const own = pathToFileURL(file).href, seen = { requests: [], errors: [] };
  page.on("request", (request) => { if (request.url().split("#")[0] !== own) seen.requests.push(request.url()); });
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) seen.errors.push(message.text()); });
  page.on("pageerror", (error) => seen.errors.push(error.message));
  page.on("dialog", (dialog) => { seen.errors.push("dialog: " + dialog.message()); dialog.dismiss(); });
  const begin = Date.now();
  await page.goto(own + hash);
  if (javaScript) await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  return { page, seen, milliseconds: Date.now() - begin, async close() {
    await context.close();
    assert.deepEqual(seen, { requests: [], errors: [] });
  } };
}

async function screenshot(page, name, { javaScript = true } = {}) {
  if (javaScript) await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: path.join(output, "screenshots", name + ".png"), fullPage: true });
}

/** Texts of the shown rows' cells of one column. */
function column(page, table, key) {
  return page.$eval(`#table-${table}`, (element, wanted) => {
    const index = [...element.tHead.rows[0].cells].findIndex((cell) => cell.dataset.key === wanted);
    return [...element.tBodies[0].rows].filter((row) => !row.hidden && !row.classList.contains("detail")).map((row) => row.cells[index].textContent);
  }, key);
}

/** Number of pixels of a canvas that are painted. */
const painted = (page, selector) => page.$eval(selector, (canvas) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 3; i < pixels.length; i += 4) count += pixels[i] > 0;
  return count;
});

fs.mkdirSync(path.join(output, "screenshots"), { recursive: true });
module.exports = { assert, column, makePage, open, output, painted, screenshot, stopBrowser };
