"""Findings: every rule on a program that has what it is about, and on one that nearly has it. Times are compared with the run's own."""

import subprocess

from harness import MPIS, EndToEnd, each_mpi, main

# Rule, ranks, whom it is about (None: not asked), the share of the run that is lost by construction (None: not known).
ROWS = [
    ("load-imbalance", 3, [1], 400 * 2 / 3 / 600),
    ("late-sender", 2, [0], 400 / 2 / 500),
    ("serialised-chain", 4, None, (150 + 300 + 450) / 4 / 600),
    ("outlier-rank", 5, [2], 400 * 4 / 5 / 600),
    ("small-messages", 1, None, None),
    ("eager-messages", 1, None, None),
    ("dominant-pair", 4, [0, 1], None),
    ("polling", 2, None, None),
    ("communicator", 4, None, 400 / 4 / 500),
    ("file-io", 1, None, None),
    ("mpi-negligible", 2, None, None),
    ("tool-overhead", 1, None, None),
]
STARTUP = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
WORDS = {"load-imbalance": "Ranks wait for rank 1 in collectives, most of all in MPI_Barrier: ",
         "late-sender": "Receives wait for messages: ",
         "serialised-chain": "Ranks 0 to 3 work one after the other: ",
         "outlier-rank": "Rank 2 on host ",
         "small-messages": "100.0 % of the messages are small: 2,000,000 of 8 B on average",
         "eager-messages": "120,000 messages of 32.0 KiB on average",
         "dominant-pair": "Ranks 0-1 exchange 99.9 % of all point-to-point bytes (800 MiB)",
         "polling": "The program asks again and again whether something has come: ",
         "communicator": "Communicator ",
         "file-io": "Files take ",
         "mpi-negligible": "MPI takes ",
         "tool-overhead": "Recording took "}


def run_ns(p):
    """The longest time between MPI_Init and MPI_Finalize."""
    startup = [0] * len(p.ranks)
    for row in p.data["calls"]:
        if row["name"] in STARTUP:
            startup = [a + b for a, b in zip(startup, row["per_rank"]["total_ns"])]
    return max(rank["wall_ns"] - own for rank, own in zip(p.ranks, startup))


class Findings(EndToEnd):
    def findings(self, mpi, ranks, *words):
        p = self.profile(mpi, ranks, "findings", *words, timeout=120)
        found = {finding["id"]: finding for finding in p.data["findings"]}
        self.assertEqual(len(found), len(p.data["findings"]), "each once")
        self.assertLessEqual(len(found), 5)
        order = [finding["seconds_lost"] for finding in p.data["findings"]]
        self.assertEqual(order, sorted(order, reverse=True))
        return p, found

    def check(self, mpi, rule, ranks, about, share):
        p, found = self.findings(mpi, ranks, rule, self.path("data"))
        self.assertIn(rule, found, p.run)
        finding = found[rule]
        self.assertTrue(finding["text"].startswith(WORDS[rule]), finding)
        self.assertIn(" Next: ", finding["text"])
        part = finding["seconds_lost"] * 1e9 / run_ns(p)
        if share is not None:
            self.assertLess(abs(part - share), 0.15 * share, finding)
        if rule not in ("mpi-negligible", "tool-overhead"):
            self.assertGreaterEqual(part, 0.05)
            self.assertEqual(finding["severity"], "high" if part >= 0.2 else "medium")
            self.assertIn("Finding: ", p.run.errors)
        self.assertIn(finding["text"][:40], self.tool("report", self.path("trace.json"), env={"COLUMNS": "400"}).text)
        p, found = self.findings(mpi, ranks, rule, "near", self.path("data"))
        self.assertNotIn(rule, found, p.run)

    def test_rules(self):
        for row in ROWS:
            with self.subTest(rule=row[0]):
                self.check(MPIS["mpich"] if MPIS["mpich"].mpiexec else MPIS["openmpi"], *row)

    @each_mpi("openmpi")
    def test_open_mpi_too(self, mpi):
        self.check(mpi, *ROWS[0])

    @each_mpi("mpich")
    def test_a_slow_host(self, mpi):
        """Two of five ranks under another host name, which is all that tells one node from another here."""
        if subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no namespaces here")
        program = mpi.command(1, "findings", "outlier-node")
        elsewhere = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"']
        launch, words = program[:-2], program[-2:]
        def line(slow, near):
            places = ["node-a", "node-a", slow, "node-a", "node-a"]
            command = [launch[0]]
            for i, place in enumerate(places):
                command += ([":"] if i else []) + launch[1:] + [*elsewhere, place, *words, *(["near"] if near else [])]
            return command
        for slow, near, expected in (("node-b", False, True), ("node-b", True, False)):
            run = self.run_profiled(line(slow, near), timeout=120)
            p = self.load(run)
            self.assertEqual([rank["host"] for rank in p.ranks].count("node-b"), 1, run)
            found = {finding["id"]: finding for finding in p.data["findings"]}
            self.assertEqual("outlier-node" in found, expected, found)
            if expected:
                self.assertTrue(found["outlier-node"]["text"].startswith("All ranks of host node-b (rank 2) compute longer"), found)
                self.assertNotIn("outlier-rank", found, "one wait has one name")

    @each_mpi("mpich")
    def test_ranks_that_do_not_report(self, mpi):
        program = mpi.command(1, "hello")
        run = self.run_profiled([*program, ":", *program[1:-1], "env", "-u", "LD_PRELOAD", program[-1]], timeout=120)
        (finding,) = [f for f in self.load(run).data["findings"] if f["id"] == "incomplete"]
        self.assertTrue(finding["text"].startswith("1 of 2 ranks did not report (rank 1): "), finding)
        self.assertEqual(finding["severity"], "warning")


if __name__ == "__main__":
    main()
