"""Shared by the checks of what a report says of ranks (report.json, `ranks`)."""
import json
import sys

failures = 0


def check(ok, text):
    global failures
    failures += not ok
    print(("ok   " if ok else "FAIL ") + text)


def ranks_of(run):
    """The report's `ranks`, and the run's name; ends where it has none."""
    name = run.rsplit("/", 1)[-1]
    with open(f"{run}/ncu/regions/report.json") as file:
        ranks = json.load(file).get("ranks")
    if ranks is None:
        check(False, f"{name}: the report says nothing of ranks")
        sys.exit(1)
    for note in ranks["notes"]:
        print(f"     note: {note}")
    return ranks, name


def truth_of(folder, rank):
    """What a rank of the program measured, by phase."""
    with open(f"{folder}/truth.rank{rank}.json") as file:
        return json.load(file)


def check_reason(late, reason, what):
    """Checks that `reason` has the largest part of the lateness."""
    by = {}
    for part in late["parts"]:
        by[part["reason"]] = by.get(part["reason"], 0) + part["ns"]
    check(max(by, key=by.get) == reason,
          f"{what}: because of "
          f"{', '.join(f'{key} {value / 1e3:.0f} us' for key, value in by.items())}")


def end():
    sys.exit(failures > 0)
