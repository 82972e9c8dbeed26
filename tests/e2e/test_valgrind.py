"""The shim under valgrind (memcheck): no error in a program with it that the same program without it lacks.

MPI libraries have errors of their own in valgrind's eyes, and below a wrapper these have the shim's frames in their stacks. So
errors are compared by kind and innermost functions, without the shim's frames. Valgrind shows another CPU than there is, so that
the shim may choose another clock there.
"""

import glob
import os
import shutil
import unittest
import xml.etree.ElementTree as ElementTree

from harness import EndToEnd, each_mpi, main

VALGRIND = shutil.which("valgrind")
INNERMOST = 4


def contexts(directory, ranks_program):
    """{(kind, innermost functions)} of all ranks, and the stacks, for a message."""
    found = {}
    files = glob.glob(os.path.join(directory, "*.xml"))
    read = 0
    for file in files:
        root = ElementTree.parse(file).getroot()
        program = [arg.text for arg in root.findall("args/argv/exe")][0]
        if os.path.basename(program) != ranks_program:
            continue
        read += 1
        for error in root.findall("error"):
            frames = [(frame.findtext("fn") or "?", os.path.basename(frame.findtext("obj") or "?"))
                      for frame in error.find("stack").findall("frame")]
            inner = tuple(fn for fn, obj in frames if not obj.startswith("libscope-profiler"))[:INNERMOST]
            found[(error.findtext("kind"), inner)] = frames
    return found, read


@unittest.skipIf(VALGRIND is None, "valgrind is not installed")
class Valgrind(EndToEnd):
    def command(self, mpi, where, program):
        os.makedirs(self.path(where))
        tool = [VALGRIND, "-q", "--xml=yes", f"--xml-file={self.path(where)}/%p.xml", "--num-callers=30", "--error-limit=no",
                "--trace-children=no"]
        return mpi.command(2, tool[0], *tool[1:], mpi.program(program))

    @each_mpi
    def test_no_error_of_the_shim(self, mpi):
        for program in ("waits",):
            name = os.path.basename(mpi.program(program))
            bare = self.bare(self.command(mpi, "bare-" + program, program), timeout=120)
            run = self.run_profiled(self.command(mpi, "with-" + program, program), code=bare.code, timeout=120)
            known, read = contexts(self.path("bare-" + program), name)
            self.assertEqual(read, 2)
            seen, read = contexts(self.path("with-" + program), name)
            self.assertEqual(read, 2)
            new = {key: frames for key, frames in seen.items() if key not in known}
            self.assertEqual(new, {}, "errors that the bare program lacks")
            p = self.load(run)
            self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(2, 2)])
            self.assertGreater(p.call("MPI_Waitall").calls, 0)


if __name__ == "__main__":
    main()
