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
  const box = async (id) => await page.locator("#" + id).boundingBox();
  const from = await box(first), to = await box(last);
  const file = path.join(images, name + ".png");
  await page.screenshot({ path: file, fullPage: true, animations: "disabled",
    clip: { x: from.x - 8, y: from.y - 8, width: from.width + 16, height: to.y + to.height - from.y + 16 } });
  assert.ok(require("node:fs").statSync(file).size < largest, file);
}

async function main() {
  const profile = path.join(output, "readme.json");
  execFileSync(tool, ["run", "--mpi-calls", "-q", "-o", profile, path.basename(mpiexec).split(".")[0], "-n", "8", "./" + path.basename(heat), "--imbalance", "0.5"],
    { cwd: path.dirname(heat), stdio: ["ignore", "ignore", "inherit"], timeout: 300_000,
      env: { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1", OMPI_MCA_rmaps_base_oversubscribe: "1" } });
  const { page, close } = await open(makePage("readme", profile));
  await shoot(page, "report-overview", "overview", "findings");
  await shoot(page, "report-calls", "chart-calls-heat", "chart-calls-heat");
  await close();
  await stopBrowser();
}

main().catch((failure) => {
  console.error(failure);
  process.exitCode = 1;
});
