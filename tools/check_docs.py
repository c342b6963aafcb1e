#!/usr/bin/env python3
"""Checks README.md, CONTRIBUTING.md and docs/.

    check_docs.py --links    links, anchors, paths, sizes of modules; needs no binary
    check_docs.py            also every command, key and default
    check_docs.py --update   rewrites the outputs in the pages
    check_docs.py PATH...    runs the commands of these pages alone

The binary is $RANGEFINDER (else that of build/release); $RANGEFINDER_BUILD has
the injection library and a program with ranges. docs/verification.md describes
the marks of blocks.
"""
import argparse
import glob
import re
import sys

import module_sizes
from docs import commands, gallery
from docs.pages import ROOT, read_pages

FOLDERS = ("src", "tests", "scripts", "conf", "docs", "tools", "bench",
           "examples", "python", "web", "cmake", ".ci", ".github")
TEXT = {".h", ".cc", ".cu", ".py", ".sh", ".ts", ".yaml", ".md", ".cmake"}
# Placeholders and what a build makes.
NO_FILES = r"tests/fuzz/corpus/NAME|web/node_modules"


class Findings:
    def __init__(self):
        self.errors = []
        self.counts = {}

    def error(self, page, line, text):
        self.errors.append(f"{page}:{line}: {text}")

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number


def check_links(pages, findings):
    """Returns {page's path: the files and folders it links to}."""
    anchors = {page.path: page.anchors() for page in pages}
    graph, outside = {}, set()
    for page in pages:
        graph[page.path] = set()
        for line, target in page.links():
            if re.match(r"[a-z]+:", target):
                outside.add(target)
                continue
            findings.count("links")
            file, _, anchor = target.partition("#")
            path = (page.path.parent / file).resolve() if file else page.path
            graph[page.path].add(path)
            if not path.exists():
                findings.error(page.name, line, f"no {target}")
            elif anchor and path.suffix == ".md" and anchor not in anchors.get(
                    path, {anchor}):
                findings.error(page.name, line, f"no such heading: {target}")
    for url in sorted(outside):
        print(f"docs: not fetched: {url}")
    return graph


def check_reachable(pages, graph, findings):
    """Pages without a path of links from docs/README.md. A link to a folder leads
    to its pages."""
    index = ROOT / "docs/README.md"
    reached, todo = set(), [index]
    while todo:
        path = todo.pop()
        if path in reached:
            continue
        reached.add(path)
        if path.is_dir():
            todo += path.glob("*.md")
        else:
            todo += graph.get(path, ())
    for page in pages:
        if page.path.parent != ROOT and page.path not in reached:
            findings.error(page.name, 1, "docs/README.md does not lead here")


def exists(pattern):
    """A path, a pattern of paths, or a source without its ending."""
    pattern = re.sub(r"<[^>]*>", "*", pattern.rstrip("/"))
    for path in (pattern, pattern + ".*"):
        if glob.glob(str(ROOT / path), recursive=True):
            return True
    return False


def check_paths(pages, findings):
    path_form = re.compile(rf"(?:{'|'.join(map(re.escape, FOLDERS))})/"
                           r"[\w.*/{}<>+-]*[\w*>}]")
    for page in pages:
        for line, span in page.spans():
            for word in span.split():
                word = word.rstrip(".,:;")
                if (not path_form.fullmatch(word) or
                        re.fullmatch(NO_FILES, word)):
                    continue
                findings.count("paths")
                braces = re.fullmatch(r"(.*)\{([^{}]*)\}(.*)", word)
                words = ([braces[1] + part + braces[3]
                          for part in braces[2].split(",")]
                         if braces else [word])
                for word in words:
                    if not exists(word):
                        findings.error(page.name, line, f"no file {word}")


def check_mentions(findings):
    """Pages of docs/ that sources, scripts and presets name must exist, and so must
    the files of modules, MODULE/FILE.h, that they name."""
    modules = "|".join(folder.name for folder in (ROOT / "src").iterdir())
    named = re.compile(r"(?<![\w/])docs/[\w./-]*\w|"
                       rf"(?<![\w/])(?:{modules})/[\w/]+\.(?:h|cc)\b")
    for folder in (*FOLDERS, "CMakeLists.txt", "CHANGELOG.md"):
        top = ROOT / folder
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if (path.suffix not in TEXT | {".txt"} or "node_modules" in path.parts
                    or "fixtures" in path.parts or not path.is_file()):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            for found in named.finditer(text):
                findings.count("mentions")
                if not exists(found[0]) and not exists("src/" + found[0]):
                    findings.error(path.relative_to(ROOT),
                                   text.count("\n", 0, found.start()) + 1,
                                   f"no file {found[0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--links", action="store_true",
                        help="links, anchors and paths alone")
    parser.add_argument("--update", action="store_true",
                        help="write the outputs in the pages anew")
    parser.add_argument("path", nargs="*", help="pages whose commands are run (all)")
    options = parser.parse_args()
    pages = read_pages()
    findings = Findings()
    graph = check_links(pages, findings)
    check_reachable(pages, graph, findings)
    check_paths(pages, findings)
    check_mentions(findings)
    for wrong in module_sizes.wrong_rows(module_sizes.PAGE.read_text()):
        findings.error("docs/architecture.md", 1, wrong)
    gallery.check(pages, findings)
    if not options.links:
        commands.check([page for page in pages
                        if not options.path or page.name in options.path],
                       findings, options.update)
    for error in findings.errors:
        print(error, file=sys.stderr)
    counts = ", ".join(f"{number} {what}"
                       for what, number in findings.counts.items())
    print(f"docs: {len(pages)} pages, {counts}: "
          f"{len(findings.errors)} wrong")
    return 1 if findings.errors else 0


if __name__ == "__main__":
    sys.exit(main())
