"""Point-to-point calls: every mode, probes, what arrived, nobody as peer, derived types."""

from harness import NONE, EndToEnd, each_mpi, main


class PointToPoint(EndToEnd):
    @each_mpi
    def test_every_send_mode(self, mpi):
        p = self.profile(mpi, 2, "p2p_modes")
        modes = ["Send", "Ssend", "Bsend", "Rsend", "Isend", "Issend", "Ibsend", "Irsend"]
        for k, mode in enumerate(modes):
            size = 4 * (k + 1)
            self.assert_call(p, "MPI_" + mode, [1, 0], sent=[size, 0])
            keys = {"peer": 1, "tag": 10 + k, "bytes": size, "comm": 0, "root": NONE, "request": None}
            self.assert_signature(p, "MPI_" + mode, rank=0, sent=size, **keys)
        self.assert_call(p, "MPI_Irecv", [0, 8])
        self.assert_call(p, "MPI_Waitall", 1, received=[0, 144])
        self.assert_call(p, "MPI_Buffer_attach", [1, 0])
        self.assert_call(p, "MPI_Buffer_detach", [1, 0])
        self.assert_call(p, "MPI_Barrier", 1)
        self.assertEqual(p.total("completions", "MPI_Waitall", rank=1), 8)
        self.assertEqual(p.total("completions", "MPI_Waitall", rank=0), 4)
        for k in range(8):
            self.assertEqual(p.total("bytes_received", "MPI_Waitall", rank=1, request="irecv", peer=0, tag=10 + k), 4 * (k + 1))
        for k, request in enumerate(["isend", "issend", "ibsend", "irsend"], 4):
            rows = p.signatures("MPI_Waitall", rank=0, request=request)
            self.assertEqual([(s["peer"], s["tag"], s["bytes"], s["bytes_sent"], s["completions"]) for s in rows],
                             [(1, 10 + k, 4 * (k + 1), 0, 1)])
        self.assertEqual(p.matrix(), {(0, 1): (8, 144)})

    @each_mpi
    def test_sendrecv_in_a_ring(self, mpi):
        p = self.profile(mpi, 3, "sendrecv")
        self.assert_call(p, "MPI_Sendrecv", 2, sent=20, received=20)
        self.assert_call(p, "MPI_Sendrecv_replace", 1, sent=16, received=16)
        self.assert_call(p, "MPI_Send", 1)
        for rank in range(3):
            self.assert_signature(p, "MPI_Sendrecv", rank, peer=(rank + 1) % 3, tag=3, bytes=20, sent=20, received=20)
            self.assert_signature(p, "MPI_Sendrecv_replace", rank, peer=(rank + 2) % 3, tag=4, bytes=16, sent=16, received=16)
        self.assert_signature(p, "MPI_Sendrecv", peer=NONE, calls=3)
        self.assert_signature(p, "MPI_Send", peer=NONE, calls=3)
        self.assertEqual(p.matrix(), {(r, d): (1, b) for r in range(3) for d, b in (((r + 1) % 3, 20), ((r + 2) % 3, 16))})

    @each_mpi
    def test_what_arrived_counts_not_what_was_posted(self, mpi):
        p = self.profile(mpi, 2, "recv_unknown")
        self.assert_call(p, "MPI_Recv", [0, 1], received=[0, 10])
        self.assert_signature(p, "MPI_Recv", rank=1, peer=0, tag=0, bytes=10, received=10)
        self.assert_call(p, "MPI_Irecv", [0, 1])
        self.assert_call(p, "MPI_Wait", 1, received=[0, 10])
        self.assert_signature(p, "MPI_Wait", rank=1, request="irecv", peer=0, tag=1, bytes=10, received=10, completions=1)
        self.assert_signature(p, "MPI_Wait", rank=0, request="isend", peer=1, tag=1, bytes=10, completions=1)
        self.assert_call(p, "MPI_Get_count", [0, 1])

    @each_mpi
    def test_probes(self, mpi):
        p = self.profile(mpi, 2, "probes")
        polls = p.run.numbers()
        self.assert_call(p, "MPI_Send", [5, 0], sent=[150, 0])
        self.assert_call(p, "MPI_Probe", [0, 1])
        self.assert_call(p, "MPI_Mprobe", [0, 2])
        self.assert_call(p, "MPI_Improbe", [0, polls["improbe"][0]])
        self.assert_call(p, "MPI_Iprobe", [0, polls["iprobe"][0]])
        self.assert_call(p, "MPI_Recv", [0, 2], received=[0, 60])
        self.assert_call(p, "MPI_Mrecv", [0, 2], received=[0, 60])
        self.assert_call(p, "MPI_Imrecv", [0, 1])
        self.assert_call(p, "MPI_Wait", [0, 1], received=[0, 30])
        self.assert_signature(p, "MPI_Recv", peer=0, tag=5, bytes=50, received=50)
        self.assert_signature(p, "MPI_Mrecv", peer=0, tag=2, bytes=20, received=20)
        self.assert_signature(p, "MPI_Mrecv", peer=0, tag=4, bytes=40, received=40)
        self.assert_signature(p, "MPI_Wait", request="imrecv", peer=0, tag=3, bytes=30, received=30)

    @each_mpi
    def test_derived_types_count_their_size(self, mpi):
        p = self.profile(mpi, 2, "datatypes")
        self.assert_call(p, "MPI_Send", [22, 0], sent=[800 + 9 + 210, 0])
        self.assert_call(p, "MPI_Recv", [0, 22], received=[0, 800 + 9 + 210])
        self.assert_call(p, "MPI_Bcast", 1, sent=[1200, 0], received=[0, 1200])
        self.assert_signature(p, "MPI_Send", tag=1, peer=1, bytes=800, sent=800)
        self.assert_signature(p, "MPI_Recv", tag=2, peer=0, bytes=9, received=9)
        self.assertEqual(sorted(s["bytes"] for s in p.signatures("MPI_Send", tag=3)), list(range(1, 21)))

    @each_mpi
    def test_more_than_two_gigabytes(self, mpi):
        p = self.profile(mpi, 1, "big")
        self.assert_call(p, "MPI_Bcast", 4, sent=12_884_901_888)
        self.assert_signature(p, "MPI_Bcast", bytes=3 << 30, sent=12 << 30, calls=4, root=0)
        more = 3 << 30 if mpi.name == "mpich" else 0
        self.assert_call(p, "MPI_Bcast_c", 1 if more else 0, sent=more)
        self.assertEqual(p.totals["bytes_sent"], 12_884_901_888 + more)
        comm = [c for c in p.data["communicators"] if c["id"] == p.signatures("MPI_Bcast")[0]["comm"]][0]
        self.assertEqual((comm["size"], comm["id"] != 0), (1, True))

    @each_mpi
    def test_polling_is_one_line(self, mpi):
        p = self.profile(mpi, 2, "polling")
        calls = p.run.numbers()["iprobe"][0]
        self.assert_call(p, "MPI_Iprobe", [calls, 0])
        self.assertEqual(len(p.signatures("MPI_Iprobe")), 1)
        self.assertLess(p.ranks[0]["max_rss_bytes"], 200 << 20)

    @each_mpi
    def test_a_bound_on_entries_keeps_the_totals(self, mpi):
        p = self.profile(mpi, 1, "many_tags", env={"SCOPE_PROFILER_MAX_ENTRIES": "64"})
        self.assert_call(p, "MPI_Sendrecv", 2000, sent=16000, received=16000)
        self.assertLessEqual(len(p.signatures()), 80)
        self.assertIn("folded", p.warnings)
        self.assertTrue(p.signatures("MPI_Sendrecv", tag=-2), "a folded row says so")
        q = self.profile(mpi, 1, "many_tags", output="all.json")
        self.assertEqual(len(q.signatures("MPI_Sendrecv")), 2000)
        self.assertNotIn("folded", q.warnings)

    @each_mpi
    def test_errors_returned_are_counted(self, mpi):
        p = self.profile(mpi, 2, "errors")
        self.assertEqual((p.call("MPI_Send").calls_by_rank, p.call("MPI_Send").errors), ([2, 0], 1))
        self.assertEqual((p.call("MPI_Recv").calls_by_rank, p.call("MPI_Recv").errors), ([0, 1], 1))
        self.assertEqual(sum(messages for messages, _ in p.matrix().values()), 1, "a failed send is no message")

    @each_mpi
    def test_pcontrol_pauses(self, mpi):
        p = self.profile(mpi, 2, "pcontrol")
        self.assert_call(p, "MPI_Barrier", 2)

    @each_mpi
    def test_threads(self, mpi):
        p = self.profile(mpi, 2, "threads")
        self.assert_call(p, "MPI_Sendrecv", 804, sent=6432, received=6432)
        self.assert_call(p, "MPI_Comm_rank", 4)
        for rank in p.ranks:
            self.assertGreaterEqual(rank["threads"], 4)
            self.assertLessEqual(rank["mpi_ns"], rank["wall_ns"])
        # Four threads of rank 0 waited half a second at once: the union has it once, the sum four times.
        self.assertGreater(p.call("MPI_Sendrecv").total_ns_by_rank[0], 1_600_000_000)
        alone = sum(p.call(name).total_ns_by_rank[0] for name in ("MPI_Init_thread", "MPI_Finalize"))
        self.assertLess(p.ranks[0]["mpi_ns"] - alone, p.call("MPI_Sendrecv").total_ns_by_rank[0])
        self.assertEqual(p.matrix(), {(0, 1): (804, 6432), (1, 0): (804, 6432)})


if __name__ == "__main__":
    main()
