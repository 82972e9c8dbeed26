"""Requests: each way to complete one, persistent and partitioned ones, and those that are never waited for."""

from harness import NONE, EndToEnd, each_mpi, main


class Requests(EndToEnd):
    @each_mpi
    def test_each_way_to_complete(self, mpi):
        p = self.profile(mpi, 2, "waits")
        calls = p.run.numbers()
        self.assert_call(p, "MPI_Isend", [24, 0], sent=[4800, 0])
        self.assert_call(p, "MPI_Irecv", [0, 24])
        for name, (count,) in calls.items():
            mine = 8 if name == "Waitall" else 0  # rank 0 uses Waitall in every round
            self.assert_call(p, "MPI_" + name, [mine, count], received=[0, 600])
            done = [s for s in p.signatures("MPI_" + name, rank=1) if s["request"] == "irecv"]
            self.assertEqual(sorted((s["peer"], s["tag"], s["bytes"], s["completions"], s["bytes_received"]) for s in done),
                             [(0, 1, 100, 1, 100), (0, 2, 200, 1, 200), (0, 3, 300, 1, 300)], name)
        for name in ("Test", "Testall", "Testany", "Testsome"):
            in_vain = [s for s in p.signatures("MPI_" + name) if s["request"] is None]
            # Several completions of one call are one call; what is left did not complete anything.
            useful = p.total("calls", "MPI_" + name, request="irecv")
            self.assertEqual(sum(s["calls"] for s in in_vain), calls[name][0] - useful, name)
            self.assertTrue(all((s["peer"], s["bytes_received"], s["completions"]) == (NONE, 0, 0) for s in in_vain), name)

    @each_mpi
    def test_persistent(self, mpi):
        p = self.profile(mpi, 2, "persistent")
        self.assert_call(p, "MPI_Send_init", 1)
        self.assert_call(p, "MPI_Ssend_init", 1)
        self.assert_call(p, "MPI_Recv_init", 2)
        self.assert_call(p, "MPI_Start", 10, sent=60)
        self.assert_call(p, "MPI_Startall", 6, sent=2 * 12 + 4 * 8)
        self.assert_call(p, "MPI_Wait", 11, received=60)
        self.assert_call(p, "MPI_Waitall", 6, received=2 * 12 + 4 * 8)
        self.assert_call(p, "MPI_Request_free", 4)
        for rank in (0, 1):
            other = 1 - rank
            keys = {"peer": other, "tag": 5, "bytes": 12, "calls": 5, "completions": 5}
            self.assert_signature(p, "MPI_Start", rank, request="send_init", sent=60, **keys)
            self.assert_signature(p, "MPI_Wait", rank, request="recv_init", received=60, **keys)
            self.assertEqual(p.total("bytes_sent", "MPI_Startall", rank, request="ssend_init", peer=other, tag=6), 32)
        self.assertEqual(p.matrix(), {(0, 1): (11, 116), (1, 0): (11, 116)})

    @each_mpi("mpich")
    def test_partitioned(self, mpi):
        p = self.profile(mpi, 2, "partitioned")
        self.assert_call(p, "MPI_Psend_init", [1, 0])
        self.assert_call(p, "MPI_Precv_init", [0, 1])
        self.assert_call(p, "MPI_Start", 10, sent=[32000, 0])
        self.assert_call(p, "MPI_Pready", [16, 0])
        self.assert_call(p, "MPI_Pready_list", [3, 0])
        self.assert_call(p, "MPI_Pready_range", [3, 0])
        self.assert_call(p, "MPI_Parrived", [0, p.run.numbers()["parrived"][0]])
        self.assert_call(p, "MPI_Wait", 10, received=[0, 32000])
        self.assertEqual(p.matrix(), {(0, 1): (10, 32000)})

    @each_mpi
    def test_other_ends_of_a_request(self, mpi):
        p = self.profile(mpi, 2, "request_lives")
        self.assert_call(p, "MPI_Isend", 1000, sent=4000)
        self.assert_call(p, "MPI_Request_free", 1002)
        self.assert_call(p, "MPI_Recv", 1000, received=4000)
        self.assert_call(p, "MPI_Irecv", 1000)
        self.assert_call(p, "MPI_Cancel", 1000)
        self.assert_call(p, "MPI_Wait", 1000)
        self.assert_call(p, "MPI_Startall", 10, sent=40)
        self.assert_call(p, "MPI_Testsome", p.run.numbers()["testsome"], received=40)
        self.assertLess(max(r["max_rss_bytes"] for r in p.ranks), 200 << 20)

    @each_mpi
    def test_many_sends_under_one_handle(self, mpi):
        p = self.profile(mpi, 2, "shared_handles")
        self.assert_call(p, "MPI_Isend", [1000, 0], sent=[2500, 0])
        self.assert_call(p, "MPI_Irecv", [0, 1000])
        self.assert_call(p, "MPI_Wait", [250, 0])
        self.assert_call(p, "MPI_Waitall", [1, 2], received=[0, 2500])
        self.assertEqual(p.total("completions", rank=0, request="isend"), 1000)
        self.assertEqual(p.total("completions", rank=1, request="irecv"), 1000)
        self.assertEqual(p.matrix(), {(0, 1): (1000, 2500)})

    @each_mpi
    def test_generalised_and_looked_at(self, mpi):
        p = self.profile(mpi, 1, "generalized")
        for name in ("Grequest_start", "Grequest_complete", "Request_get_status", "Irecv"):
            self.assert_call(p, "MPI_" + name, 1)
        self.assert_call(p, "MPI_Send", 1, sent=12)
        self.assert_call(p, "MPI_Wait", 2, received=12)
        self.assert_signature(p, "MPI_Wait", request="irecv", peer=0, tag=4, bytes=12, received=12)

    @each_mpi
    def test_calls_left_by_longjmp(self, mpi):
        p = self.profile(mpi, 1, "jump")
        self.after_leaving(p)

    @each_mpi
    def test_calls_left_by_an_exception(self, mpi):
        p = self.profile(mpi, 1, "throws")
        self.after_leaving(p)

    def after_leaving(self, p):
        self.assert_call(p, "MPI_Barrier", 10)
        self.assert_call(p, "MPI_Comm_create_errhandler", 1)
        self.assert_signature(p, "MPI_Send", peer=0, tag=3, bytes=4, sent=4)
        self.assert_call(p, "MPI_Wait", 1, received=4)
        self.assertEqual(p.matrix(), {(0, 0): (1, 4)})
        self.assertEqual(p.ranks[0]["in_call"], None)
        self.assertEqual(p.ranks[0]["status"], "finalized")

    @each_mpi
    def test_what_finalize_calls_back_counts(self, mpi):
        p = self.profile(mpi, 2, "late_callbacks")
        self.assert_call(p, "MPI_Comm_rank", 3)
        self.assert_call(p, "MPI_Finalize", 1)


if __name__ == "__main__":
    main()
