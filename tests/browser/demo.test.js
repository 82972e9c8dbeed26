"use strict";
// The demo program under the tool, from the run to the page.

const { after, test } = require("node:test");
const { execFileSync } = require("node:child_process");
const path = require("node:path");
const { assert, column, makePage, open, output, painted, screenshot, stopBrowser } = require("./harness.js");

const { SCOPE_TEST_TOOL: tool, SCOPE_TEST_HEAT: heat, SCOPE_TEST_MPIEXEC: mpiexec } = process.env;
after(stopBrowser);

test("heat with 4 ranks", { skip: heat ? false : "no MPI is installed" }, async () => {
  const profile = path.join(output, "heat.json");
  execFileSync(tool, ["run", "--mpi-calls", "--callsites", "-q", "-o", profile, mpiexec, "-n", "4", heat, "--size", "200", "--steps", "50", "--imbalance", "0.5"],
    { stdio: ["ignore", "ignore", "inherit"], timeout: 120_000,
      env: { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1", OMPI_MCA_rmaps_base_oversubscribe: "1" } });
  const { page, close } = await open(makePage("heat", profile));
  for (const id of ["calls-heat", "ranks", "matrix", "sizes"]) assert.equal(await page.isVisible("#chart-" + id), true, id);
  assert.ok((await painted(page, "#chart-matrix canvas")) > 3000);
  const names = await column(page, "call", "call"), counts = await column(page, "call", "calls");
  assert.equal(counts[names.indexOf("MPI_Isend")], "800");
  // Ranks 0-3 in a square: every rank has two neighbours; rank 0's are 1 and 2.
  await page.fill("#pick-rank", "0");
  await page.keyboard.press("Enter");
  assert.deepEqual((await column(page, "peer", "dst")).sort(), ["0", "0", "1", "2"]);
  assert.deepEqual([...new Set(await column(page, "peer", "messages"))], ["50"]);
  assert.ok((await column(page, "callsite", "place")).some((place) => place.includes("heat.c:")));
  await screenshot(page, "heat");
  await close();
});
