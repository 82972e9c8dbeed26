"""A performance gate for ReFrame. The one line that matters is in `postrun_cmds`: it prints figures for ReFrame's own
references and ends with "scope-profiler: 0" when nothing got worse.

    reframe -c reframe_gate.py -r
"""

import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class Performance(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    base = os.path.abspath("base.json")
    executable = "scope-profiler run --mpi-calls --repeat 5 -o new.json mpiexec -n 2 ./sim"
    postrun_cmds = [f"scope-profiler check {base} new.json --gitlab-metrics -; echo scope-profiler: $?"]

    @rfm.run_before("sanity")
    def check(self):
        self.sanity_patterns = sn.assert_found(r"^scope-profiler: 0$", self.stdout)
        self.perf_patterns = {"wall": sn.extractsingle(r"^scope_profiler_wall_seconds (\S+)", self.stdout, 1, float)}
        self.reference = {"*": {"wall": (0, None, None, "s")}}
