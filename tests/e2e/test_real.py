"""Programs that nobody here wrote, Debian's: the same output as without the tool, and counts equal to those that an independent
PMPI library (tests/programs/counter.c) took in the same run."""

import os
import re
import shutil
import subprocess

from harness import MPIS, EndToEnd, main


def linked_with(program):
    """Name of the MPI that an installed program is linked with."""
    path = shutil.which(program)
    if not path:
        return None
    out = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    return "openmpi" if "libmpi.so" in out else "mpich" if "libmpich.so" in out else None


with open(os.path.join(os.path.dirname(__file__), "..", "data", "hpccinf.txt"), encoding="ascii") as file:
    HPCC_INPUT = file.read().format(size=200, block=40)


class Hpcc(EndToEnd):
    def setUp(self):
        super().setUp()
        name = linked_with("hpcc")
        if name is None or not MPIS[name].mpiexec:
            self.skipTest("hpcc is not installed")
        self.mpi = MPIS[name]

    def directory_for(self, name):
        directory = self.path(name)
        os.makedirs(directory)
        with open(os.path.join(directory, "hpccinf.txt"), "w", encoding="utf-8") as file:
            file.write(HPCC_INPUT)
        return directory

    def results(self, directory):
        """What hpcc reports but for times, rates, dates and memory: the same in every run."""
        with open(os.path.join(directory, "hpccoutf.txt"), encoding="utf-8") as file:
            text = file.read()
        lines = [line for line in text.splitlines()
                 if re.match(r"(HPL_|PTRANS_|MPIRandomAccess_|CommWorldProcs|Success|StarRandom|sizeof_).*=", line)]
        timed = re.compile(r"time|Time|Tflops|GBs|GUPs|Gflop|gflops|Tflop|date|Usec|nb_|Residual|residual|Checksum|eps")
        return [line for line in lines if not timed.search(line.partition("=")[0])]

    def test_hpcc(self):
        command = [self.mpi.mpiexec, "-n", "2", shutil.which("hpcc")]
        bare_directory, directory = self.directory_for("bare"), self.directory_for("profiled")
        bare = self.bare(command, cwd=bare_directory, timeout=100)
        self.assertEqual(bare.code, 0, bare)
        counts = self.path("counts")
        os.makedirs(counts)
        run = self.run_profiled(command, ["--trace"], cwd=directory, timeout=110,
                                env={"LD_PRELOAD": self.mpi.program("counter") + ".so", "COUNTER_DIRECTORY": counts})
        self.assertEqual(run.out, bare.out)
        self.assertEqual(self.results(directory), self.results(bare_directory))
        self.assertGreater(len(self.results(directory)), 20)
        self.assertIn("Success=1", self.results(directory))
        p = self.load(run)
        self.check_counts(p, counts)
        timeline = p.data["timeline"]
        self.assertEqual((timeline["complete"], timeline["unmatched"]), (True, []))
        self.assertGreaterEqual(timeline["events"], p.totals["calls"])
        size = os.path.getsize(self.path(timeline["file"]))
        print(f"{size} bytes, {timeline['events']} events", flush=True)
        self.assertLess(size, 6 * timeline["events"])

    def check_counts(self, p, counts):
        with_bytes = {"MPI_" + n for n in ("Send", "Ssend", "Isend", "Issend", "Sendrecv", "Bcast", "Reduce", "Allreduce")}
        calls = 0
        for rank in range(2):
            with open(os.path.join(counts, f"counts-{rank}"), encoding="utf-8") as file:
                for line in file:
                    name, count, sent = line.split()
                    row = p.call(name)
                    self.assertEqual((rank, name, row.calls_by_rank[rank]), (rank, name, int(count)))
                    if name in with_bytes:
                        self.assertEqual((rank, name, row.bytes_sent_by_rank[rank]), (rank, name, int(sent)))
                    calls += int(count)
        self.assertGreater(calls, 1000)


if __name__ == "__main__":
    main()
