"""Two nodes on one machine, as namespaces: each has a network, a host name and a boot id of its own, and the second one's
CLOCK_MONOTONIC is ahead. They share the file system, processes and CLOCK_REALTIME. Needs the rights to make namespaces."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import uuid

SHIFT = 1000  # s by which the second node's clock is ahead
NETWORK = "10.77.0."
INTERFACE = "scope0"

# Bind mounts are of the namespace only, and so is the interface. Lives until its standard input ends.
HOLDER = """
mount --make-rprivate / && mount -t sysfs sysfs /sys && mount --bind "$1" /proc/sys/kernel/random/boot_id && mount --bind "$2" /etc/hosts && hostname "$3" &&
ip link set lo up && echo ready $$ && exec cat
"""


def bind(pairs):
    """Mounts for a shell: directories that stand in the place of others."""
    return "".join(f"mount --bind '{source}' '{target}' && " for source, target in pairs)


class Elsewhere:
    """A second node for any MPI: `script PROGRAM ARG...` runs the program with the network of this node, a host name and boot id of
    its own, and directories that others don't see: the test's own, with the run directory in it, and `tmp`, which is TMPDIR. For MPICH
    it is a container rather than a node: between names and boot ids UCX would take to TCP, and hang at times without any tool."""

    def __init__(self, test, mpi):
        if not shutil.which("unshare"):
            raise unittest.SkipTest("unshare is not installed")
        base = tempfile.mkdtemp(prefix="scope-elsewhere-")
        test.addCleanup(shutil.rmtree, base, ignore_errors=True)
        self.tmp, self.behind, hidden = (os.path.join(base, part) for part in ("tmp", "behind", "hidden"))
        for directory in (self.tmp, self.behind, hidden):
            os.mkdir(directory)
        name = self.name = "other" if mpi.name == "openmpi" else socket.gethostname()
        with open(os.path.join(base, "boot-id"), "w", encoding="ascii") as file:
            file.write(str(uuid.uuid4()) + "\n")
        self.script = os.path.join(base, "elsewhere")
        identity = [(os.path.join(base, "boot-id"), "/proc/sys/kernel/random/boot_id")] if mpi.name == "openmpi" else []
        mounts = bind([*identity, (self.behind, self.tmp), (hidden, test.directory)])
        with open(self.script + ".inside", "w", encoding="ascii") as file:
            file.write(f"mount --make-rprivate / && {mounts}hostname {name} && cd / && exec \"$@\"\n")
        with open(self.script, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nexec unshare --uts --mount sh "$0.inside" "$@"\n')
        os.chmod(self.script, 0o755)
        done = subprocess.run([self.script, "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise unittest.SkipTest(f"no namespaces can be made here: {done.stdout.strip()}")


class Node:
    def __init__(self, directory, name, hosts, shift, mounts=""):
        self.name = name
        self.boot_id = str(uuid.uuid4())
        boot_id = os.path.join(directory, f"{name}.boot-id")
        with open(boot_id, "w", encoding="ascii") as file:
            file.write(self.boot_id + "\n")
        ahead = ["--time", "--monotonic", str(shift), "--boottime", str(shift)] if shift else []
        self.process = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", *ahead, "--fork", "--kill-child", "sh", "-c", HOLDER.replace("ip link set lo", mounts + "ip link set lo"), "sh", boot_id, hosts, name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            rest = self.process.communicate()[0]
            raise unittest.SkipTest(f"no namespaces can be made here: {(line + rest).strip()}")
        self.pid = line.split()[1]

    def command(self, *words):
        """The words as a process of this node."""
        namespaces = ["--net", "--uts", "--mount"] + (["--time"] if os.path.exists("/proc/self/ns/time") else [])
        return ["nsenter", "-t", self.pid, *namespaces, "--wd=" + os.getcwd(), "--", *words]

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class Nodes:
    """nodes.first, nodes.second: joined by a cable, INTERFACE at both ends."""

    def __init__(self, test, shift=SHIFT, apart=False):
        """`apart`: without a common file system for data. The second node does not see the test's directory, and each has its own
        `tmp` (TMPDIR), which is at behind[NAME] for the test."""
        for tool in ("unshare", "nsenter", "ip", "mount"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is not installed")
        directory = tempfile.mkdtemp(prefix="scope-nodes-")
        test.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        hosts = os.path.join(directory, "hosts")
        with open(hosts, "w", encoding="ascii") as file:
            file.write(f"127.0.0.1 localhost\n{NETWORK}1 first\n{NETWORK}2 second\n")
        mounts = dict.fromkeys(("first", "second"), "")
        if apart:
            self.tmp = os.path.join(directory, "tmp")
            self.behind = {name: os.path.join(directory, name) for name in mounts}
            for made in (self.tmp, *self.behind.values(), os.path.join(directory, "hidden")):
                os.mkdir(made)
            mounts = {name: bind([(self.behind[name], self.tmp)]) for name in mounts}
            mounts["second"] += bind([(os.path.join(directory, "hidden"), test.directory)])
        self.first = Node(directory, "first", hosts, 0, mounts["first"])
        test.addCleanup(self.first.end)
        self.second = Node(directory, "second", hosts, shift, mounts["second"])
        test.addCleanup(self.second.end)
        self.agent = os.path.join(directory, "agent")
        self._connect()
        self._write_agent()

    def _connect(self):
        first, second = self.first.command, self.second.command
        for command in (first("ip", "link", "add", INTERFACE, "type", "veth", "peer", "name", INTERFACE, "netns", self.second.pid),
                        first("ip", "address", "add", NETWORK + "1/24", "dev", INTERFACE), first("ip", "link", "set", INTERFACE, "up"),
                        second("ip", "address", "add", NETWORK + "2/24", "dev", INTERFACE), second("ip", "link", "set", INTERFACE, "up")):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                raise unittest.SkipTest(f"no network between namespaces: {done.stdout.strip()}")
        for node in (self.first, self.second):
            self._wait_for_cable(node)

    @staticmethod
    def _wait_for_cable(node):
        """The kernel needs up to a second to see both ends."""
        deadline = time.monotonic() + 10
        while subprocess.run(node.command("grep", "-qx", "up", f"/sys/class/net/{INTERFACE}/operstate")).returncode:
            if time.monotonic() > deadline:
                raise unittest.SkipTest("the network between namespaces does not come up")
            time.sleep(0.05)

    def stop_udp(self):
        """As a firewall would. TCP goes through."""
        for node in (self.first, self.second):
            done = subprocess.run(node.command("ip", "rule", "add", "ipproto", "udp", "prohibit"), stderr=subprocess.PIPE, text=True)
            if done.returncode:
                raise unittest.SkipTest(f"UDP can't be stopped here: {done.stderr.strip()}")

    def _write_agent(self):
        """In ssh's place: `agent HOST COMMAND...`. As with ssh, nothing of the environment comes along."""
        kept = 'PATH="$PATH" HOME="$HOME" SCOPE_TEST_TOKEN="$SCOPE_TEST_TOKEN"' + (f" TMPDIR={self.tmp}" if hasattr(self, "tmp") else "")
        enter = {node.name: " ".join(node.command()[:-1]).replace("--wd=" + os.getcwd(), "--wd=/") for node in (self.first, self.second)}
        with open(self.agent, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nwhile :; do case $1 in -*) shift;; *) break;; esac; done\nhost=$1\nshift\ncase $host in\n" + "".join(
                f"{name}|{NETWORK}{number}) exec {enter[name]} -- env -i {kept} sh -c \"$*\";;\n"
                for number, name in ((1, "first"), (2, "second"))) + "esac\necho \"no such host: $host\" >&2\nexit 255\n")
        os.chmod(self.agent, 0o755)

    def settings(self):
        """Open MPI's environment on the first node."""
        settings = {"plm_rsh_agent": self.agent, "plm_rsh_no_tree_spawn": "1", "btl": "tcp,self", "pml": "ob1", "oob": "tcp",
                    "btl_tcp_if_include": INTERFACE, "oob_tcp_if_include": INTERFACE, "mpi_yield_when_idle": "1"}
        environment = {f"OMPI_MCA_{name}": value for name, value in settings.items()}
        if hasattr(self, "tmp"):
            environment["TMPDIR"] = self.tmp
        return environment

    def launch(self, mpi, program):
        """A command of Open MPI for one rank on each node, for the first one, and its environment."""
        environment = self.settings()
        return [mpi.mpiexec, "-n", "2", "--host", "first:1,second:1", program], environment
