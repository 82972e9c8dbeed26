"""scope-profiler under Slurm, as its users type it: job steps on two nodes, batch scripts, arrays, allocations."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import cluster
import harness
from harness import TOOL, EndToEnd, each_mpi

MPI_OF = {"mpich": "pmi2", "openmpi": "pmix"}
BARRIERS = 100  # of the program "ends", by every rank


class Slurm(EndToEnd):
    """Tests of one cluster, which the first of them starts."""

    cluster = None

    def setUp(self):
        super().setUp()
        if Slurm.cluster is None:
            try:
                Slurm.cluster = cluster.Cluster()
            except Exception as reason:  # the next test need not wait for it again
                Slurm.cluster = reason
            else:
                unittest.addModuleCleanup(Slurm.cluster.end)
        if isinstance(Slurm.cluster, Exception):
            raise Slurm.cluster
        self.directory = tempfile.mkdtemp(dir=self.cluster.path("shared"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def surroundings(self, env=None):
        """Open MPI's sessions are in the /tmp of each node."""
        path = os.path.dirname(TOOL) + ":" + self.cluster.environment["PATH"]
        return {"SLURM_CONF": self.cluster.path("slurm.conf"), "PATH": path, "OMPI_MCA_orte_tmpdir_base": None, "OMPI_MCA_mpi_yield_when_idle": "1",
                **(env or {})}

    def start(self, command, env=None, *arguments, **options):
        """On no node."""
        return super().start(command, self.surroundings(env), *arguments, **options)

    def srun(self, mpi, program, *arguments, ranks=2, options=()):
        return ["srun", f"--mpi={MPI_OF[mpi.name]}", "-N2", f"-n{ranks}", *options, mpi.program(program), *arguments]

    def logs(self, run):
        return f"{run}\n{self.cluster.logs()}"

    def on_both_nodes(self, run, output="trace.json", ranks=2, barriers=BARRIERS):
        profile = self.load(run, output)
        self.assertEqual([(w["size"], w["ranks_reported"], w["complete"]) for w in profile.worlds], [(ranks, ranks, True)], self.logs(run))
        self.assertEqual({r["host"] for r in profile.ranks}, {"n1", "n2"})
        self.assert_call(profile, "MPI_Barrier", barriers)
        return profile


class Steps(Slurm):
    @each_mpi
    def test_srun_over_two_nodes(self, mpi):
        run = self.run_profiled(self.srun(mpi, "ends", ranks=4))
        profile = self.on_both_nodes(run, ranks=4)
        self.assertEqual(profile.data["metadata"]["launcher"], "srun")
        self.assertEqual(profile.data["metadata"]["hosts"], ["n1", "n2"])
        self.assertEqual(set(profile.data["metadata"]["batch"]), {"system", "id"})

    @each_mpi
    def test_mpiexec_in_an_allocation(self, mpi):
        run = self.run_profiled(["salloc", "-N2", "-n2", mpi.mpiexec, mpi.program("ends")])
        self.on_both_nodes(run)

    @each_mpi("mpich")
    def test_two_programs_in_one_step(self, mpi):
        with open(self.path("programs.conf"), "w", encoding="ascii") as file:
            file.write(f"0 {mpi.program('ends')}\n1 {mpi.program('ends')} code\n")
        run = self.run_profiled(["srun", "--mpi=pmi2", "-N2", "-n2", "--multi-prog", self.path("programs.conf")], code=3)
        self.on_both_nodes(run)


class Exports(Slurm):
    """srun that keeps its environment from the tasks."""

    def environment_of_tasks(self, *words, env=None):
        """A variable a line, without those that differ from step to step."""
        run = self.bare([*words, "srun", "-N1", "-n1", *self.options, "/usr/bin/env"], env={"MINE": "1", **(env or {})})
        self.assertEqual(run.code, 0, self.logs(run))
        return {line for line in run.text.splitlines() if line.split("=")[0] not in self.DIFFERENT}, run

    DIFFERENT = ("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_LAUNCHER_PORT", "SLURM_SRUN_COMM_PORT", "SLURM_LAUNCH_NODE_IPADDR",
                 "SLURM_TASK_PID", "SLURM_JOB_END_TIME", "SLURM_JOB_START_TIME", "SLURM_EXPORT_ENV", "SLURM_SUBMIT_DIR", "SLURM_SUBMIT_HOST")

    def added(self, options, env=None):
        self.options = options
        without, _ = self.environment_of_tasks(env=env)
        self.assertNotIn("MINE=1", without)
        with_us, run = self.environment_of_tasks(TOOL, "run", "--mpi-calls", "-o", self.path("trace.json"), env=env)
        self.assertEqual(without - with_us, set())
        return {line.split("=")[0] for line in with_us - without}, run

    def test_what_is_added_and_said(self):
        for options, env, told in ((["--export=NONE"], {}, "--export=NONE"), ([], {"SLURM_EXPORT_ENV": "NONE"}, "SLURM_EXPORT_ENV=NONE")):
            names, run = self.added(options, env)
            self.assertEqual({n for n in names if not n.startswith("SCOPE_PROFILER_")}, {"LD_PRELOAD"}, run)
            self.assertIn(f"{told} keeps the environment from the ranks", run.errors)

    @each_mpi("mpich")
    def test_ranks_are_reached(self, mpi):
        run = self.run_profiled(self.srun(mpi, "ends", options=["--export=NONE"]))
        self.on_both_nodes(run)
        self.assertIn("--export=NONE keeps the environment from the ranks: the variables of the profiler were added", run.errors)


class Jobs(Slurm):
    """Tests that submit batch scripts."""

    def submit(self, script, *options):
        """The job's number. What it says is in out-<job>.txt. It is cancelled at the end of the test, and does not carry the token: it
        may run before sbatch is seen to have left nothing behind."""
        path = self.path("job.sh")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script)
        command = ["sbatch", "--parsable", "-N2", "-n2", "-o", self.path("out-%A_%a.txt"), *options, path]
        env = harness.environment(self.token, self.surroundings({harness.TOKEN: None}))
        run = subprocess.run(command, env=env, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        job = int(run.stdout)
        self.addCleanup(self.ended, job)
        self.addCleanup(self.cluster.ask, "scancel", "--signal=KILL", "--full", str(job))
        self.addCleanup(self.cluster.ask, "scancel", str(job))
        return job

    def state(self, job):
        """"" of a job that is over and forgotten."""
        for word in self.cluster.ask("scontrol", "show", "job", str(job)).split():
            if word.startswith("JobState="):
                return word.partition("=")[2]
        return ""

    def ended(self, job, seconds=60):
        active = ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED")
        gone = lambda: not self.cluster.ask("squeue", "-h", "-j", str(job)).strip()
        self.cluster.wait_for(lambda: gone() or self.state(job) not in active, f"the end of job {job}", seconds)
        return self.state(job)

    def said(self, pattern="out-"):
        text = ""
        for name in sorted(os.listdir(self.directory)):
            if name.startswith(pattern):
                with open(self.path(name), encoding="utf-8", errors="replace") as file:
                    text += f"--- {name}\n{file.read()}"
        return text

    def profile_of(self, name):
        self.assertTrue(os.path.exists(self.path(name)), f"{sorted(os.listdir(self.directory))}\n{self.said()}\n{self.cluster.logs()}")
        data = harness.read_json(self.path(name))
        self.assertEqual(harness.violations(data), [])
        return harness.Profile(data)

    def line(self, mpi, program, *arguments, options="", srun=()):
        words = self.srun(mpi, program, *arguments, options=srun)
        return f"{TOOL} run --mpi-calls {options} {' '.join(words)}\n"


class Batch(Jobs):
    @each_mpi("mpich")
    def test_steps_of_one_job(self, mpi):
        steps = " ".join(self.srun(mpi, "hello"))
        with open(self.path("steps.sh"), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{steps}\n{steps}\n")
        os.chmod(self.path("steps.sh"), 0o755)
        first = self.line(mpi, "ends", options="-o first-%j.json", srun=["--cpu-bind=none"])
        job = self.submit(first + f"{TOOL} run --mpi-calls -o both-%j.json {self.path('steps.sh')}\n", "-J", "two words")
        self.assertEqual(self.ended(job), "COMPLETED", self.said())
        first = self.profile_of(f"first-{job}.json")
        self.assert_call(first, "MPI_Barrier", BARRIERS)
        self.assertEqual(first.data["metadata"]["batch"], {"system": "slurm", "id": str(job), "name": "two words", "partition": "short",
                                                           "nodes": "n[1-2]", "tasks_per_node": "1(x2)", "binding": "none"})
        both = self.profile_of(f"both-{job}.json")
        self.assertEqual([(w["size"], w["complete"]) for w in both.worlds], [(2, True), (2, True)])
        report = self.tool("report", self.path(f"first-{job}.json"))
        self.assertIn(f"Slurm job {job} 'two words', partition short, nodes n[1-2], tasks per node 1(x2), binding none\n", report.text)

    @each_mpi("mpich")
    def test_the_tasks_of_an_array_have_names_of_their_own(self, mpi):
        job = self.submit(self.line(mpi, "hello", options="-o trace-%a-%h.json"), "--array=3,5")
        self.cluster.wait_for(lambda: not self.cluster.ask("squeue", "-h", "-j", str(job), "-t", "PD,R,CG,CF").strip(), "the end of the array")
        for index in ("3", "5"):
            profile = self.profile_of(f"trace-{index}-n1.json")
            self.assertEqual(profile.data["metadata"]["batch"]["array_index"], index)
            self.assertEqual(len(profile.ranks), 2)

    @each_mpi("mpich")
    def test_inside_the_step_it_is_said_once(self, mpi):
        run = self.bare(["srun", "--mpi=pmi2", "-N2", "-n2", TOOL, "run", "--mpi-calls", "-o", self.path("trace-%h.json"), mpi.program("hello")])
        self.assertEqual(run.errors.count("Put 'scope-profiler run' in front of the launcher."), 1, run)

    def test_sbatch_is_no_launcher(self):
        run = self.tool("run", "sbatch", "job.sh")
        self.assertEqual(run.code, 125, run)
        self.assertIn("'sbatch' only puts the job into the queue", run.errors)


class Ends(Jobs):
    """Jobs that end before their time. The program waits when its ranks have made 100 Barriers."""

    def start_job(self, mpi, *options, script=None, srun=()):
        job = self.submit(script or "exec " + self.line(mpi, "ends", "sleep", options="-o trace-%j.json", srun=srun), *options)
        self.cluster.wait_for(lambda: "ready" in self.said(), f"job {job} to run")
        return job

    def barriers(self, name, hosts=("n1", "n2")):
        profile = self.profile_of(name)
        self.assertEqual([(r["host"], profile.call("MPI_Barrier").calls_by_rank[i]) for i, r in enumerate(profile.ranks)],
                         [(host, BARRIERS) for host in hosts])
        return profile

    @each_mpi("mpich")
    def test_scancel(self, mpi):
        job = self.start_job(mpi)
        self.cluster.ask("scancel", str(job))
        self.ended(job)
        self.barriers(f"trace-{job}.json")

    @each_mpi("mpich")
    def test_a_signal_for_the_batch_script_ends_the_program(self, mpi):
        job = self.start_job(mpi, "--signal=B:USR1@1")
        self.cluster.ask("scancel", "--signal=USR1", "--batch", str(job))
        self.ended(job)
        self.barriers(f"trace-{job}.json")

    @each_mpi("mpich")
    def test_a_node_that_fails(self, mpi):
        job = self.start_job(mpi, "--no-kill", srun=["--no-kill"])
        self.cluster.end_node("n2")
        try:
            self.cluster.wait_for(lambda: os.path.exists(self.path(f"trace-{job}.json")) or self.state(job) not in ("RUNNING",), "the end of the step", 90)
            self.ended(job, 90)
            profile = self.barriers(f"trace-{job}.json")
            self.assertNotEqual(profile.ranks[1]["status"], "finalized")
        finally:
            self.cluster.start_node("n2")
            self.cluster.wait_for(lambda: self.cluster.states() == {"n1": "idle", "n2": "idle"}, "the node to be back")

    @each_mpi("mpich")
    def test_the_time_limit(self, mpi):
        """One program ends at SIGTERM. The other does not: srun gives its ranks up at about the time when SIGKILL comes for all."""
        polite = self.start_job(mpi)
        stubborn = self.start_stubborn_job(mpi)
        for job in (polite, stubborn):  # a limit is a number of minutes, its end any time; slurmctld looks every 30 s
            self.cluster.ask("scontrol", "update", f"JobId={job}", "EndTime=now+1")
        for job in (polite, stubborn):
            self.assertEqual(self.ended(job, 90), "TIMEOUT", self.said())
        self.barriers(f"trace-{polite}.json")
        if not os.path.exists(self.path("stubborn", "trace.json")):
            self.merge_what_is_left("stubborn/trace.json")
        self.barriers("stubborn/trace.json")

    def start_stubborn_job(self, mpi):
        with open(self.path("stubborn.sh"), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\ntrap '' TERM\nexec {mpi.program('ends')} sleep >stubborn-$SLURM_PROCID.txt\n")
        os.chmod(self.path("stubborn.sh"), 0o755)
        job = self.submit(f"mkdir stubborn\nexec {TOOL} run --mpi-calls -o stubborn/trace.json srun --mpi=pmi2 -N2 -n2 ./stubborn.sh\n")
        self.cluster.wait_for(lambda: "ready" in self.said("stubborn-"), "the job to run")
        return job

    def merge_what_is_left(self, output):
        left = [name for name in os.listdir(self.path("stubborn")) if name.startswith(".scope-profiler-")]
        self.assertEqual(len(left), 1, os.listdir(self.path("stubborn")))
        run = self.tool("merge", self.path("stubborn", left[0]), "-o", self.path(output))
        self.assertEqual(run.code, 0, run)

    @each_mpi("mpich")
    def test_what_sigkill_leaves_is_merged_by_hand(self, mpi):
        """As when KillWait is over: the tool goes with the ranks."""
        job = self.start_stubborn_job(mpi)
        self.cluster.ask("scancel", "--signal=KILL", "--full", str(job))
        self.ended(job)
        self.merge_what_is_left("merged.json")
        profile = self.barriers("merged.json")
        self.assertEqual(profile.data["metadata"]["batch"]["id"], str(job))

    @each_mpi("mpich")
    def test_a_job_that_is_queued_again(self, mpi):
        line = self.line(mpi, "ends", "$how", options="-o trace-%j.json")
        job = self.start_job(mpi, "--requeue", script=f"how=${{SLURM_RESTART_COUNT:+}}\n[ -n \"$SLURM_RESTART_COUNT\" ] || how=sleep\nexec {line}")
        self.cluster.ask("scontrol", "requeue", str(job))
        self.cluster.wait_for(lambda: self.state(job) == "COMPLETED", "the second attempt", 90)
        self.barriers(f"trace-{job}.json.old")
        second = self.barriers(f"trace-{job}.json")
        self.assertEqual({r["status"] for r in second.ranks}, {"finalized"})


class Nodes(Slurm):
    """What lies on which node."""

    def container(self, bind, only=""):
        """A script in whose mount namespace the tool's folder is not, unless it is bound; on the node `only`."""
        folder = os.path.dirname(harness.SHIM)
        with open(self.path("container"), "w", encoding="ascii") as file:
            file.write(f"""#!/bin/sh
[ -z "{only}" ] || [ "$(hostname)" = "{only}" ] || exec "$@"
exec unshare --mount sh -c 'aside=$(mktemp -d) && mount --bind {folder} "$aside" && mount -t tmpfs none {os.path.dirname(folder)} || exit 99
{f'mkdir {folder} && mount --bind "$aside" {folder} || exit 99' if bind else ''}
exec "$@"' sh "$@"
""")
        os.chmod(self.path("container"), 0o755)
        return self.path("container")

    def contained(self, mpi, bind, only=""):
        ours = [TOOL, "run", "--mpi-calls", "-o", self.path("trace.json")]
        run = self.bare(["salloc", "-N2", "-n2", *ours, "srun", "--mpi=pmi2", self.container(bind, only), mpi.program("ends")])
        self.assertEqual(run.code, 0, run)
        return run

    @each_mpi("mpich")
    def test_a_container_that_binds_the_tools_folder(self, mpi):
        self.on_both_nodes(self.contained(mpi, bind=True))

    @each_mpi("mpich")
    def test_a_container_without_the_tools_folder(self, mpi):
        run = self.contained(mpi, bind=False)
        profile = self.load(run)
        self.assertEqual(profile.ranks, [])
        self.assertIn(f"a container or node that does not see '{os.path.dirname(harness.SHIM)}'", profile.warnings["no-ranks-reported"])

    @each_mpi("mpich")
    def test_a_node_without_the_tools_folder_is_named(self, mpi):
        profile = self.load(self.contained(mpi, bind=False, only="n2"))
        self.assertEqual([(r["rank"], r["host"]) for r in profile.ranks], [(0, "n1")])
        self.assertEqual(profile.worlds[0]["missing"], [1])
        self.assertTrue(profile.warnings["nodes-silent"].startswith("No rank reported from n2. "), profile.warnings)

    @each_mpi("mpich")
    def test_traffic_inside_a_node_and_between_them(self, mpi):
        """A ring of two ranks a node: 20 B to the right, 16 B to the left."""
        self.load(self.run_profiled(self.srun(mpi, "sendrecv", ranks=4, options=["--ntasks-per-node=2"])))
        report = json.loads(self.tool("report", "--format", "json", "--by", "peer", self.path("trace.json")).text)
        hosts = ["n1", "n1", "n2", "n2"]
        rows = {(row["src"], row["dst"], row["bytes"], row["src_host"], row["dst_host"]) for row in report["by_peer"]}
        self.assertEqual(rows, {(r, (r + step) % 4, size, hosts[r], hosts[(r + step) % 4]) for r in range(4) for step, size in ((1, 20), (3, 16))})
        self.assertEqual((report["headline"]["p2p_bytes"], report["headline"]["bytes_inside_nodes"]), (144, 72))
        self.assertIn("Point-to-point: 8 messages, 144 B; 50.0 % within a host", self.tool("report", self.path("trace.json")).text)


def main():
    harness.main()


if __name__ == "__main__":
    main()
