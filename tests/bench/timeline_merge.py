"""Merging many ranks' timelines: the heat demo is run on 4 ranks with --trace, what they left is copied under other names as further
worlds, and `scope-profiler merge` of all is timed: assembly, side file, matching, wait states, critical path.

timeline_merge.py TOOL MPICC MPIEXEC HEAT.C"""

import glob
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

STEPS = 590                          # some 10,000 events a rank
SIZES = (10, 32, 100, 256)           # worlds of 4 ranks


def offsets():
    """Of host, start_time and pid in a trace block: magic, version, header_bytes, table_hash, run_id, host, boot_id come first."""
    host = 8 + 4 + 4 + 8 + 48
    start = host + 128 + 40
    return start, start + 8


def record(tool, mpicc, mpiexec, source, directory):
    program = os.path.join(directory, "heat")
    subprocess.run([mpicc, "-O2", "-o", program, source, "-lm"], check=True)
    dumps = os.path.join(directory, "dumps")
    subprocess.run([tool, "run", "-q", "--mpi-calls", "--trace", "--keep-dumps", dumps, "-o", os.path.join(directory, "one.json"),
                    mpiexec, "-n", "4", program, "--size", "64", "--steps", str(STEPS)], check=True, stdout=subprocess.DEVNULL)
    return dumps


def copies(dumps, directory, count):
    """`count` worlds in a directory of their own."""
    os.makedirs(directory)
    start_at, pid_at = offsets()
    blocks = {}
    for path in glob.glob(os.path.join(dumps, "trace-calls-*.block")):
        with open(path, "rb") as file:
            data = file.read()
        blocks[struct.unpack_from("<I", data, pid_at)[0]] = data
    for path in glob.glob(os.path.join(dumps, "rank-*.json")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        pid = int(re.search(r'"pid":(\d+)', text)[1])
        host = re.search(r'"host":"([^"]*)"', text)[1]
        rank = re.search(r'"rank":(\d+)', text)[1]
        for world in range(count):
            key, start = f"copy-{world:06}", 1000 + world
            changed = re.sub(r'("world":\{"key":)"[^"]*"', rf'\1"{key}"', text, count=1)
            changed = re.sub(r'"start_time":\d+', f'"start_time":{start}', changed, count=1)
            with open(os.path.join(directory, f"rank-{key}-{rank}.json"), "w", encoding="utf-8") as file:
                file.write(changed)
            block = bytearray(blocks[pid])
            struct.pack_into("<Q", block, start_at, start)
            with open(os.path.join(directory, f"trace-calls-{host}-{pid}-{start}.block"), "wb") as file:
                file.write(block)


def main():
    tool, mpicc, mpiexec, source = sys.argv[1:]
    print(f"{'ranks':>6} {'events':>12} {'merge s':>8} {'us/event':>9} {'side file':>10} {'B/event':>8} {'peak MiB':>9}")
    with tempfile.TemporaryDirectory(prefix="scope-bench-") as directory:
        dumps = record(tool, mpicc, mpiexec, source, directory)
        for count in SIZES:
            many = os.path.join(directory, f"many-{count}")
            copies(dumps, many, count)
            output = os.path.join(directory, f"out-{count}.json")
            began = time.monotonic()
            process = subprocess.Popen([tool, "merge", "-q", many, "-o", output])
            _, status, usage = os.wait4(process.pid, 0)
            took = time.monotonic() - began
            if status != 0:
                sys.exit(f"merge ended with {status}")
            with open(output, encoding="utf-8") as file:
                events = int(re.search(r'"timeline":\s*\{.*?"events":\s*(\d+)', file.read(), re.S)[1])
            size = os.path.getsize(os.path.join(directory, f"out-{count}.timeline"))
            print(f"{count * 4:6} {events:12,} {took:8.1f} {took / events * 1e6:9.2f} {size / 2**20:6.1f} MiB {size / events:8.2f} {usage.ru_maxrss / 1024:9.0f}", flush=True)


if __name__ == "__main__":
    main()
