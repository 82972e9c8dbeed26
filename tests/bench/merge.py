"""Merges synthetic dumps of ever more ranks (200 signatures each) and reports the result: seconds, memory, size of the files.

    merge.py TOOL GENERATOR [RANKS...]
"""

import os
import shutil
import sys
import tempfile
import time


def measured(*command):
    """Seconds and peak memory in MB."""
    begin = time.monotonic()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                                                                        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: wait status {status}")
    return time.monotonic() - begin, usage.ru_maxrss * 1024 / 1e6


def main():
    tool, generator, *sizes = sys.argv[1:]
    print(f"{os.cpu_count()} cores; dumps of 200 signatures, written just before")
    print(f"{'ranks':>8} {'merge':>8} {'a rank':>8} {'memory':>8} {'profile':>9} | {'report':>7} {'memory':>8} | {'page':>7} {'its size':>9}")
    for ranks in map(int, sizes or (1000, 10000, 100000)):
        directory = tempfile.mkdtemp(prefix="scope-bench-")
        try:
            profile, page = os.path.join(directory, "trace.json"), os.path.join(directory, "report.html")
            measured(generator, os.path.join(directory, "dumps"), str(ranks))
            merge, memory = measured(tool, "merge", os.path.join(directory, "dumps"), "-o", profile)
            text, text_memory = measured(tool, "report", profile)
            html, _ = measured(tool, "report", profile, "-o", page)
            print(f"{ranks:>8,} {merge:>6.1f} s {1e3 * merge / ranks:>5.2f} ms {memory:>5.0f} MB {os.path.getsize(profile) / 1e6:>6.1f} MB"
                  f" | {text:>5.2f} s {text_memory:>5.0f} MB | {html:>5.2f} s {os.path.getsize(page) / 1e6:>6.1f} MB", flush=True)
        finally:
            shutil.rmtree(directory)


if __name__ == "__main__":
    main()
