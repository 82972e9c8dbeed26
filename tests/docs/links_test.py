"""Every relative link in a Markdown file of the project leads to a file of the project.

    links_test.py SOURCE_DIRECTORY
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def main():
    top = Path(sys.argv[1]).resolve()
    files = [top / "README.md", top / "CHANGELOG.md", *sorted((top / "share").rglob("*.md"))]
    checked, broken = 0, []
    for file in files:
        for target in LINK.findall(file.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            checked += 1
            if not (file.parent / target).exists():
                broken.append(f"{file.relative_to(top)}: {target}")
    print("\n".join(broken) if broken else f"{checked} links in {len(files)} files")
    return 1 if broken or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
