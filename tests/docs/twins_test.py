"""Every option that --help of a command names can be given as a flag, by its environment twin and by its key in the file of
--config, and --verbose says which of them it was, or that it is the default.

    twins_test.py TOOL
"""

import os
import re
import subprocess
import sys
import tempfile

from options_documented_test import COMMANDS, HELP_LINE, OPTION

NO_TWIN = {"--help", "-h", "--version"}
# What makes each command read its options and end soon.
WORDS = {"run": ["--dry-run", "true"], "report": ["none.json"], "check": ["none.json", "none.json"], "export": ["none.json"],
         "merge": ["none.json"], "watch": ["none"], "doctor": ["--coverage"]}
# Options that others need, or need others.
COMPANIONS = {("run", "mpiexec"): ["-n", "2"], ("run", "callsites"): ["--mpi-calls"], ("run", "collect"): ["--mpi-calls"], ("run", "stall-timeout"): ["--mpi-calls"],
              ("run", "warmup"): ["--repeat", "2"], ("report", "scaling"): ["none.json"]}
VALUES = {"color": "never", "n": "3", "tag": "a=b", "callsites": "2", "collect": "node", "trace-limit": "2097152", "stall-timeout": "2.5", "stall-action": "report", "repeat": "4",
          "warmup": "1", "scaling": "weak", "format": "json", "by": "rank", "top": "7", "interval": "0.5", "rows": "ranks", "order": "mpi",
          "per-rank": "all", "max": "wall=5%", "min": "calls=1", "last": "3", "versus": "false"}
LINE = re.compile(r"^scope-profiler: debug: (--?[\w-]+) = (.*) \(([^()]*)\)$", re.M)


class Command:
    def __init__(self, tool, name):
        self.tool, self.name = tool, name
        self.options = {}  # key -> (name to type, takes a value)
        for line in self.output(["--help"]).splitlines():
            names = HELP_LINE.match(line)
            if names and not NO_TWIN & set(OPTION.findall(names.group(1))):
                name = OPTION.findall(names.group(1))[-1]
                self.options[name.lstrip("-")] = (name, bool(re.match(r" (?!\s)\S", line[names.end():])))

    def output(self, words, environment=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SCOPE_PROFILER_", "GITHUB_"))}
        done = subprocess.run([self.tool, self.name, *words], env={**clean, **(environment or {})}, text=True, timeout=30,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout

    def rest(self, key):
        to = ["--to", "gha-benchmark"] if self.name == "export" and key != "to" else []
        mine = [word for word in WORDS[self.name] if word != "--" + key]
        return to + COMPANIONS.get((self.name, key), []) + mine

    def settings(self, words, environment=None):
        return {name: (value, source) for name, value, source in LINE.findall(self.output(words, environment))}

    def sample(self, key):
        if not self.options[key][1]:
            return "true"
        return {"export": {"to": "gha-benchmark"}, "doctor": {"format": "csv"}}.get(self.name, {}).get(key) or VALUES.get(key, "some-name")


def wrong_of(command, key):
    """Complaints about one option."""
    name, value = command.options[key][0], command.sample(key)
    verbose = [] if key == "verbose" else ["-v"]
    twin = "SCOPE_PROFILER_" + key.upper().replace("-", "_")
    rest = command.rest(key)
    cases = {"environment": (verbose + rest, {twin: value}, f"environment {twin}")}
    flag = [name, value] if name == "-n" else [f"{name}={value}"]
    cases["flag"] = (verbose + flag + rest, {twin: value}, "flag")  # which comes first
    if key == "config":  # the file of options itself
        with open(value, "w", encoding="utf-8"):
            pass
    else:
        with open("options.toml", "w", encoding="utf-8") as file:
            file.write(f'\n[{command.name}]\n{key} = "{value}"\n')
        cases["file"] = (verbose + ["--config", "options.toml"] + rest, {}, "options.toml:3")
    wrong = []
    for layer, (words, environment, source) in cases.items():
        found = command.settings(words, environment).get(name)
        if found != (value, source):
            wrong.append(f"{command.name}: {key} by {layer}: {found} instead of {(value, source)}")
    return wrong


def wrong_of_quiet(command):
    """It silences the list; of the summary of a run, which it silences too, all commands' options are read alike."""
    with open("options.toml", "w", encoding="utf-8") as file:
        file.write("quiet = true\n")
    silent = [([], {"SCOPE_PROFILER_QUIET": "1"}), (["--config", "options.toml"], {}), (["-q"], {"SCOPE_PROFILER_VERBOSE": "1"})]
    wrong = [f"{command.name}: quiet: {words} {env} is not silent" for words, env in silent if command.output([*words, "true"], env)]
    return wrong if command.output(["true"]) else wrong + ["run says nothing without quiet either"]


def main():
    tool = os.path.abspath(sys.argv[1])
    commands = [Command(tool, name) for name in COMMANDS]
    wrong, options = [], 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for command in commands:
            listed = set(command.settings(["-v", *command.rest("")]))
            named = {name for name, _ in command.options.values()}
            wrong += [f"{command.name}: --verbose lists {sorted(listed)}, --help {sorted(named)}"] if listed != named else []
            for key in command.options:
                options += 1
                if key != "quiet":
                    wrong += wrong_of(command, key)
        wrong += wrong_of_quiet(commands[0])
        os.chdir("/")
    print("\n".join(wrong) if wrong else f"{options} options of {len(commands)} commands have a twin and a key")
    return 1 if wrong or options < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
