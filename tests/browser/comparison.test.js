"use strict";
// The page of several profiles: no script, two charts, tables.

const fs = require("node:fs");
const path = require("node:path");
const { after, test } = require("node:test");
const { assert, makePage, open, output, screenshot, stopBrowser } = require("./harness.js");
const { grid } = require("./profiles.js");

after(stopBrowser);

function saved(name, profile) {
  const file = path.join(output, name + ".json");
  fs.writeFileSync(file, JSON.stringify(profile));
  return file;
}

test("profiles of 4, 8 and 16 ranks are compared, light, dark and on a narrow screen", async () => {
  const files = [4, 8, 16].map((ranks) => saved("scaling-" + ranks, grid(ranks)));
  const page = makePage("comparison", files[0], [files[1], files[2], "--scaling", "strong"]);
  assert.doesNotMatch(fs.readFileSync(page, "utf8"), /<script/);
  for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 420]]) {
    const { page: opened, seen, close } = await open(page, { scheme, javaScript: false, width });
    assert.equal(await opened.$$eval("svg[role=img]", (all) => all.length), 2);
    const names = await opened.$$eval("svg[role=img]", (all) => all.map((svg) => svg.getAttribute("aria-label")));
    assert.match(names[0], /^Wall times; /);
    // Every bar is on the picture and has its value beside it.
    const outside = await opened.$$eval("svg[role=img]", (all) => all.flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("rect, text")].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
      }).map((part) => part.textContent || part.getAttribute("class"));
    }));
    assert.deepEqual(outside, []);
    assert.ok((await opened.$$eval("table", (all) => all.length)) >= 3);
    for (const file of files) assert.ok((await opened.textContent("body")).includes(path.basename(file)), file);
    const wide = await opened.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} pixels are cut off at ${width}`);
    assert.deepEqual(seen.requests, []);
    assert.deepEqual(seen.errors, []);
    if (width === 1280) await screenshot(opened, "comparison-" + scheme);
    await close();
  }
});
