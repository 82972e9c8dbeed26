"""README, man pages and completions name exactly the options that --help names.

    options_documented_test.py TOOL SOURCE_DIRECTORY
"""

import re
import subprocess
import sys
from pathlib import Path

COMMANDS = ["run", "report", "check", "export", "merge", "watch", "doctor"]
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][A-Za-z0-9-]*")
# "-o,--output" or "-o, --output" at the beginning of a line of --help
HELP_LINE = re.compile(r"^\s+((?:--?[A-Za-z][\w-]*)(?:\s*,\s*--?[A-Za-z][\w-]*)*)", re.M)


def options_of_help(tool, command):
    """`command` is "" for the options that stand before a command."""
    words = [tool, *([command] if command else []), "--help"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    found = {option for names in HELP_LINE.findall(text) for option in OPTION.findall(names)}
    assert "--help" in found, f"{' '.join(words)} names no option that could be found:\n{text}"
    return found


def options_of_readme(top):
    """First cells of the tables of options: the one "For all commands" and one in the section of each command."""
    text = (top / "README.md").read_text(encoding="utf-8")
    places = {"": "\nFor all commands:\n", **{command: f"\n### {command}\n" for command in COMMANDS}}
    common = None
    result = {}
    for command, heading in places.items():
        section = re.split(r"\n#", text.split(heading, 1)[1], maxsplit=1)[0]
        cells = re.findall(r"^\| ([^|]*) \|", section, re.M)
        found = {option for cell in cells for option in OPTION.findall(cell)}
        common = found if common is None else common
        result[command] = found | common
    return result


def options_of_man(top):
    """The tags of the .TP paragraphs."""
    result = {}
    for command in ["", *COMMANDS]:
        page = top / "share" / "man" / f"scope-profiler{'-' if command else ''}{command}.1"
        tags = re.findall(r"^\.TP\n(.*)$", page.read_text(encoding="utf-8").replace("\\-", "-"), re.M)
        result[command] = {option for tag in tags for option in OPTION.findall(tag)}
    return result


def options_of_bash(top):
    """What the completion offers for "-" after the command."""
    script = """
      source "$1"; COMP_WORDS=(scope-profiler ${2:+"$2"} -); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _scope_profiler; printf '%s\\n' "${COMPREPLY[@]}"
    """
    file = str(top / "share" / "completions" / "bash" / "scope-profiler")
    result = {}
    for command in ["", *COMMANDS]:
        words = ["bash", "-c", script, "bash", file, command]
        result[command] = set(subprocess.run(words, check=True, capture_output=True, text=True).stdout.split())
    return result


def options_of_zsh(top):
    text = (top / "share" / "completions" / "zsh" / "_scope-profiler").read_text(encoding="utf-8")

    def options(lines):  # without descriptions, actions and the lists of what excludes what
        return set(OPTION.findall(re.sub(r"\[[^\]]*\].*|^\s*'\([^)]*\)'", "", lines, flags=re.M)))

    lists = {name: options(body) for name, body in re.findall(r"^(\w+)=\(\n(.*?)^\)", text, re.M | re.S)}
    return {"": lists["common"], **{c: lists[c] | lists["common"] for c in COMMANDS}}


def options_of_fish(top):
    text = (top / "share" / "completions" / "fish" / "scope-profiler.fish").read_text(encoding="utf-8")
    lists = {name: set() for name in ["where", *COMMANDS]}
    for condition, rest in re.findall(r"^\s*complete -c scope-profiler -n \$(\w+) (.*)$", text, re.M):
        rest = re.sub(r"'[^']*'", "", rest)
        names = {"--" + name for name in re.findall(r"-l ([\w-]+)", rest)} | {"-" + name for name in re.findall(r"-s (\w)", rest)}
        lists[condition] |= names
    return {"": lists["where"], **{c: lists[c] | lists["where"] for c in COMMANDS}}


def main():
    tool, top = sys.argv[1], Path(sys.argv[2])
    helps = {command: options_of_help(tool, command) for command in ["", *COMMANDS]}
    documents = {
        "README.md": options_of_readme(top),
        "man page": options_of_man(top),
        "bash completion": options_of_bash(top),
        "zsh completion": options_of_zsh(top),
        "fish completion": options_of_fish(top),
    }
    wrong = []
    for document, found in documents.items():
        for command, options in found.items():
            where = f"{document}, {command or 'before a command'}"
            wrong += [f"{where}: lacks {option}" for option in sorted(helps[command] - options)]
            wrong += [f"{where}: {option} is not in --help" for option in sorted(options - helps[command])]
    print("\n".join(wrong) if wrong else f"{len(documents)} documents agree with --help")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
