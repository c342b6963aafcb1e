#!/usr/bin/env python3
"""Prints why each test was skipped, before ctest's summary: a filter of its output.

    ctest ... | skip_reasons.py build/release/Testing/Temporary/LastTest.log

ctest lists the skipped tests and keeps their output in the log. Ends with 1 if a
skipped test says no reason.
"""

import re
import sys

SUMMARY = re.compile(r"\d+% tests passed, ")
ENTRY = re.compile(r"\t *\d+ - (.*) \(Skipped\)$")  # numbers are aligned
# In a test's output: gtest's message, or the line of a script.
REASON = re.compile(r"^.*: Skipped\n(.*(?:\n(?!\[).*)*)|^SKIPPED: (.*)", re.MULTILINE)


def reasons(log):
    """By name of a test: the reason in its output."""
    found = {}
    for test in log.split(" Testing: ")[1:]:
        name, output = test.split("\n", 1)
        output = output.split("\n<end of output>", 1)[0]
        reason = REASON.search(output)
        if reason:
            found[name] = " ".join((reason[1] or reason[2]).split())
    return found


def main():
    summary = []
    for line in sys.stdin:
        if summary or SUMMARY.match(line):
            summary.append(line)
        else:
            print(line, end="", flush=True)
    # ctest has ended, so its log is complete.
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        known = reasons(file.read())
    skipped = [entry[1] for entry in map(ENTRY.match, summary) if entry]
    for name in skipped:
        print(f"skipped: {name}: {known.get(name, 'NO REASON IS GIVEN')}")
    print("".join(summary), end="")
    return 0 if all(name in known for name in skipped) else 1


if __name__ == "__main__":
    sys.exit(main())
