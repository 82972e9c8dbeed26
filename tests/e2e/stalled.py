"""What the tests of --stall-timeout share."""

import re

from harness import EndToEnd

MARK = "scope-profiler: warning: "
TIMEOUT = ["--stall-timeout", "2.5"]  # longer than MPI_Init takes on a busy machine


def said(run):
    """The lines of the diagnosis, with every "since N s" as "since S"; there must be one diagnosis."""
    lines = [line[len(MARK):] for line in run.errors.splitlines() if line.startswith(MARK)]
    assert len([line for line in lines if line.startswith("no rank made progress for ")]) == 1, str(run)
    return [re.sub(r"since \d+ s\b", "since S", line.strip()) for line in lines if line.startswith("  ")]


class StalledJobs(EndToEnd):
    def aborted(self, mpi, ranks, case, expected, launcher=(), options=()):
        """Runs `hangs CASE` to its end by --stall-action abort. Returns the profile."""
        command = mpi.command(ranks, "hangs", case)
        command[1:1] = launcher
        run = self.run_profiled(command, [*TIMEOUT, "--stall-action", "abort", *options], code=None, timeout=30)
        self.assertEqual(said(run), expected, run)
        self.assertIn("ending the program (--stall-action abort)", run.errors)
        p = self.load(run)
        p.run = run
        self.assertEqual(p.data["metadata"]["exit_status"], run.code)
        self.assertNotEqual(run.code, 0, run)
        self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(ranks, ranks)])
        self.assert_call(p, "MPI_Init", 1)
        self.assert_call(p, "MPI_Finalize", 0)
        findings = [f for f in p.data["findings"] if f["id"] == "stall"]
        self.assertEqual([(f["severity"], f["evidence"]["stalls"]) for f in findings], [("error", 1)])
        for line in expected:
            plain = re.escape(line).replace("since\\ S", r"since \d+ s")
            self.assertRegex(p.warnings["stalled"], plain)
            self.assertRegex(findings[0]["text"], plain)
        return p
