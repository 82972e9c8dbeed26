"""Rank files that are damaged, foreign or too new: named, the rest is used, the profile is marked as partial."""

import glob
import json
import os
import shutil
import unittest

from harness import MPIS, TOOL, EndToEnd, main

MPI = next((mpi for mpi in MPIS.values() if mpi.mpiexec), None)


@unittest.skipIf(MPI is None, "no MPI is installed")
class Damage(EndToEnd):
    def setUp(self):
        super().setUp()
        self.kept = self.path("kept")
        self.load(self.run_profiled(MPI.command(3, "sendrecv"), options=["--keep-dumps", self.kept]))
        for live in glob.glob(os.path.join(self.kept, "live-*")):
            os.unlink(live)
        self.dumps = sorted(glob.glob(os.path.join(self.kept, "rank-*-1.json")))
        self.assertEqual(len(self.dumps), 1, os.listdir(self.kept))
        self.dump = self.dumps[0]

    def merge(self, code=0):
        run = self.tool("merge", self.kept, "-o", self.path("merged.json"))
        self.assertEqual(run.code, code, run)
        return run

    def check_rank_1_is_missing(self, *words):
        run = self.merge()
        p = self.load(run, "merged.json")
        world = p.worlds[0]
        self.assertEqual((world["size"], world["ranks_reported"], world["missing"], world["complete"]), (3, 2, [1], False))
        self.assertEqual([r["rank"] for r in p.ranks], [0, 2])
        self.assert_call(p, "MPI_Sendrecv", 2, 20, 20)
        named = [text for text in p.warnings.values() if os.path.basename(self.dump) in text]
        self.assertTrue(named, p.warnings)
        for word in words:
            self.assertTrue(any(word in text for text in named), f"{word}: {named}")
        self.assertIn(os.path.basename(self.dump), run.errors)

    def replace(self, content):
        with open(self.dump, "wb") as file:
            file.write(content)

    def content(self):
        with open(self.dump, "rb") as file:
            return file.read()

    def test_cut_in_half(self):
        whole = self.content()
        for part in (len(whole) // 2, len(whole) - 2, 1):
            with self.subTest(bytes=part):
                self.replace(whole[:part])
                self.check_rank_1_is_missing()

    def test_empty(self):
        self.replace(b"")
        self.check_rank_1_is_missing("empty")

    def test_not_a_dump(self):
        dictionary = b'{"format": "scope-profiler-rank"}'
        for content in (b"\0" * 5000, b"[1, 2]", b'{"format": "something else"}', b"\xff\xfe{", dictionary):
            with self.subTest(content=content[:20]):
                self.replace(content)
                self.check_rank_1_is_missing()

    def test_newer_version(self):
        data = json.loads(self.content())
        self.assertEqual(data["format"], "scope-profiler-rank")
        data["format_version"] = 99
        self.replace(json.dumps(data).encode())
        self.check_rank_1_is_missing("99")

    def test_of_another_run(self):
        self.run_profiled(MPI.command(3, "sendrecv"), options=["--keep-dumps", self.path("other")], output="other.json")
        other = glob.glob(self.path("other", "rank-*-1.json"))[0]
        os.unlink(self.dump)
        self.dump = os.path.join(self.kept, os.path.basename(other))
        shutil.copy(other, self.dump)
        self.check_rank_1_is_missing()

    def test_numbers_that_do_not_fit(self):
        text = self.content().decode()
        for old, new in (('"calls":', '"calls":-'), ('"rank":1', '"rank":-7'), ('"rank":1', '"rank":99999999999999999999')):
            for spaced in (old, old.replace(":", ": ")):
                if spaced in text:
                    with self.subTest(new=new):
                        self.replace(text.replace(spaced, new, 1).encode())
                        self.check_rank_1_is_missing()

    def test_missing(self):
        os.unlink(self.dump)
        run = self.merge()
        p = self.load(run, "merged.json")
        self.assertEqual((p.worlds[0]["missing"], p.worlds[0]["complete"]), ([1], False))

    def test_nothing_left(self):
        for name in os.listdir(self.kept):
            if name.startswith("rank-"):
                os.truncate(os.path.join(self.kept, name), 10)
        run = self.merge(code=2)
        self.assertIn(os.path.basename(self.dump), run.errors)
        self.assertFalse(os.path.exists(self.path("merged.json")))

    def test_nothing_at_all(self):
        os.makedirs(self.path("void"))
        for name in ("void", "absent"):
            run = self.tool("merge", self.path(name), "-o", self.path("merged.json"))
            self.assertEqual(run.code, 2, run)
            self.assertIn(name, run.errors)

    def test_two_dumps_of_one_rank(self):
        shutil.copy(self.dump, self.dump.replace("-1.json", "-1.copy.json"))
        p = self.load(self.merge(), "merged.json")
        self.assertEqual([r["rank"] for r in p.ranks], [0, 1, 2])
        self.assert_call(p, "MPI_Sendrecv", 2, 20, 20)


    def test_many_dumps_and_few_descriptors(self):
        data, many = json.loads(self.content()), 1000
        os.makedirs(self.path("many"))
        for rank in range(many):
            data["world"]["rank"], data["world"]["size"], data["process"]["pid"] = rank, many, 100000 + rank
            with open(self.path("many", f"rank-world-{rank}.json"), "w", encoding="utf-8") as file:
                json.dump(data, file)
        command = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", TOOL, "merge", self.path("many"), "-o", self.path("merged.json")]
        run = self.bare(command)
        self.assertEqual(run.code, 0, run)
        p = self.load(run, "merged.json")
        self.assertEqual((len(p.ranks), p.worlds[0]["ranks_reported"], p.worlds[0]["complete"]), (many, many, True))
        self.assertEqual(p.call("MPI_Sendrecv").calls, 2 * many)


@unittest.skipIf(MPI is None, "no MPI is installed")
class LiveBlocks(EndToEnd):
    """A live block stands in for a dump that is not there; however it is cut, reading it never crashes."""

    def setUp(self):
        super().setUp()
        self.kept = self.path("kept")
        self.run_profiled(MPI.command(2, "ends", "_exit"), options=["--keep-dumps", self.kept], code=None)
        self.blocks = sorted(glob.glob(os.path.join(self.kept, "live-*.block")))

    def test_blocks_are_kept_and_merged(self):
        self.assertEqual(len(self.blocks), 2, os.listdir(self.kept))
        run = self.tool("merge", self.kept, "-o", self.path("merged.json"))
        self.assertEqual(run.code, 0, run)
        self.assert_call(self.load(run, "merged.json"), "MPI_Barrier", 100)

    def test_cut_and_scrambled(self):
        with open(self.blocks[0], "rb") as file:
            whole = file.read()
        used = len(whole.rstrip(b"\0"))
        variants = [whole[:n] for n in (0, 7, 8, 100, 1000, used // 2, used - 1)]
        variants += [bytes(b ^ (0xff if i % 97 == k else 0) for i, b in enumerate(whole[:used])) + whole[used:] for k in (3, 50)]
        variants += [whole[:8] + b"\xff" * (used - 8), b"X" + whole[1:], whole[:8] + b"\x63\0\0\0" + whole[12:]]
        for number, content in enumerate(variants):
            with self.subTest(variant=number, bytes=len(content)):
                with open(self.blocks[0], "wb") as file:
                    file.write(content)
                run = self.tool("merge", self.kept, "-o", self.path("merged.json"), timeout=30)
                self.assertEqual(run.code, 0, run)
                p = self.load(run, "merged.json")
                self.assertIn(100, p.call("MPI_Barrier").calls_by_rank, "the other rank is used")


if __name__ == "__main__":
    main()
