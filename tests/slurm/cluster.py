"""A Slurm of one machine: slurmctld, munged, and nodes n1 and n2, each a slurmd with a host name, a process table and a /tmp of its own.
What nodes share is the file system but for /tmp, and in /tmp the cluster's directory (and the build, where it lies there).

Needs Debian's slurmctld, slurmd, slurm-client and munge, and the rights to make namespaces. Everything ends with the process that made
it, whatever ends that: the first process of each namespace waits for the end of its standard input.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from harness import PROGRAMS, SOURCES, TOOL

NODES = ("n1", "n2")
CPUS = 4  # of a node, whatever there are
NEEDED = ("slurmctld", "slurmd", "srun", "sbatch", "salloc", "scancel", "scontrol", "squeue", "sinfo", "munged", "unshare", "nsenter", "mount")

# The first process of the cluster's process table takes in what daemons leave behind: slurmd would wait for ever for the end of a zombie.
HOLDER = """
exec 3<&0
cat <&3 >/dev/null & holder=$!
echo ready
wait "$holder"
"""

# $1 host name, $2 file for /etc/hosts, $3 what becomes /tmp, or "", $4 names in /tmp that stay, $5... the daemon.
DAEMON = """
mount --make-rprivate / && mount --bind "$2" /etc/hosts && hostname "$1" || exit
if [ -n "$3" ]; then
  for name in $4; do mkdir "$3/$name" && mount --bind "/tmp/$name" "$3/$name" || exit; done
  mount --rbind "$3" /tmp || exit
fi
shift 4
echo ready "$(readlink /proc/self/ns/uts)" "$(readlink /proc/self/ns/pid)"
exec "$@" </dev/null >/dev/null 2>&1
"""

CONFIGURATION = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket,cred_expire=5
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmctldPidFile={directory}/slurmctld.pid
SlurmctldLogFile={directory}/slurmctld.log
StateSaveLocation={directory}/state
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmdLogFile={directory}/slurmd-%n.log
SlurmdSpoolDir={directory}/spool-%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
MpiDefault=none
KillWait=4
SlurmdTimeout=10
ReturnToService=2
JobRequeue=1
MailProg=/bin/true
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def names_in_tmp(*paths):
    """What in /tmp itself the paths lead through."""
    return sorted({os.path.realpath(path).split("/")[2] for path in paths if path and os.path.realpath(path).startswith("/tmp/")})


class Namespace:
    """Processes that end together. A line of theirs says that they have begun, and in which namespaces they are."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready"):
            rest = self.process.communicate()[0]
            raise unittest.SkipTest(f"no namespaces can be made here: {(line + rest).strip()}")
        self.names = line.split()[1:]  # ["uts:[...]", "pid:[...]"]


def members(names):
    """Processes of a node: of its host name and of its cluster's process table, neither of which may be the machine's own."""
    own = [os.readlink(f"/proc/self/ns/{kind}") for kind in ("uts", "pid")]
    if len(names) != 2 or not names[0].startswith("uts:[") or not names[1].startswith("pid:[") or names[0] == own[0] or names[1] == own[1]:
        raise AssertionError(f"these are not the namespaces of a node: {names}; the machine's are {own}")
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if [os.readlink(f"/proc/{pid}/ns/{kind}") for kind in ("uts", "pid")] == names:
                found.append(int(pid))
        except OSError:
            pass  # gone
    return found


class Cluster:
    def __init__(self):
        for tool in NEEDED:
            if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
                raise unittest.SkipTest(f"{tool} is not installed")
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can start slurmd here")
        self.directory = tempfile.mkdtemp(prefix="scope-slurm-")
        os.chmod(self.directory, 0o755)
        self.table, self.daemons = None, {}
        self.environment = {**{k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "LD_PRELOAD"))},
                            "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin", "SLURM_CONF": self.path("slurm.conf")}
        try:
            self._configure()
            self._start()
        except BaseException:
            self.end()
            raise

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def _write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def _configure(self):
        for name in ("state", "shared", *(f"spool-{node}" for node in NODES)):
            os.mkdir(self.path(name))
        controller, *slurmds = free_ports(1 + len(NODES))
        host = socket.gethostname()
        text = CONFIGURATION.format(directory=self.directory, host=host, controller_port=controller)
        for node, port in zip(NODES, slurmds):
            text += f"NodeName={node} NodeHostname={node} NodeAddr=127.0.0.1 Port={port} CPUs={CPUS} State=UNKNOWN\n"
        text += f"PartitionName=short Nodes={','.join(NODES)} Default=YES MaxTime=10 DefaultTime=5 OverSubscribe=NO State=UP\n"
        self._write("slurm.conf", text)
        with open(self.path("munge.key"), "wb") as file:
            file.write(os.urandom(128))
        os.chmod(self.path("munge.key"), 0o400)
        with open("/etc/hosts", encoding="utf-8") as file:
            self._write("hosts", file.read() + "".join(f"127.0.0.1 {node}\n" for node in NODES))

    def _start(self):
        self.table = Namespace(["unshare", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child", "sh", "-c", HOLDER], self.environment)
        with open(f"/proc/{self.table.process.pid}/task/{self.table.process.pid}/children", encoding="ascii") as file:
            self.table_pid = file.read().split()[0]
        munged = ["munged", "--foreground", "--force", f"--socket={self.path('munge.socket')}", f"--key-file={self.path('munge.key')}",
                  f"--pid-file={self.path('munged.pid')}", f"--log-file={self.path('munged.log')}", f"--seed-file={self.path('munged.seed')}"]
        self._enter("munge", socket.gethostname(), munged)
        self.wait_for(lambda: os.path.exists(self.path("munge.socket")), "munged's socket")
        self._enter("controller", socket.gethostname(), ["slurmctld", "-D", "-i"])
        for node in NODES:
            self.start_node(node)
        self.wait_for(lambda: self.states() == {node: "idle" for node in NODES}, "both nodes to be idle")

    def _enter(self, name, host, daemon, tmp=""):
        shared = " ".join(names_in_tmp(self.directory, TOOL, PROGRAMS, SOURCES))
        table = [f"--{kind}=/proc/{self.table_pid}/ns/{file}" for kind, file in (("mount", "mnt"), ("pid", "pid"))]
        enter = ["nsenter", *table, "unshare", "--mount", "--uts", "sh", "-c", DAEMON, "sh"]
        self.daemons[name] = Namespace([*enter, host, self.path("hosts"), tmp, shared, *daemon], self.environment)

    def start_node(self, node):
        tmp = tempfile.mkdtemp(prefix=f"tmp-{node}-", dir=self.directory)
        os.chmod(tmp, 0o1777)
        self._enter(node, node, ["slurmd", "-D", "-N", node], tmp)

    def end_node(self, node):
        """As when power fails: every process is killed."""
        for pid in members(self.daemons[node].names):
            os.kill(pid, signal.SIGKILL)
        self.daemons.pop(node).process.communicate()

    def states(self):
        """Node -> "idle", "mixed", "down*", ..."""
        lines = self.ask("sinfo", "-h", "-N", "-o", "%N %T").splitlines()
        return dict(line.split() for line in lines)

    def ask(self, *command):
        """What a command of Slurm says; "" while the controller does not answer."""
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else ""

    def wait_for(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s for {what}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.directory)):
            if name.endswith(".log"):
                with open(self.path(name), encoding="utf-8", errors="replace") as file:
                    text += f"--- {name}\n" + "".join(file.readlines()[-40:])
        return text

    def end(self):
        if self.table:
            self.table.process.kill()  # --kill-child: the first process of the table goes with it, and all others with that
            self.table.process.communicate()
        for daemon in self.daemons.values():
            daemon.process.communicate()
        shutil.rmtree(self.directory, ignore_errors=True)
