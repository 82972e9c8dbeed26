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


HPCC_INPUT = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
200          Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0                               Number of additional problem sizes for PTRANS
1200 10000 30000                values of N
0                               number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64        values of NB
"""


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
