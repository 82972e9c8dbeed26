"""Point-to-point, one-sided, process and session calls of every kind: calls, bytes and peers of each rank, from tables."""

from harness import NONE, EndToEnd, each_mpi, main

MODES = ("Send", "Ssend", "Bsend", "Rsend", "Isend", "Issend", "Ibsend", "Irsend")


class Kinds(EndToEnd):
    def programs(self, mpi, program):
        """The program, and the one with MPI 4's _c procedures where the MPI has them; with it the ending of their names."""
        for name, ending in ((program, ""), (program + "_large", "_c")) if mpi.name == "mpich" else ((program, ""),):
            yield name, ending


class MessageKinds(Kinds):
    @each_mpi
    def test_modes(self, mpi):
        for program, c in self.programs(mpi, "message_kinds"):
            p = self.profile(mpi, 2, program, "modes")
            for k, name in enumerate(MODES):
                size = 4 * (k + 1)
                self.assert_call(p, f"MPI_{name}{c}", [1, 0], [size, 0])
                self.assert_signature(p, f"MPI_{name}{c}", 0, peer=1, tag=10 + k, bytes=size, sent=size)
                self.assert_signature(p, "MPI_Waitall", 1, request="irecv" + c, peer=0, tag=10 + k, bytes=size, received=size,
                                      calls=int(k == 0), completions=1)
            self.assert_call(p, "MPI_Irecv" + c, [0, 8])
            self.assert_call(p, "MPI_Waitall", 1, 0, [0, 144])
            self.assert_call(p, "MPI_Buffer_attach" + c, [1, 0])
            self.assert_call(p, "MPI_Buffer_detach" + c, [1, 0])
            self.assertEqual(p.matrix(), {(0, 1): (8, 144)})

    @each_mpi
    def test_persistent(self, mpi):
        for program, c in self.programs(mpi, "message_kinds"):
            p = self.profile(mpi, 2, program, "persistent")
            for k, name in enumerate(("Send", "Bsend", "Ssend", "Rsend")):
                size = 4 * (k + 1)
                self.assert_call(p, f"MPI_{name}_init{c}", [1, 0])
                self.assert_signature(p, "MPI_Startall", 0, request=f"{name.lower()}_init{c}", peer=1, tag=20 + k, bytes=size,
                                      sent=3 * size, calls=3 * (k == 0), completions=3)
                self.assert_signature(p, "MPI_Waitall", 0, request=f"{name.lower()}_init{c}", peer=1, tag=20 + k, bytes=size,
                                      calls=3 * (k == 0), completions=3)
                self.assert_signature(p, "MPI_Waitall", 1, request=f"recv_init{c}", peer=0, tag=20 + k, bytes=size,
                                      received=3 * size, calls=3 * (k == 0), completions=3)
            self.assert_call(p, f"MPI_Recv_init{c}", [0, 4])
            self.assert_call(p, "MPI_Startall", 3, [120, 0])
            self.assert_call(p, "MPI_Waitall", 3, 0, [0, 120])
            self.assert_call(p, "MPI_Request_free", 4)
            self.assertEqual(p.matrix(), {(0, 1): (12, 120)})

    @each_mpi
    def test_nobody(self, mpi):
        for program, c in self.programs(mpi, "message_kinds"):
            p = self.profile(mpi, 2, program, "nobody")
            once = [name + c for name in MODES + ("Send_init", "Bsend_init", "Ssend_init", "Rsend_init", "Recv_init", "Recv",
                                                  "Irecv", "Sendrecv", "Sendrecv_replace", "Mrecv", "Imrecv")]
            for name in once + ["Probe", "Iprobe", "Mprobe", "Improbe", "Start"]:
                self.assert_call(p, "MPI_" + name, 1)
                self.assertEqual({s["peer"] for s in p.signatures("MPI_" + name)}, {NONE}, name)
            self.assert_call(p, "MPI_Startall", 3)
            self.assert_call(p, "MPI_Wait", 3)
            self.assert_call(p, "MPI_Waitall", 4)
            self.assertEqual((p.totals["bytes_sent"], p.totals["bytes_received"], p.matrix()), (0, 0, {}))

    @each_mpi
    def test_anyone(self, mpi):
        for program, c in self.programs(mpi, "message_kinds"):
            p = self.profile(mpi, 2, program, "anyone")
            self.assert_call(p, f"MPI_Send{c}", [8, 0], [144, 0])
            arrived = [("Recv" + c, None, 4), ("Wait", "irecv" + c, 8), ("Waitall", "irecv" + c, 12),
                       ("Waitall", "irecv" + c, 16), ("Mrecv" + c, None, 20), ("Waitany", "recv_init" + c, 24),
                       ("Waitsome", "irecv" + c, 28)]
            for k, (call, request, size) in enumerate(arrived):
                self.assert_signature(p, "MPI_" + call, 1, request=request, peer=0, tag=30 + k, bytes=size, received=size,
                                      calls=int(k != 3))
            self.assert_call(p, f"MPI_Sendrecv{c}", [0, 1], 0, [0, 32])
            self.assert_call(p, f"MPI_Irecv{c}", [0, 4])
            self.assertEqual(p.matrix(), {(0, 1): (8, 144)})

    @each_mpi("mpich")
    def test_exchange(self, mpi):
        for program, c in self.programs(mpi, "message_kinds"):
            p = self.profile(mpi, 2, program, "exchange")
            self.assert_call(p, f"MPI_Isendrecv{c}", 1, 12)
            self.assert_call(p, f"MPI_Isendrecv_replace{c}", 1, 20)
            # MPICH 4.0.2 leaves the status of the two all zeros: what arrived cannot be known, whom it was sent to can.
            self.assert_call(p, "MPI_Wait", 2, 0, p.run.numbers()["arrived"])
            for rank in (0, 1):
                keys = {"peer": 1 - rank, "calls": 1, "completions": 1}
                arrived = p.run.numbers()["arrived"][0]
                self.assert_signature(p, "MPI_Wait", rank, request="isendrecv" + c, tag=40, bytes=12,
                                      received=arrived and 12, **keys)
                self.assert_signature(p, "MPI_Wait", rank, request="isendrecv_replace" + c, tag=41, bytes=20,
                                      received=arrived and 20, **keys)
            self.assertEqual(p.matrix(), {(0, 1): (3, 36), (1, 0): (3, 36)})


# (procedure, has a _c form, calls, sent, received at once, received in a Wait) by rank 0 on rank 1, PROC_NULL aside
ONE_SIDED = [("Put", True, 1, 4, 0, 0), ("Get", True, 1, 0, 8, 0), ("Accumulate", True, 1, 12, 0, 0),
             ("Get_accumulate", True, 2, 16, 16 + 36, 0), ("Rput", True, 1, 20, 0, 0), ("Rget", True, 1, 0, 0, 24),
             ("Raccumulate", True, 1, 28, 0, 0), ("Rget_accumulate", True, 2, 32, 0, 32 + 40),
             ("Fetch_and_op", False, 2, 4, 8, 0), ("Compare_and_swap", False, 1, 4, 4, 0)]


class WindowKinds(Kinds):
    @each_mpi
    def test_every_operation(self, mpi):
        for program, c in self.programs(mpi, "window_kinds"):
            p = self.profile(mpi, 2, program, "ops")
            for name, large, calls, sent, received, later in ONE_SIDED:
                full = name + c if large else name
                self.assert_call(p, "MPI_" + full, [2 * calls, 0], [sent, 0], [received, 0])  # once more on MPI_PROC_NULL
                rows = p.signatures("MPI_" + full)
                self.assertEqual({s["peer"] for s in rows}, {1, NONE}, name)
                self.assertEqual(sum(s["calls"] for s in rows if s["peer"] == 1), calls, name)
                if name.startswith("R"):
                    self.assertEqual(p.total("bytes_received", "MPI_Wait", request=full.lower(), peer=1), later, name)
                    self.assertEqual(p.total("completions", "MPI_Wait", request=full.lower(), peer=1), calls, name)
            self.assert_call(p, "MPI_Wait", [10, 0], 0, [24 + 72, 0])
            for name in ("Win_allocate" + c, "Win_lock_all", "Win_unlock_all", "Win_free"):
                self.assert_call(p, "MPI_" + name, 1)
            self.assertEqual((p.matrix("p2p"), set(p.matrix("rma"))), ({}, {(0, 1)}))
            self.assertEqual(p.matrix("rma")[0, 1][0], sum(row[2] for row in ONE_SIDED))

    @each_mpi
    def test_every_synchronisation(self, mpi):
        p = self.profile(mpi, 2, "window_kinds", "syncs")
        for name, calls in (("create", 1), ("allocate_shared", 1), ("shared_query", 1), ("create_dynamic", 1), ("attach", 1),
                            ("detach", 1), ("set_name", 1), ("free", 3), ("fence", 3), ("lock_all", 1), ("unlock_all", 1),
                            ("flush", 1), ("flush_local", 1), ("flush_all", 1), ("flush_local_all", 1), ("sync", 1), ("lock", 5),
                            ("unlock", 5), ("start", [2, 0]), ("complete", [2, 0]), ("post", [0, 2]), ("wait", [0, 1])):
            self.assert_call(p, "MPI_Win_" + name, calls)
        tests = p.call("MPI_Win_test").calls_by_rank
        self.assertEqual((tests[0], tests[1] > 0), (0, True))
        self.assert_call(p, "MPI_Put", [2, 0], [24, 0])
        self.assert_call(p, "MPI_Get", 1, 0, 20)
        self.assert_call(p, "MPI_Allgather", 1, 8, 16)
        self.assertEqual(p.matrix("rma"), {(0, 1): (3, 24 + 20), (1, 0): (1, 20)})


if __name__ == "__main__":
    main()
