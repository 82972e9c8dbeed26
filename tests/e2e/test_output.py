"""What `run` writes and where: names, earlier files, compression, labels, kept dumps, disks that are full or read-only."""

import json
import os
import shutil
import subprocess
import unittest

from harness import MPIS, SHIM, TOOL, EndToEnd, each_mpi, main, read_json

MPI = next((mpi for mpi in MPIS.values() if mpi.mpiexec), None)
STRANGE = "a b:c ü$x'"


def can_mount():
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]
    try:
        return subprocess.run(command, capture_output=True, timeout=20).returncode == 0
    except OSError:
        return False


class Output(EndToEnd):
    def test_default_name_and_earlier_file(self):
        for label in ("first", "second", "third"):
            self.assertEqual(self.tool("run", "--label", label, "true").code, 0)
        self.assertEqual(sorted(os.listdir(self.directory)), ["trace.json", "trace.json.old"])
        self.assertEqual(read_json(self.path("trace.json"))["metadata"]["label"], "third")
        self.assertEqual(read_json(self.path("trace.json.old"))["metadata"]["label"], "second")

    def test_label_and_tags(self):
        run = self.run_profiled(["true"], options=["--label", 'x "y" \u20ac', "--tag", "commit=abc", "--tag", "size=1=2"])
        meta = self.load(run).data["metadata"]
        self.assertEqual((meta["label"], meta["tags"]), ('x "y" \u20ac', {"commit": "abc", "size": "1=2"}))
        self.assertEqual(meta["command"], ["true"])
        self.assertRegex(meta["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    @each_mpi
    def test_compressed(self, mpi):
        run = self.run_profiled(mpi.command(2, "hello"), output="trace.json.gz")
        with open(self.path("trace.json.gz"), "rb") as file:
            self.assertEqual(file.read(2), b"\x1f\x8b")
        self.assertEqual(self.load(run, "trace.json.gz").totals["calls"], 8)
        report = self.tool("report", self.path("trace.json.gz"), "--format", "json")
        self.assertEqual(report.code, 0, report)
        json.loads(report.text)

    def test_missing_directories_are_made(self):
        output = os.path.join("new", "and", "newer", "trace.json")
        self.assertEqual(self.load(self.run_profiled(["true"], output=output), output).ranks, [])

    def test_output_below_a_file(self):
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        run = self.run_profiled(["true"], output=os.path.join("file", "trace.json"), code=125)
        self.assertIn("Not a directory", run.errors)
        self.assertIn(self.path("file"), run.errors)

    @unittest.skipIf(MPI is None, "no MPI is installed")
    def test_keep_dumps_and_merge(self):
        kept = self.path("kept")
        run = self.run_profiled(MPI.command(2, "p2p_modes"), options=["--keep-dumps", kept, "--label", "L"])
        p = self.load(run)
        self.assertEqual(len([n for n in os.listdir(kept) if n.startswith("rank-")]), 2)
        merged = self.tool("merge", kept, "-o", self.path("merged.json"))
        self.assertEqual(merged.code, 0, merged)
        q = self.load(merged, "merged.json")
        for key in ("calls", "signatures", "peers", "communicators", "sizes", "ranks", "worlds", "totals"):
            self.assertEqual(q.data[key], p.data[key], key)
        self.assertEqual(q.data["metadata"]["label"], "L")

    @each_mpi
    def test_strange_names_everywhere(self, mpi):
        root = self.path(STRANGE)
        os.makedirs(os.path.join(root, "bin"))
        shutil.copy(TOOL, os.path.join(root, "bin"))
        libraries = os.path.dirname(SHIM)
        shutil.copytree(libraries, os.path.join(root, os.path.relpath(libraries, os.path.dirname(os.path.dirname(TOOL)))))
        work = os.path.join(root, "work " + STRANGE)
        os.makedirs(work)
        program = os.path.join(work, "pro gram")
        shutil.copy(mpi.program("sendrecv"), program)
        tool = os.path.join(root, "bin", os.path.basename(TOOL))
        output = os.path.join(STRANGE, "out " + STRANGE, "tr ace:é.json")
        run = self.bare([tool, "run", "--mpi-calls", "-o", self.path(output), mpi.mpiexec, "-n", "3", program], cwd=work)
        self.assertEqual(run.code, 0, run)
        p = self.load(run, output)
        self.assert_call(p, "MPI_Sendrecv", 2, 20, 20)
        self.assertEqual(os.listdir(os.path.dirname(self.path(output))), ["tr ace:é.json"])

    @each_mpi
    def test_relative_names(self, mpi):
        shutil.copy(mpi.program("hello"), self.path("hello"))
        run = self.tool("run", "--mpi-calls", "-o", "out/t.json", mpi.mpiexec, "-n", "2", "./hello")
        self.assertEqual(run.lines(), ["rank 0 of 2", "rank 1 of 2"], run)
        self.assertEqual(self.load(run, os.path.join("out", "t.json")).totals["calls"], 8)


@unittest.skipUnless(can_mount(), "mounting is not allowed here")
class Disks(EndToEnd):
    """A disk of 64 KiB, and one that is read-only: the program runs as ever, the message says why there is no profile."""

    def inside(self, mount, *command):
        os.makedirs(self.path("disk"), exist_ok=True)
        words = ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh", *command]
        return self.bare(words)

    @each_mpi
    def test_full(self, mpi):
        mount = f"mount -t tmpfs -o size=64k none '{self.path('disk')}'"
        profiled = [TOOL, "run", "--mpi-calls", "-o", self.path("disk", "trace.json")]
        run = self.inside(mount, *profiled, *mpi.command(2, "collectives_persistent"))
        self.assertEqual(run.code, 0, run)
        self.assertIn("No space left on device", run.errors)
        strict = self.inside(mount, *profiled, "--strict", *mpi.command(2, "collectives_persistent"))
        self.assertEqual(strict.code, 125, strict)

    @each_mpi
    def test_read_only(self, mpi):
        mount = f"mount --bind '{self.path('disk')}' '{self.path('disk')}' && mount -o remount,ro,bind '{self.path('disk')}'"
        run = self.inside(mount, TOOL, "run", "--mpi-calls", "-o", self.path("disk", "trace.json"), *mpi.command(2, "hello"))
        self.assertIn("Read-only file system", run.errors)
        self.assertIn(run.code, (0, 125), run)
        self.assertEqual(os.listdir(self.path("disk")), [])


if __name__ == "__main__":
    main()
