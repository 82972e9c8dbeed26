"use strict";
// The pictures of README, from a run of the demo: `cmake --build build -t screenshots` writes them into share/doc/images.

const { execFileSync } = require("node:child_process");
const path = require("node:path");
const { assert, makePage, open, output, stopBrowser } = require("./harness.js");

const { SCOPE_TEST_TOOL: tool, SCOPE_TEST_HEAT: heat, SCOPE_TEST_MPIEXEC: mpiexec } = process.env;
const images = process.argv[2];
const largest = 300_000;  // bytes of a picture

/** A picture of these sections, which follow each other. */
async function shoot(page, name, first, last) {
  await page.evaluate(() => window.scrollTo(0, 0));  // boxes are those of the view
  const box = async (id) => await page.locator("#" + id).boundingBox();
  const from = await box(first), to = await box(last);
  const file = path.join(images, name + ".png");
  await page.screenshot({ path: file, fullPage: true, animations: "disabled",
    clip: { x: from.x - 8, y: from.y - 8, width: from.width + 16, height: to.y + to.height - from.y + 16 } });
  assert.ok(require("node:fs").statSync(file).size < largest, file);
}

/** A run of the demo as a page. */
function demo(name, ranks, options, words) {
  const profile = path.join(output, name + ".json");
  execFileSync(tool, ["run", "--mpi-calls", "-q", ...options, "-o", profile, path.basename(mpiexec).split(".")[0], "-n", String(ranks), "./" + path.basename(heat), ...words],
    { cwd: path.dirname(heat), stdio: ["ignore", "ignore", "inherit"], timeout: 300_000,
      env: { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1", OMPI_MCA_rmaps_base_oversubscribe: "1" } });
  return makePage(name, profile);
}

async function main() {
  const { page, close } = await open(demo("readme", 8, [], ["--imbalance", "0.5"]));
  await shoot(page, "report-overview", "overview", "findings");
  await shoot(page, "report-calls", "chart-calls-heat", "chart-calls-heat");
  await close();
  // As many ranks as processors: what is seen is the program, not the scheduler.
  const traced = await open(demo("readme-timeline", 2, ["--trace"], ["--imbalance", "0.5", "--size", "1500", "--steps", "200"]));
  await traced.page.waitForSelector("#chart-timeline[data-ready]");
  await traced.page.focus("#chart-timeline .chart-body > canvas");
  for (let i = 0; i < 5; ++i) await traced.page.keyboard.press("+");
  await traced.page.waitForTimeout(500);
  await traced.page.evaluate(() => document.activeElement.blur());
  await shoot(traced.page, "report-timeline", "chart-timeline", "chart-timeline");
  await traced.close();
  await stopBrowser();
}

main().catch((failure) => {
  console.error(failure);
  process.exitCode = 1;
});
