"""MPI before MPI_Init and after MPI_Finalize, in constructors, under Pcontrol, and inside error handlers."""

from harness import EndToEnd, each_mpi, main


class Outermost(EndToEnd):
    @each_mpi
    def test_constructor_of_a_library(self, mpi):
        p = self.profile(mpi, 2, "early_late", mpi.program("early_init") + ".so")
        self.assert_call(p, "MPI_Init", 1)
        self.assert_call(p, "MPI_Finalize", 1)
        self.assert_call(p, "MPI_Initialized", 2)
        self.assert_call(p, "MPI_Get_version", 2)
        self.assert_call(p, "MPI_Finalized", 2)
        self.assert_call(p, "MPI_Barrier", 5)
        self.assertEqual((p.call("MPI_Send").calls_by_rank, p.call("MPI_Send").errors), ([1, 1], 2))
        in_the_handler = {"MPI_Error_class", "MPI_Comm_rank"}
        self.assertEqual(p.names() & in_the_handler, set(), "what an error handler calls is inside the call")
        self.assertEqual([(r["status"], r["in_call"]) for r in p.ranks], [("finalized", None)] * 2)
        self.assertEqual((p.totals["bytes_sent"], p.matrix()), (0, {}))

    @each_mpi
    def test_pcontrol_before_init_fails_as_it_does_without_the_tool(self, mpi):
        for level in (0, 2):
            command = mpi.command(1, "early_late", mpi.program("early_init") + ".so", level)
            bare = self.bare(command)
            self.assertNotEqual(bare.code, 0, "this MPI now allows it: say what must be counted")
            run = self.run_profiled(command, code=None)
            self.assertEqual((run.code, run.text), (bare.code, bare.text), run)
            said = [line for line in bare.errors.splitlines() if "Pcontrol" in line]
            self.assertEqual([line for line in run.errors.splitlines() if line in said], said, run)


if __name__ == "__main__":
    main()
