#!/usr/bin/env python3
"""Grades reports of the examination's programs by the ids of their causes.

grade.py ANSWERS REPORTS_FOLDER [--markdown] [--ncu-rules FILE]

REPORTS_FOLDER has a report.json for each program, as PROGRAM.json. The table
says for each program what the first headline named, and at which place the
right answer stands; with FILE of ncu_rules.sh also what the rules of Nsight Compute
name first, by the time that they estimate to save, and at which place a rule
stands that names the right cause (ncu_rules.tsv). Status 1: fewer first headlines are right than --least
asks, or a statement is false.
"""

import argparse
import csv
import json
import pathlib
import sys

ALWAYS_TRUE = {"warm_up"}
TRUE_OF_OTHER = {"fma_bound", "compute_bound", "tensor_bound", "memory_bound"}


def names(report):
    """The innermost name of every region, by id."""
    return {
        region["id"]: region["name"]
        for region in report["scopes"][0]["regions"]
    }


def told(report):
    """(cause, region, certain) of each headline, the first one first."""
    region = names(report)
    return [
        (line["kind"], region.get(line["region_id"], "?"), line["certain"])
        for line in report["headlines"]
    ]


def grade(answer, headlines):
    """The place of the right answer (0: none), and the false statements."""
    program, where, right, also = answer
    right = set() if right == "-" else set(right.split(","))
    true = right | ALWAYS_TRUE | (set() if also == "-" else set(also.split(",")))
    place = 0
    false = []
    for i, (cause, region, certain) in enumerate(headlines, 1):
        if cause in right and region == where and place == 0:
            place = i
        if certain and cause not in true:
            if not (cause in TRUE_OF_OTHER and region != "target"):
                false.append(f"{cause} of {region}")
    return place, false


def rows_of(path):
    with path.open() as lines:
        return [
            row
            for row in csv.reader(lines, delimiter="\t")
            if row and not row[0].startswith("#")
        ]


class NcuRules:
    """What the rules of Nsight Compute found, most savings first."""

    def __init__(self, path):
        self.naming = {
            cause: set(rules.split(","))
            for cause, rules in rows_of(pathlib.Path(__file__).with_name("ncu_rules.tsv"))
        }
        self.found = {}
        for program, region, rule, _, _, percent, ns in rows_of(path):
            if region == "step":  # its inner regions have the same findings
                continue
            saved = float(percent or 0) / 100 * float(ns)
            self.found.setdefault(program, []).append((saved, rule, region))
        for found in self.found.values():
            found.sort(key=lambda one: -one[0])

    def grade(self, program, where, right):
        """What is named first, and the place of the right rule (0: none)."""
        found = self.found.get(program)
        if found is None:
            return "not tried", 0
        named = set().union(*(self.naming.get(cause, ()) for cause in right.split(",")))
        place = 0
        for i, (_, rule, region) in enumerate(found, 1):
            if rule in named and region == where and place == 0:
                place = i
        return f"{found[0][1]} of {found[0][2]}", place


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", type=pathlib.Path)
    parser.add_argument("reports", type=pathlib.Path)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--ncu-rules", type=pathlib.Path)
    arguments = parser.parse_args()
    answers = rows_of(arguments.answers)
    ncu = NcuRules(arguments.ncu_rules) if arguments.ncu_rules else None
    planted = first = three = false_count = tried = 0
    rows = []
    for answer in answers:
        path = arguments.reports / f"{answer[0]}.json"
        if not path.exists():
            rows.append((answer[0], answer[2], "not tried", "", ""))
            continue
        tried += 1
        with path.open() as text:
            headlines = told(json.load(text))
        place, false = grade(answer, headlines)
        false_count += len(false)
        if answer[2] != "-":
            planted += 1
            first += place == 1
            three += 0 < place <= 3
        said = "; ".join(
            ("" if certain else "perhaps ") + f"{cause} of {region}"
            for cause, region, certain in headlines
        )
        rows.append(
            (answer[0], answer[2], said or "nothing", place or "–", ", ".join(false))
        )
    if ncu is not None:
        graded = [ncu.grade(*answer[:3]) for answer in answers]
        rows = [(*row, said, place or "–") for row, (said, place) in zip(rows, graded)]
    if arguments.markdown:
        headings = ["program", "right", "said", "place", "false"]
        if ncu is not None:
            headings += ["ncu's rules", "place"]
        print("| " + " | ".join(headings) + " |\n" + "|---" * len(headings) + "|")
        for row in rows:
            print("| " + " | ".join(str(cell) for cell in row) + " |")
    else:
        for row in rows:
            print(f"{row[0]:22} {row[3]!s:3} {row[2]}" + (f"  FALSE: {row[4]}" if row[4] else ""))
    if ncu is not None:
        places = [place for said, place in graded if said != "not tried"]
        print(
            f"Rules of Nsight Compute, {len(places)} programs: first right in "
            f"{places.count(1)}, among the first three in "
            f"{sum(0 < place <= 3 for place in places)}, anywhere in "
            f"{sum(place > 0 for place in places)}"
        )
    print(
        f"{tried} programs: first headline right in {first} of {planted}, "
        f"among the first three in {three}, {false_count} false statements"
    )
    return 1 if first < arguments.least or false_count > 0 or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
