"""The pages of the documentation as data: fenced blocks with the comments that
stand before them, inline code, links, headings. Knows nothing of Rangefinder.
"""
import collections
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Block:
    line: int  # of its first line of content, from 1
    tag: str
    lines: list
    marks: dict  # {name: text} of the comments before it
    before: object = None  # the block before it on the page


class Page:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.lines = path.read_text(encoding="utf-8").split("\n")
        self.blocks = []
        self._read()
        # A log says what was typed and seen on its day; tests/promises runs the
        # commands of promises.md.
        self.is_log = path.name in ("measured.md", "promises.md")

    def _read(self):
        prose, marks, block = [], {}, None
        for number, line in enumerate(self.lines, 1):
            if block is not None:
                if line.strip() == "```":
                    block = None
                else:
                    block.lines.append(line)
                prose.append("")
                continue
            if line.startswith("```"):
                block = Block(number + 1, line[3:].strip(), [], marks,
                              self.blocks[-1] if self.blocks else None)
                self.blocks.append(block)
                marks = {}
                prose.append("")
                continue
            mark = re.fullmatch(r"<!-- (.+?)(?:: (.*?))? -->", line.strip())
            if mark:
                marks = {**marks, mark[1]: mark[2] or ""}
            elif line.strip():
                marks = {}
            prose.append("" if mark else line)
        if block is not None:
            raise SystemExit(f"{self.name}: the block at line {block.line} "
                             "has no end")
        self.prose = "\n".join(prose)

    def spans(self):
        """(line, text) of all inline code; a line end in it is a blank."""
        code = r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)"
        for found in re.finditer(code, self.prose, re.S):
            yield (self.prose.count("\n", 0, found.start()) + 1,
                   re.sub(r"\s*\n\s*", " ", found[2]).strip().replace("\\|", "|"))

    def links(self):
        """(line, target) of all links; inline code holds none."""
        text = re.sub(r"`[^`\n]*`", lambda m: "x" * len(m[0]), self.prose)
        for found in re.finditer(r"\]\(<?([^()\s>]+)>?\)", text):
            yield self.prose.count("\n", 0, found.start()) + 1, found[1]

    def anchors(self):
        """What a link to a place in this page may say after the #."""
        seen, names = collections.Counter(), set()
        for line in self.prose.split("\n"):
            heading = re.match(r"#+\s+(.*)", line)
            if not heading:
                continue
            text = re.sub(r"\]\([^)]*\)", "", heading[1]).lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            names.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
        return names


def read_pages():
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md",
             *sorted((ROOT / "docs").rglob("*.md"))]
    return [Page(path) for path in paths]
