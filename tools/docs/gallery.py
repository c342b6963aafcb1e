"""The gallery in docs/cases: its pictures, and the numbers in its sentences."""
import re

from docs.pages import ROOT

FOLDER = ROOT / "docs/cases"
LARGEST = 60_000  # bytes of a picture
# Numbers with what follows them: 1,200, 9.33 ms, 84 %, 7.83 GB/s. Not the digits
# of names (H200, layer_0) and of dates.
NUMBER = re.compile(r"(?<![\w.,-])[+-]?\d[\d,.]*(?<![.,])"
                    r"(?: (?:%|[nµm]?s|[kMGT]?B(?:/s)?)(?!\w))?(?![\w-])")


def numbers(page):
    """(line, number) of the page's sentences; links and inline code hold none."""
    text = re.sub(r"\]\([^)]*\)|`[^`]*`|\d{4}-\d\d-\d\d",
                  lambda found: re.sub(r"[^\n]", "_", found[0]), page.prose)
    for found in NUMBER.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def shown(pages):
    """The text of all blocks, with one blank between words."""
    lines = (line for page in pages for block in page.blocks
             for line in block.lines)
    return " ".join(" ".join(lines).split())


def check(pages, findings):
    """A number in a sentence stands in a block of its page, which is compared with
    what a command prints; one of the index in a block of any page. Pictures are
    small PNGs that a page shows, and each case has one."""
    cases = [page for page in pages if page.path.parent == FOLDER]
    wanted = set()
    for page in cases:
        is_index = page.path.name == "README.md"
        blocks = shown(cases if is_index else [page])
        for line, number in numbers(page):
            findings.count("numbers of cases")
            if not re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)",
                             blocks):
                findings.error(page.name, line, f"{number}: no block says so")
        pictures = {FOLDER / target for _, target in page.links()
                    if target.endswith(".png")}
        wanted |= pictures
        if not pictures and not is_index:
            findings.error(page.name, 1, "a case without a picture")
    there = set(FOLDER.glob("*.png"))
    for path in sorted(there ^ wanted):
        findings.error(path.relative_to(ROOT), 1, "no such picture"
                       if path in wanted else "no page shows it")
    for path in sorted(there & wanted):
        findings.count("pictures")
        data = path.read_bytes()
        if data[:8] != b"\x89PNG\r\n\x1a\n" or len(data) > LARGEST:
            findings.error(path.relative_to(ROOT), 1,
                           f"no PNG of at most {LARGEST} bytes")
