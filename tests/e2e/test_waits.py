"""Wait states: programs in which one rank is late by a known time at a known place, and who waits for it in which call."""

from harness import EndToEnd, each_mpi, main

# Mode, ranks, pattern, call, the request waited for, (peer, tag) of point-to-point, ranks that wait, rank that is late.
ROWS = [
    ("late-sender", 2, "late-sender", "MPI_Recv", None, (0, 7), [1], 0),
    ("any", 2, "late-sender", "MPI_Recv", None, (0, 7), [1], 0),
    ("wait", 2, "late-sender", "MPI_Waitall", "MPI_Irecv", (0, 7), [1], 0),
    ("persistent", 2, "late-sender", "MPI_Wait", "MPI_Recv_init", (0, 7), [1], 0),
    ("exchange", 2, "late-sender", "MPI_Sendrecv", None, (0, 7), [1], 0),
    ("probed", 2, "late-sender", "MPI_Mprobe", None, (0, 7), [1], 0),
    ("late-receiver", 2, "late-receiver", "MPI_Ssend", None, (1, 7), [0], 1),
    ("barrier", 3, "wait-barrier", "MPI_Barrier", None, None, [0, 2], 1),
    ("nxn", 3, "wait-nxn", "MPI_Allreduce", None, None, [0, 2], 1),
    ("nxn-request", 3, "wait-nxn", "MPI_Wait", "MPI_Iallreduce", None, [0, 2], 1),
    ("broadcast", 3, "late-broadcast", "MPI_Bcast", None, None, [0, 2], 1),
    ("split", 3, "late-broadcast", "MPI_Bcast", None, None, [0, 1], 2),
    ("reduce", 2, "early-reduce", "MPI_Reduce", None, None, [0], 1),
    ("fence", 3, "wait-fence", "MPI_Win_fence", None, None, [0, 2], 1),
    ("finalize", 3, "wait-finalize", "MPI_Finalize", None, None, [0, 2], 1),
]
SLEEP = 200e6


class Waits(EndToEnd):
    def measured(self, mpi, mode, ranks):
        """A profile in which the waits are as long as the sleep. Ranks that poll on cores of their own share may come late by
        themselves: the run is tried again then, for what must hold in it to 5 %."""
        for attempt in range(6):
            p = self.profile(mpi, ranks, "regions_waits", mode, options=["--trace"])
            asleep = p.run.numbers()["asleep"][0]
            longest = max(row["max_ns"] for row in p.data["timeline"]["wait_states"])
            if abs(longest - asleep) < 0.04 * asleep:
                break
        return p

    def check(self, mpi, mode, ranks, pattern, call, request, partner, waiting, late):
        p = self.measured(mpi, mode, ranks)
        asleep = p.run.numbers()["asleep"][0]
        timeline = p.data["timeline"]
        self.assertEqual((timeline["file"], timeline["complete"]), ("trace.timeline", True))
        rows = [row for row in timeline["wait_states"] if row["total_ns"] > SLEEP / 2 and row["call"] != "MPI_Init"]
        shown = "\n".join(map(str, timeline["wait_states"]))
        self.assertEqual([(row["pattern"], row["call"], row["request"]) for row in rows], [(pattern, call, request)] * len(waiting), shown)
        self.assertEqual(sorted(row["rank"] for row in rows), waiting, shown)
        for row in rows:
            self.assertLess(abs(row["max_ns"] - asleep), 0.05 * asleep, row)  # earlier barriers may have waited a little, too
            self.assertEqual((row["waits"] >= 1, row["world"]), (True, 0))
            if partner:
                self.assertEqual((row["peer"], row["tag"]), partner, row)
        origin = timeline["delays"][0]
        self.assertEqual((origin["rank"], origin["region"], origin["call"]), (late, "exchange/solve", None), timeline["delays"])
        self.assertLess(abs(origin["caused_ns"] - asleep * len(waiting)), 0.05 * asleep * len(waiting), origin)
        sums = next(row for row in timeline["calls"] if row["call"] == call)
        self.assertEqual(sums["waiting_ns"] + sums["transfer_ns"], sums["total_ns"])
        # The way goes through the rank that was late; all parts together are the run.
        path = timeline["critical_path"]
        self.assertEqual(sum(row["path_ns"] for row in path), timeline["path_ns"])
        asleep_on_path = sum(row["path_ns"] for row in path if (row["rank"], row["region"], row["call"]) == (late, "exchange/solve", None))
        self.assertLess(abs(asleep_on_path - asleep), 0.05 * asleep, path)
        return p

    @each_mpi
    def test_known_waits(self, mpi):
        for row in ROWS:
            with self.subTest(mode=row[0]):
                self.check(mpi, *row)

    @each_mpi
    def test_one_after_the_other_is_serialisation(self, mpi):
        """Two ranks compute 200 ms each, the second when it has the first one's message: a network that takes no time leaves 400 ms, of
        which each computes half. Tried again where the ranks were kept waiting for a core."""
        for attempt in range(6):
            p = self.profile(mpi, 2, "regions_waits", "chain", options=["--trace"])
            found = p.data["timeline"]["efficiency"]
            if abs(found["ideal_ns"] - 2 * SLEEP) < 0.05 * 2 * SLEEP and abs(found["serialisation"] - 0.5) < 0.025:
                break
        self.assertLess(abs(found["ideal_ns"] - 2 * SLEEP), 0.05 * 2 * SLEEP, found)
        self.assertLess(abs(found["serialisation"] - 0.5), 0.025, found)
        self.assertLess(abs(found["transfer"] - found["ideal_ns"] / found["run_ns"]), 1e-6, found)
        self.assertLess(abs(found["communication"] - found["serialisation"] * found["transfer"]), 1e-6, found)
        self.assertGreater(found["load_balance"], 0.95)


if __name__ == "__main__":
    main()
