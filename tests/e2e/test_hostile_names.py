"""Names that a program chooses are data: a communicator's name with escape sequences, markup, line ends and what is no UTF-8."""

import csv
import io
import json
import os

from harness import EndToEnd, each_mpi, main

NAME = os.fsdecode(b"\x1b[31m<script>|`=1\n::error::\xff")
IN_JSON = "\x1b[31m<script>|`=1\n::error::\ufffd"
IN_TEXT = "\\x1b[31m<script>|`=1\\x0a::error::\ufffd"


class HostileNames(EndToEnd):
    def harmless(self, run):
        text = run.out.decode("utf-8") + run.err.decode("utf-8")
        self.assertEqual([c for c in text if (c < " " and c not in "\n\r") or "\x7f" <= c < "\xa0"], [], run)
        self.assertEqual([line for line in text.splitlines() if line.lstrip().startswith("::")], [], run)

    @each_mpi
    def test_of_a_communicator(self, mpi):
        run = self.run_profiled(mpi.command(2, "watched", NAME), ["--label", NAME, "--tag", "k=" + NAME, "--stall-timeout", "1.5",
                                                                  "--stall-action", "abort"], code=None)
        self.assertIn(f"on comm 2 ({IN_TEXT})", run.errors)
        mine = [line for line in run.errors.splitlines() if "scope-profiler" in line or "x1b" in line]
        self.assertEqual([c for line in mine for c in line if c < " "], [], run)
        p = self.load(run)
        self.assertEqual([c["name"] for c in p.data["communicators"] if c["id"] == 2], [IN_JSON])
        self.assertEqual((p.data["metadata"]["label"], p.data["metadata"]["tags"]["k"]), (IN_JSON, IN_JSON))
        for form in ("text", "markdown", "json"):
            shown = self.tool("report", self.path("trace.json"), "--format", form)
            self.assertEqual(shown.code, 0, shown)
            self.harmless(shown)
        table = self.tool("report", self.path("trace.json"), "--format", "csv", "--by", "comm")
        names = [row["name"] for row in csv.DictReader(io.StringIO(table.out.decode("utf-8"), newline=""))]
        self.assertIn("\\x1b[31m<script>|`=1\n\\x3a:error::\ufffd", names)
        report = json.loads(self.tool("report", self.path("trace.json"), "--format", "json", "--by", "comm").out)
        self.assertIn(IN_JSON, [row["name"] for row in report["by_comm"]])
        self.assertIn("&lt;script&gt;\\|\\`=1", self.tool("report", self.path("trace.json"), "--format", "markdown").text)

    def test_of_files_in_messages(self):
        name = os.fsdecode(b"no\x1b[2J\n::error::\xff.json")
        run = self.bare([*self.tool_line(), "report", name])
        self.assertEqual(run.code, 2)
        self.harmless(run)
        self.assertIn("no\\x1b[2J\\x0a::error::\ufffd.json", run.errors)

    @staticmethod
    def tool_line():
        from harness import TOOL
        return [TOOL]


if __name__ == "__main__":
    main()
