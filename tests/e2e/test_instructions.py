"""What recording adds to a call, in instructions (callgrind): repeatable where time is not, so no commit makes calls slower unseen.

The bounds are a little above what g++ 12 makes of it; raise one only with the reason for it in the commit."""

import re
import shutil
import subprocess

from harness import EndToEnd, each_mpi, main

CALLS = 1000
# Instructions that one call may cost more than bare: without options, with --callsites, with --trace (an event; packing them, some 90 each,
# falls where an area of 2,045 is full). self_message is three calls.
BOUNDS = {
    "comm_rank": (198, 246, 219),
    "iprobe": (220, 274, 242),
    "bcast": (256, 308, 460),
    "allreduce": (244, 298, 265),
    "self_message": (1150, 1305, 1600),
}


class Instructions(EndToEnd):
    def counts(self, mpi, options):
        """measure_NAME_WHAT -> instructions a call, of it and all that it calls."""
        out = self.path("callgrind.out")
        command = [mpi.mpiexec, "-n", "1", "valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=measure_*",
                   "--quiet", mpi.program("instructions")]
        run = self.run_profiled(command, options, env={"SCOPE_PROFILER_CLOCK": "tsc"}, timeout=180)
        self.assertEqual(self.load(run).call("MPI_Comm_rank").calls, CALLS + 10)  # bare ones are not seen
        table = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], capture_output=True, text=True, check=True)
        found = {}
        for line in table.stdout.splitlines():
            match = re.match(r"\s*([\d,]+) .*:(measure_\w+)\b", line)
            if match:
                found[match[2].removesuffix("'2")] = int(match[1].replace(",", "")) / CALLS
        return found

    @each_mpi
    def test_bounds(self, mpi):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        for column, options in enumerate(([], ["--callsites"], ["--trace"])):
            counts = self.counts(mpi, options)
            for name, bounds in BOUNDS.items():
                added = counts[f"measure_{name}_shim"] - counts[f"measure_{name}_bare"]
                print(f"{mpi.name} {name} {' '.join(options)}: {added:.0f} instructions added", flush=True)
                with self.subTest(name, options=options):
                    self.assertLess(added, bounds[column])
                    self.assertGreater(added, 0.8 * bounds[column], "it became cheaper: lower the bound, so that it stays so")


if __name__ == "__main__":
    main()
