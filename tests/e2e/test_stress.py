"""Many threads and much use: exact totals under MPI_THREAD_MULTIPLE, bounded memory, communicators that come and go."""

import re

from harness import EndToEnd, each_mpi, main

THREADS, ROUNDS, MESSAGES, AGAIN = 8, 60, 4, 20  # thread_storm.c


class Threads(EndToEnd):
    @each_mpi
    def test_eight_threads(self, mpi):
        p = self.profile(mpi, 2, "thread_storm", timeout=110)
        self.assertEqual([r["threads"] for r in p.ranks], [THREADS + 1] * 2)
        printed = p.run.numbers()
        polls = [printed["0"], printed["1"]]
        turns, requests = ROUNDS // 6, 2 * MESSAGES  # each way to complete is used in a sixth of the rounds
        once = THREADS * ROUNDS
        size = sum(8 * (k + 1) for k in range(MESSAGES))
        self.assert_call(p, "MPI_Isend", once * MESSAGES, once * size)
        self.assert_call(p, "MPI_Irecv", once * MESSAGES)
        self.assert_call(p, "MPI_Startall", THREADS * AGAIN, THREADS * AGAIN * 16)
        by_turns = THREADS * turns * size
        self.assert_call(p, "MPI_Waitany", THREADS * turns * requests, 0, by_turns)
        self.assert_call(p, "MPI_Waitall", THREADS * turns, 0, by_turns)
        self.assert_call(p, "MPI_Wait", THREADS * turns * requests, 0, by_turns)
        self.assert_call(p, "MPI_Testsome", [polls[0][0], polls[1][0]], 0, by_turns)
        self.assert_call(p, "MPI_Testany", [polls[0][1], polls[1][1]], 0, by_turns)
        self.assert_call(p, "MPI_Testall", [polls[0][2], polls[1][2]], 0, THREADS * AGAIN * 16)
        some = p.call("MPI_Waitsome")
        self.assertEqual((some.bytes_received_by_rank, some.errors), ([by_turns] * 2, 0))
        self.assert_call(p, "MPI_Request_free", THREADS * 2)
        self.check_completions(p)
        messages = once * MESSAGES + THREADS * AGAIN
        total = once * size + THREADS * AGAIN * 16
        self.assertEqual(p.matrix(), {(0, 1): (messages, total), (1, 0): (messages, total)})
        self.assertNotIn("folded", p.warnings)

    @each_mpi
    def test_one_thread_completes_what_another_began(self, mpi):
        p = self.profile(mpi, 2, "thread_handoff", timeout=110)
        printed = p.run.numbers()
        tests, tested = [list(column) for column in zip(printed["0"], printed["1"])]
        turns = 200
        self.assert_call(p, "MPI_Test", tests, 0, [16 * n for n in tested])
        self.assert_call(p, "MPI_Wait", [2 * turns - n for n in tested], 0, [16 * (turns - n) for n in tested])
        for rank in (0, 1):
            keys = {"peer": 1 - rank, "tag": 1, "bytes": 16}
            self.assertEqual(p.total("completions", request="irecv", rank=rank, **keys), turns)
            self.assertEqual(p.total("completions", "MPI_Wait", rank, request="isend", **keys), turns)
        self.assertEqual(p.total("completions", request="irecv", peer=-1), 0)
        self.assertEqual(p.total("calls", "MPI_Wait", request=None), 0)

    def check_completions(self, p):
        """Every receive is completed once, with the tag and size of its message, from the rank that sent it."""
        for rank in (0, 1):
            for t in range(THREADS):
                for k in range(MESSAGES):
                    keys = {"peer": 1 - rank, "tag": 10 * t + k}
                    rows = [s for s in p.signatures(request="irecv", rank=rank, **keys)]
                    found = [sum(s[key] for s in rows) for key in ("completions", "bytes_received")]
                    self.assertEqual(found, [ROUNDS, ROUNDS * 8 * (k + 1)], (rank, keys))
                    self.assertEqual({s["bytes"] for s in rows}, {8 * (k + 1)}, (rank, keys))
                    self.assertEqual(p.total("calls", "MPI_Isend", rank, **keys), ROUNDS)
                    self.assertEqual(p.total("completions", request="isend", rank=rank, **keys), ROUNDS, (rank, keys))
                keys = {"peer": 1 - rank, "tag": 10 * t + 9, "bytes": 16}
                self.assertEqual(p.total("completions", "MPI_Testall", rank, request="recv_init", **keys), AGAIN)
                self.assertEqual(p.total("completions", "MPI_Testall", rank, request="send_init", **keys), AGAIN)
        self.assertEqual(p.total("completions", request="irecv", peer=-1), 0)


class Memory(EndToEnd):
    @each_mpi
    def test_a_million_tags_and_five_million_polls(self, mpi):
        command = mpi.command(1, "endless")
        bare = self.bare(command)
        run = self.run_profiled(command, timeout=110)
        p = self.load(run)
        added = run.numbers()["peak"][0] - bare.numbers()["peak"][0]
        self.assertLess(added, 16 << 20, "bytes that the tool adds to the peak resident set")
        self.assert_call(p, "MPI_Iprobe", 5_000_000)
        self.assertEqual(len(p.signatures("MPI_Iprobe")), 1)
        self.assert_call(p, "MPI_Isend", 1_000_000, 8_000_000)
        self.assert_call(p, "MPI_Recv", 1_000_000, 0, 8_000_000)
        self.assert_call(p, "MPI_Wait", 1_000_000)
        self.assertEqual(p.matrix(), {(0, 0): (1_000_000, 8_000_000)})
        self.assertLessEqual(len(p.signatures()), 65536)
        self.assertIn("folded", p.warnings)
        folded = [s for s in p.signatures("MPI_Recv") if s["tag"] == -2]
        self.assertEqual([(s["peer"], s["bytes"]) for s in folded], [(0, 8)], "tags are folded, and nothing else")
        said = self.tool("report", self.path("trace.json"))
        self.assertEqual(said.code, 0, said)
        text = said.text + said.errors
        self.assertRegex(text, r"(?i)tags?\b.*folded|folded.*\btags?\b")

    @each_mpi
    def test_communicators_that_come_and_go(self, mpi):
        p = self.profile(mpi, 2, "comm_growth")  # the program itself fails when its memory grows
        for name in ("Comm_dup", "Comm_free"):
            self.assert_call(p, "MPI_" + name, 20_200)
        self.assert_call(p, "MPI_Barrier", 20_200 + 2)
        self.assertEqual(p.total("calls", "MPI_Barrier"), 2 * 20_202)

    @each_mpi
    def test_groups_that_come_and_go(self, mpi):
        """Communicators made one after another under reused handles stay apart, and have the same id on all ranks."""
        p = self.profile(mpi, 3, "comm_groups")
        rows = {c["name"]: c for c in p.data["communicators"] if re.match(r"(pair|all|half)-", c["name"])}
        names = {f"pair-{i}-{tag}" for i in range(4) for tag in range(12)} | {f"all-{i}" for i in range(10)} | \
                {f"half-{colour}-{i}" for colour in (0, 1) for i in range(5)}
        self.assertEqual(set(rows), names)
        self.assertEqual(len({c["id"] for c in rows.values()}), len(names))
        for name, row in rows.items():
            ranks = (0, 2) if name.startswith("half-0") else (1,) if name.startswith("half-1") else \
                (0, 1) if name.startswith("pair") else (0, 1, 2)
            self.assertEqual(row["size"], len(ranks), name)
            found = p.signatures("MPI_Barrier", comm=row["id"])
            self.assertEqual((sum(s["calls"] for s in found), sorted(r for s in found for r in s["ranks"])),
                             (len(ranks), list(ranks)), name)


if __name__ == "__main__":
    main()
