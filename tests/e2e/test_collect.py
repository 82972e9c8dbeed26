"""run --collect: how ranks' data reach the launcher, with and without a common file system."""

import glob
import os
import re
import shutil

from harness import EndToEnd, Profile, TOOL, each_mpi, main, read_json
from nodes import Elsewhere, Nodes

MODES = ("files", "node", "mpi", "auto")


class Collecting(EndToEnd):
    def check_ends(self, p, ranks=4, reported=None):
        """The program "ends": 100 barriers a rank, and one MPI_Finalize."""
        reported = list(range(ranks)) if reported is None else reported
        calls = [100 if rank in reported else 0 for rank in range(ranks)]
        self.assertEqual([r for r in range(ranks) if calls[r]], reported)
        row = p.call("MPI_Barrier")
        self.assertEqual(row.calls, 100 * len(reported))
        self.assertEqual(row.calls_by_rank, [100] * len(p.ranks))
        self.assertEqual([rank["rank"] for rank in p.ranks], reported)

    def check_complete(self, p, ranks=4):
        self.check_ends(p, ranks)
        self.assertEqual(p.call("MPI_Finalize").calls_by_rank, [1] * ranks)
        self.assertEqual(p.call("MPI_Init").calls_by_rank, [1] * ranks)
        self.assertEqual([(w["size"], w["ranks_reported"], w["complete"]) for w in p.worlds], [(ranks, ranks, True)])
        self.assertEqual([rank["status"] for rank in p.ranks], ["finalized"] * ranks)
        self.assertEqual(p.warnings, {})

    def check_killed(self, p):
        """Rank 1 killed itself behind the last barrier; others were killed, in it at the earliest."""
        self.assertEqual([rank["rank"] for rank in p.ranks], [0, 1, 2, 3])
        self.assertEqual(p.worlds[0]["missing"], [])
        calls = p.call("MPI_Barrier").calls_by_rank
        self.assertEqual(calls[1], 100)
        self.assertTrue(all(99 <= count <= 100 for count in calls), calls)

    def local(self, tmp):
        """Nodes' own directories that are left in a TMPDIR."""
        return glob.glob(os.path.join(tmp, ".scope-profiler-*"))

    def incomplete(self, run):
        """The profile of a run whose data are elsewhere, and its run directory, which is kept."""
        p = Profile(read_json(self.path("trace.json")))
        kept = [name for name in os.listdir(self.directory) if name.startswith(".scope-profiler-")]
        self.assertEqual(len(kept), 1, run)
        return p, self.path(kept[0])

    def fetch_and_merge(self, p, host, tmp, behind, run_directory):
        """Does what the summary says, with cp for scp."""
        text = p.warnings["data-elsewhere"]
        found = re.search(rf"scp -pr {host}:(\S+) (\S+);", text)
        self.assertTrue(found, text)
        directory = found.group(1)
        self.assertEqual(os.path.dirname(directory), tmp)
        self.assertIn(f"scope-profiler merge {run_directory} {found.group(2)} -o", text)
        shutil.copytree(os.path.join(behind, os.path.basename(directory)), self.path(found.group(2)))
        merged = self.tool("merge", run_directory, self.path(found.group(2)), "-o", self.path("merged.json"))
        self.assertEqual(merged.code, 0, merged)
        return Profile(read_json(self.path("merged.json")))


class OneNode(Collecting):
    @each_mpi
    def test_every_way_gives_the_same(self, mpi):
        for mode in MODES:
            p = self.profile(mpi, 4, "ends", options=("--collect", mode, "--keep-dumps", self.path(mode)), output=f"{mode}.json")
            self.check_complete(p)
            names = sorted(os.listdir(self.path(mode)))
            dumps, files = [[n for n in names if n.startswith(start)] for start in ("rank-", "node-")]
            self.assertEqual((len(dumps), len(files)), (0, 1) if mode in ("node", "mpi") else (4, 0), names)

    @each_mpi
    def test_kept_node_files_are_merged(self, mpi):
        self.profile(mpi, 3, "ends", options=("--collect", "node", "--keep-dumps", self.path("kept")))
        for inputs in ([self.path("kept")], glob.glob(self.path("kept", "node-*"))):
            merged = self.tool("merge", *inputs, "-o", self.path("merged.json"))
            self.assertEqual(merged.code, 0, merged)
            self.check_complete(self.load(merged, "merged.json"), 3)

    @each_mpi
    def test_a_rank_that_is_killed_is_recovered(self, mpi):
        for mode in ("node", "mpi"):
            run = self.run_profiled(mpi.command(2, "ends", "kill"), options=("--collect", mode), code=None)
            p = self.load(run)
            self.assertEqual(p.call("MPI_Barrier").calls_by_rank[1], 100)
            self.assertEqual(p.worlds[0]["missing"], [])
            self.assertIn(p.ranks[1]["status"], ("killed", "recovered"))

    @each_mpi
    def test_every_world_is_kept_apart(self, mpi):
        if mpi.name == "mpich":
            self.skipTest("MPI_Comm_spawn fails in Debian's MPICH without a tool, too")
        for mode in ("node", "mpi"):
            run = self.run_profiled(mpi.command(1, "spawn"), options=("--collect", mode, "--keep-dumps", self.path(mode)))
            p = self.load(run)
            self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(1, 1), (2, 2)])
            self.assertEqual(p.call("MPI_Recv").calls_by_rank, [0, 1, 1])
            self.assertEqual(len(glob.glob(self.path(mode, "node-*"))), 2)

    @each_mpi
    def test_damaged_node_files_are_named(self, mpi):
        self.profile(mpi, 2, "ends", options=("--collect", "node", "--keep-dumps", self.path("kept")))
        file = glob.glob(self.path("kept", "node-*"))[0]
        with open(file, "rb") as source:
            data = bytearray(source.read())
        at = data.index(b'"MPI_Barrier"', data.index(b"scope-profiler-rank"))
        data[at + 3] ^= 1
        with open(file, "wb") as target:
            target.write(data)
        merged = self.tool("merge", self.path("kept"), "-o", self.path("merged.json"))
        self.assertEqual(merged.code, 0, merged)
        p = Profile(read_json(self.path("merged.json")))
        self.assertEqual(len(p.ranks), 1)
        self.assertIn("does not match its sum", p.warnings["dump-unreadable"])


class TwoHosts(Collecting):
    """Ranks 0 and 1 here, 2 and 3 where the run directory is not to be seen."""

    def command(self, mpi, elsewhere, *arguments, program="ends"):
        here = [mpi.program(program), *arguments]
        return [mpi.mpiexec, "-n", "2", *here, ":", "-n", "2", elsewhere.script, *here]

    def collected(self, mpi, mode, *arguments, code=0, env=None, options=(), program="ends"):
        elsewhere = Elsewhere(self, mpi)
        run = self.run_profiled(self.command(mpi, elsewhere, *arguments, program=program), options=("--collect", mode, *options), code=code,
                                env={"TMPDIR": elsewhere.tmp, **(env or {})})
        return elsewhere, run

    @each_mpi
    def test_mpi_hands_over(self, mpi):
        elsewhere, run = self.collected(mpi, "mpi")
        p = self.load(run)
        self.check_complete(p)
        self.assertEqual([rank["host"] == elsewhere.name for rank in p.ranks], [mpi.name == "mpich"] * 2 + [True] * 2)
        self.assertEqual(self.local(elsewhere.behind), [], "left on the node")

    @each_mpi
    def test_timelines_and_regions_come_along(self, mpi):
        elsewhere, run = self.collected(mpi, "mpi", options=("--trace", "--keep-dumps", self.path("kept")), program="regions")
        p = self.load(run)
        self.assertEqual(len(p.ranks), 4, run)
        self.assertNotIn("data-elsewhere", p.warnings)
        names = os.listdir(self.path("kept"))
        self.assertEqual(len([n for n in names if n.startswith("trace-calls-")]), 4, names)
        self.assertEqual(len([n for n in names if n.startswith("regions-")]), 4, names)
        calls = p.data["regions"][0]["per_rank"]["calls"]
        self.assertEqual(calls, [calls[0]] * 4)
        self.assertEqual(self.local(elsewhere.behind), [])

    @each_mpi
    def test_the_summary_says_where_the_rest_is(self, mpi):
        for mode in ("node", "auto"):
            elsewhere, run = self.collected(mpi, mode)
            p, directory = self.incomplete(run)
            self.check_ends(p, 4, [0, 1])
            self.assertIn(elsewhere.name + ":" + elsewhere.tmp, run.errors)
            merged = self.fetch_and_merge(p, elsewhere.name, elsewhere.tmp, elsewhere.behind, directory)
            self.check_complete(merged)
            for left in (directory, self.path("from-" + elsewhere.name)):
                shutil.rmtree(left)

    @each_mpi
    def test_files_need_a_shared_directory(self, mpi):
        _, run = self.collected(mpi, "files")
        p = self.load(run)
        self.assertEqual([rank["rank"] for rank in p.ranks], [0, 1])
        self.assertEqual(p.worlds[0]["missing"], [2, 3])
        self.assertIn("not visible from their node", p.warnings["ranks-missing"])

    @each_mpi
    def test_what_can_be_seen_here_is_merged_at_once(self, mpi):
        """A read-only container, say: another place, the same /tmp."""
        elsewhere = Elsewhere(self, mpi)
        with open(elsewhere.script + ".inside", encoding="ascii") as file:
            text = file.read()
        with open(elsewhere.script + ".inside", "w", encoding="ascii") as file:
            file.write(re.sub(rf"mount --bind '\S+' '{elsewhere.tmp}' && ", "", text))
        run = self.run_profiled(self.command(mpi, elsewhere), env={"TMPDIR": elsewhere.tmp})
        self.check_complete(self.load(run))
        self.assertEqual(self.local(elsewhere.tmp), [])

    @each_mpi
    def test_a_killed_rank_leaves_node_files(self, mpi):
        elsewhere, run = self.collected(mpi, "mpi", "kill", code=None)
        self.assertNotEqual(run.code, 0)
        p, directory = self.incomplete(run)
        self.check_killed(self.fetch_and_merge(p, elsewhere.name, elsewhere.tmp, elsewhere.behind, directory))

    @each_mpi
    def test_an_abort_sends_nothing(self, mpi):
        elsewhere, run = self.collected(mpi, "mpi", "abort", code=None)
        p, directory = self.incomplete(run)
        self.check_killed(self.fetch_and_merge(p, elsewhere.name, elsewhere.tmp, elsewhere.behind, directory))

    @each_mpi
    def test_ranks_without_the_shim_are_not_waited_for(self, mpi):
        """Some ranks of the world never make the communicator: neither MPI_Init nor MPI_Finalize of the others may hang."""
        elsewhere = Elsewhere(self, mpi)
        program = mpi.program("ends")
        command = [mpi.mpiexec, "-n", "1", "env", "-u", "LD_PRELOAD", program, ":", "-n", "1", elsewhere.script, program]
        env = {"TMPDIR": elsewhere.tmp, "SCOPE_PROFILER_COLLECT_PATIENCE": "1", "OMPI_MCA_orte_fork_agent": "/usr/bin/env"}
        run = self.run_profiled(command, options=("--collect", "mpi"), env=env)
        p, _ = self.incomplete(run)
        self.assertEqual(len(self.local(elsewhere.behind)), 1)
        self.assertIn(elsewhere.name, p.warnings["data-elsewhere"])


class TwoNodes(Collecting):
    """Open MPI over two network namespaces without a common run directory or /tmp: daemons and messages over TCP."""

    def setUp(self):
        super().setUp()
        self.nodes = Nodes(self, apart=True)

    def launch(self, mpi, line, env=None, options=(), code=0):
        settings = {**self.nodes.settings(), **(env or {})}
        command = self.nodes.first.command(TOOL, "run", "--mpi-calls", *options, "-o", self.path("trace.json"), mpi.mpiexec, *line)
        run = self.bare(command, env=settings)
        if code is not None:
            self.assertEqual(run.code, code, run)
        return run

    def ends(self, mpi, *arguments):
        return ["-n", "4", "--host", "first:2,second:2", mpi.program("ends"), *arguments]

    @each_mpi("openmpi")
    def test_mpi_hands_over(self, mpi):
        p = self.load(self.launch(mpi, self.ends(mpi), options=("--collect", "mpi")))
        self.check_complete(p)
        self.assertEqual([rank["host"] for rank in p.ranks], ["first", "first", "second", "second"])
        for behind in self.nodes.behind.values():
            self.assertEqual(self.local(behind), [])

    @each_mpi("openmpi")
    def test_without_it_the_summary_says_what_to_fetch(self, mpi):
        for mode in ("auto", "node"):
            run = self.launch(mpi, self.ends(mpi), options=("--collect", mode))
            p, directory = self.incomplete(run)
            self.check_ends(p, 4, [0, 1])
            self.assertIn("scp -pr second:" + self.nodes.tmp, run.errors)
            self.check_complete(self.fetch_and_merge(p, "second", self.nodes.tmp, self.nodes.behind["second"], directory))
            shutil.rmtree(directory)
            shutil.rmtree(self.path("from-second"))

    @each_mpi("openmpi")
    def test_a_killed_rank_leaves_node_files(self, mpi):
        self.launch(mpi, self.ends(mpi, "kill"), options=("--collect", "mpi"), code=None)
        p, directory = self.incomplete(None)
        self.check_killed(self.fetch_and_merge(p, "second", self.nodes.tmp, self.nodes.behind["second"], directory))

    @each_mpi("openmpi")
    def test_mpi_itself_says_where_data_are_where_udp_is_stopped(self, mpi):
        self.nodes.stop_udp()
        self.launch(mpi, self.ends(mpi, "kill"), options=("--collect", "mpi"), code=None)
        p, directory = self.incomplete(None)
        self.check_killed(self.fetch_and_merge(p, "second", self.nodes.tmp, self.nodes.behind["second"], directory))

    # The ways to a remote rank: what the user says in his line and environment holds, and the shim gets there.

    def remote(self, mpi, line, env=None, program="surroundings"):
        run = self.launch(mpi, [*line], env, options=("--collect", "mpi"))
        return run, self.load(run)

    @each_mpi("openmpi")
    def test_users_variables_reach_remote_ranks(self, mpi):
        for line, env in ((["-x", "SCOPE_TEST_WORD=given"], {}), (["-x", "SCOPE_TEST_WORD"], {"SCOPE_TEST_WORD": "given"}),
                          (["--mca", "mca_base_env_list", "SCOPE_TEST_WORD=given"], {})):
            run, p = self.remote(mpi, ["-n", "2", "--host", "first:1,second:1", *line, mpi.program("word")], env)
            self.assertEqual(run.lines(), ["first 0 given", "second 1 given"])
            self.assertEqual([rank["host"] for rank in p.ranks], ["first", "second"])

    @each_mpi("openmpi")
    def test_host_files(self, mpi):
        with open(self.path("hosts"), "w", encoding="ascii") as file:
            file.write("# two nodes\nsecond slots=2\nfirst slots=2\n")
        for option in ("--hostfile", "-machinefile"):
            run, p = self.remote(mpi, ["-n", "4", option, self.path("hosts"), mpi.program("ends")])
            self.check_complete(p)
            self.assertEqual(sorted(rank["host"] for rank in p.ranks), ["first", "first", "second", "second"])

    @each_mpi("openmpi")
    def test_app_files(self, mpi):
        with open(self.path("app"), "w", encoding="ascii") as file:
            file.write(f"-n 1 --host first -x SCOPE_TEST_WORD=one {mpi.program('word')}\n"
                       f"-n 1 --host second -x SCOPE_TEST_WORD=two {mpi.program('word')}\n")
        run, p = self.remote(mpi, ["--app", self.path("app")])
        self.assertEqual(run.lines(), ["first 0 one", "second 1 two"])
        self.assertEqual([(rank["rank"], rank["host"]) for rank in p.ranks], [(0, "first"), (1, "second")])

    @each_mpi("openmpi")
    def test_spawned_ranks_on_both_nodes(self, mpi):
        run, p = self.remote(mpi, ["-n", "1", "--host", "first:2,second:1", mpi.program("spawn")])
        self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(1, 1), (2, 2)], run)
        self.assertEqual(p.call("MPI_Recv").calls_by_rank, [0, 1, 1])
        self.assertEqual([rank["host"] for rank in p.ranks], ["first", "first", "second"])

    @each_mpi("openmpi")
    def test_spawned_ranks_on_the_other_node(self, mpi):
        """Of their world nobody can take anything over."""
        for mode in ("mpi", "auto"):
            line = ["-n", "1", "--host", "first:1,second:2", mpi.program("spawn")]
            self.launch(mpi, line, options=("--collect", mode))
            p, directory = self.incomplete(None)
            self.assertEqual([rank["host"] for rank in p.ranks], ["first"])
            merged = self.fetch_and_merge(p, "second", self.nodes.tmp, self.nodes.behind["second"], directory)
            self.assertEqual([(w["size"], w["ranks_reported"]) for w in merged.worlds], [(1, 1), (2, 2)])
            self.assertEqual(merged.call("MPI_Recv").calls_by_rank, [0, 1, 1])
            self.assertEqual([rank["host"] for rank in merged.ranks], ["first", "second", "second"])
            shutil.rmtree(directory)
            shutil.rmtree(self.path("from-second"))

    @each_mpi("openmpi")
    def test_the_users_own_fork_agent(self, mpi):
        """It is left in its place, on both nodes. The first node's ranks have the shim from mpiexec; the agent gives it to the second's
        where it does what our own would."""
        log = os.path.join(self.nodes.tmp, "agent.log")
        agent = os.path.join(os.path.dirname(self.nodes.agent), "own-agent")
        with open(agent, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\necho "$(hostname) $OMPI_COMM_WORLD_RANK" >> {log}\nexec "$@"\n')
        os.chmod(agent, 0o755)
        env = {"OMPI_MCA_orte_fork_agent": agent}
        line = ["-n", "2", "--host", "first:1,second:1"]
        run = self.launch(mpi, [*line, mpi.program("ends")], env)
        self.assertEqual([rank["host"] for rank in self.load(run).ranks], ["first"])
        names = ["LD_PRELOAD", "SCOPE_PROFILER_RUN_DIR", "SCOPE_PROFILER_RUN_ID", "SCOPE_PROFILER_COLLECT_MODE", "SCOPE_PROFILER_BOOT_ID"]
        passed = [word for name in names for word in ("-x", name)]
        run = self.launch(mpi, [*line, *passed, mpi.program("ends")], env, options=("--collect", "mpi"))
        self.assertEqual([rank["host"] for rank in self.load(run).ranks], ["first", "second"])
        for host, rank in (("first", 0), ("second", 1)):
            with open(os.path.join(self.nodes.behind[host], "agent.log"), encoding="ascii") as file:
                self.assertEqual(file.read().split("\n"), [f"{host} {rank}"] * 2 + [""])


if __name__ == "__main__":
    main()
