"""The reader of share/doc/timeline-format.md reads a timeline.

    timeline_format_test.py SOURCE_DIRECTORY
"""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

TOP = Path(sys.argv.pop()).resolve()
# rank, kind, thread, begin, end, what, start: tests/unit/timeline_sample.hpp
SMALL = """\
0 4 0 10 8000 0 None
0 4 0 10 900 1 None
0 0 0 20 30 0 None
0 0 1 25 1025 5 None
0 0 0 31 35 1 None
0 0 0 40 600 2 2
0 1 0 40 600 3 4
0 0 0 950 1200 4 None
0 3 0 950 1200 6 None
1 0 0 100 5000 6 None
1 0 0 5000 5000 0 None
"""


@unittest.skipUnless(shutil.which("zstd"), "no zstd to decompress with")
class Reader(unittest.TestCase):
    def rows(self, name):
        text = (TOP / "share/doc/timeline-format.md").read_text(encoding="utf-8")
        code = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
        output = subprocess.run([sys.executable, "-c", code, TOP / "tests/data/timeline" / name], check=True, stdout=subprocess.PIPE, text=True)
        return output.stdout.split("\n", 1)

    def test_small(self):
        header, events = self.rows("small.timeline")
        self.assertIn("'host': 'node1', 'begin': 0, 'end': 9000", header)
        self.assertEqual(events, SMALL)

    def test_several_blocks_and_threads(self):
        events = [[int(word) for word in line.split()[:6]] for line in self.rows("several.timeline")[1].splitlines()]
        mine = sorted((row for row in events if row[0] == 0), key=lambda row: row[3])
        self.assertEqual(mine, [[0, 0, i % 3, i * i, i * i + (1 << i % 60), i % 7] for i in range(300)])


if __name__ == "__main__":
    unittest.main()
