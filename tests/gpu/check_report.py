#!/usr/bin/env python3
"""Checks a report.json on standard input; prints one line on what it holds.

    check_report.py [--total N | --at-least N] [--processes N] [REGION...]

REGION is PATH=OWN or PATH=OWN/INCLUSIVE: the kernels of one region, its path
written with " > " between the frames; OWN may be + for "at least one". The
aggregate scope is looked at. Conservation is always checked: over all regions,
exclusive kernels and time are the totals; own + children = inclusive.
"""

import argparse
import json
import math
import sys

problems = []


def expect(condition, message):
    if not condition:
        problems.append(message)


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-3)


def check_conservation(scope):
    name = scope["scope"]
    regions = scope["regions"]
    totals = scope["totals"]
    for key in ("kernel_count", "gpu_time_ns"):
        own = sum(r["exclusive"][key] or 0 for r in regions)
        expect(close(own, totals[key] or 0),
               f"{name}: exclusive {key} is {own}, the total {totals[key]}")
        for region in regions:
            inner = sum(r["inclusive"][key] or 0 for r in regions
                        if r["parent_id"] == region["id"])
            expect(close((region["exclusive"][key] or 0) + inner,
                         region["inclusive"][key] or 0),
                   f"{name}: {region['path']}: own and inner {key} are not "
                   f"its inclusive {region['inclusive'][key]}")


def check_region(regions, wanted):
    path_text, _, counts = wanted.rpartition("=")
    own, _, inclusive = counts.partition("/")
    path = [] if path_text == "(unattributed)" else path_text.split(" > ")
    found = [r for r in regions if r["path"] == path]
    if not found:
        problems.append(f"no region {path_text}")
        return
    count = found[0]["exclusive"]["kernel_count"]
    expect(count >= 1 if own == "+" else count == int(own),
           f"{path_text}: {count} own kernels, not {own}")
    if inclusive:
        count = found[0]["inclusive"]["kernel_count"]
        expect(count == int(inclusive),
               f"{path_text}: {count} kernels, not {inclusive}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--total", type=int)
    parser.add_argument("--at-least", type=int)
    parser.add_argument("--below", type=int)
    parser.add_argument("--processes", type=int)
    parser.add_argument("regions", nargs="*")
    arguments = parser.parse_args()

    try:
        report = json.load(sys.stdin)
    except ValueError as error:
        sys.exit(f"not JSON: {error}")
    expect(report.get("schema") == "rangefinder.report/2",
           f"schema is {report.get('schema')}")
    for scope in report["scopes"]:
        check_conservation(scope)
    aggregate = report["scopes"][0]
    expect(aggregate["scope"] == "aggregate", "the first scope is no aggregate")
    kernels = aggregate["totals"]["kernel_count"]
    if arguments.total is not None:
        expect(kernels == arguments.total,
               f"{kernels} kernels, not {arguments.total}")
    if arguments.at_least is not None:
        expect(kernels >= arguments.at_least,
               f"{kernels} kernels, fewer than {arguments.at_least}")
    if arguments.below is not None:
        expect(kernels < arguments.below,
               f"{kernels} kernels, not fewer than {arguments.below}")
    if arguments.processes is not None:
        processes = {s["process"] if not isinstance(s["process"], dict)
                     else s["process"].get("pid")
                     for s in report["scopes"] if s["process"] is not None}
        expect(len(processes) == arguments.processes,
               f"{len(processes)} processes, not {arguments.processes}")
    for wanted in arguments.regions:
        check_region(aggregate["regions"], wanted)

    if problems:
        print("; ".join(problems[:4]) +
              (f"; and {len(problems) - 4} more" if len(problems) > 4 else ""))
        sys.exit(1)
    print(f"{kernels} kernels, {len(aggregate['regions'])} regions, "
          f"{len(report['scopes'])} scopes, {len(report['notes'])} notes")


if __name__ == "__main__":
    main()
