#!/usr/bin/env python3
"""Kernels rolled up against the same regions measured as a whole.

    compare_modes.py metrics FULL.csv       what to ask ncu for, on one line
    compare_modes.py compare OUT NAME...    OUT/NAME.kernel.json, .range.json

FULL.csv is raw.csv of a capture of ncu's set `full`; its metrics are taken, and
by their names alone it is decided which cannot differ between the modes: what a
program executes, and not when, how fast, or out of which cache. `compare` holds
each of those to 0.1 %, and prints what the others differ by.
"""

import csv
import json
import re
import sys

# Not of the program alone: two launches of one kernel differ in these, and a
# warp does not have a whole number of them. The pipe takes an instruction again,
# after a miss of a cache of constants or while other warps are waited for.
REPEATED = r"sm__inst_executed_pipe_(adu|cbu_pred_on_any)$"
# Metrics that the program decides: names up to the first dot, and the reason.
DECIDED = [
    (r"(sm|smsp)__inst_executed(?!.*per_inst_issued)",
     "instructions of the program's warps, wherever and whenever they run"),
    (r"(sm|smsp)__thread_inst_executed", "the same, by thread"),
    (r"smsp__thread_inst_executed(_pred_on)?_per_inst_executed$",
     "of two such counts"),
    (r"(sm|smsp)__sass_(thread_)?inst_executed",
     "counted by patched instructions"),
    (r"smsp__(sass_)?branch_targets_threads", "branches of the program's data"),
    (r"smsp__sass_average_(branch_targets|data_bytes_per_sector)",
     "of two counts of the program's branches or addresses"),
    (r"sm__sass_l1tex_t_(requests|sectors)",
     "requests, before a cache is looked up"),
    (r"derived__smsp__inst_executed_op_branch_pct$", "of two such counts"),
    (r"sm__ops_path_tensor", "operations of the tensor cores' instructions"),
    (r"smsp__warps_launched$|sm__ctas_launched$|gr__ctas_launched$",
     "the launches' grids"),
    (r"l1tex__t_requests_pipe_lsu_(?!.*lookup)",
     "requests of the SM, before a cache is looked up"),
    (r"l1tex__t_sectors_pipe_lsu_(?!.*(lookup|hit|miss))",
     "sectors of those requests: the program's addresses"),
    (r"l1tex__lsuin_requests$", "requests of the SM"),
    (r"(thread_)?inst_executed(_true)?$", "summed over the instructions"),
    (r"memory_(l2_theoretical_sectors|l1_tag_requests)",
     "computed of the program's addresses"),
    (r"sass__(thread_)?inst_executed(?!.*per_opcode)",
     "summed over the instructions"),
]
# Shown, not held to anything: caches, clocks and the gaps between kernels.
SHOWN = [
    "gpu__time_duration.sum", "sm__cycles_elapsed.avg", "sm__cycles_active.avg",
    "l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct",
    "lts__t_sectors.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_issued.sum",
    "sm__inst_executed_pipe_adu.sum.pct_of_peak_sustained_active",
]
# The metric that turns a rate into its count; names of ncu.
INPUTS = ["gpu__time_duration.sum"] + [
    f"{unit}__cycles_{kind}.avg" for unit in ("sm", "smsp", "l1tex", "lts")
    for kind in ("elapsed", "active")] + [
    "dram__cycles_elapsed.avg", "l1tex__t_sectors.sum",
    "l1tex__t_sectors_lookup_hit.sum", "lts__t_sectors_lookup_hit.sum"]
# Not in `full`, and what a program decides just as well.
MORE = ["smsp__warps_launched.sum", "gr__ctas_launched.sum",
        "sm__ctas_launched.sum", "smsp__thread_inst_executed.sum",
        "l1tex__lsuin_requests.sum"]
LIMIT = 1e-3


def base_and_suffix(metric):
    base, _, suffix = metric.partition(".")
    return base, suffix


def is_decided(metric):
    base, suffix = base_and_suffix(metric)
    if "peak_sustained_" in suffix and "pct" not in suffix:
        return False  # a peak times the cycles that went by
    if "triage" in metric.lower() or ":" in metric:
        return False  # sampled
    if re.match(REPEATED, base):
        return False
    return any(re.match(pattern, base) for pattern, _ in DECIDED)


def metrics_of(path):
    with open(path, newline="") as file:
        header = next(csv.reader(file))
    known = set(header[12:])
    wanted = [m for m in header[12:] if is_decided(m) and
              not m.startswith("derived__")]
    extra = [m for m in MORE + SHOWN + INPUTS if m not in wanted]
    if any(m.startswith("derived__smsp__inst_executed_op_branch") for m in known):
        extra += ["smsp__inst_executed_op_branch.sum"]
    return list(dict.fromkeys(wanted + extra))


def number(cell):
    return cell.get("value") if isinstance(cell.get("value"), (int, float)) \
        else None


def factor_of(metric):
    """The metric that a rate is to be multiplied with; "" for none."""
    base, suffix = base_and_suffix(metric)
    unit = base.split("__")[0]
    if suffix.endswith("per_second"):
        return "gpu__time_duration.sum"
    for kind in ("elapsed", "active"):
        if suffix.endswith(f"cycle_{kind}") or \
                suffix.endswith(f"pct_of_peak_sustained_{kind}"):
            return f"{unit}__cycles_{kind}.avg"
    return ""


def is_quotient(metric):
    suffix = base_and_suffix(metric)[1]
    return suffix in ("ratio", "pct", "max_rate") or \
        suffix.endswith(".peak_sustained")


def whole_value(rows, metric, factor):
    """What the ranges of one region amount to; None where it cannot be said."""
    values = [number(row.get(metric, {})) for row in rows]
    if not values or any(v is None for v in values):
        return None
    if is_quotient(metric):
        spread = max(values) - min(values)
        return values[0] if spread <= 1e-9 * abs(values[0]) else None
    if not factor:
        return sum(values)
    factors = [number(row.get(factor, {})) for row in rows]
    if any(f is None for f in factors):
        return None
    return sum(v * f for v, f in zip(values, factors))


def shown_value(rows, metric):
    values = [number(row.get(metric, {})) for row in rows]
    if not values or any(v is None for v in values):
        return None
    if base_and_suffix(metric)[1] in ("sum", "avg"):
        return sum(values)
    times = [number(row["gpu__time_duration.sum"]) for row in rows]
    return sum(v * t for v, t in zip(values, times)) / sum(times)


class Comparison:
    def __init__(self):
        self.cells = 0       # compared, program-decided
        self.nonzero = 0
        self.bounds = 0      # largest or smallest instance
        self.exceeded = 0    # by another distribution of blocks over SMs
        self.worst = 0.0
        self.metrics = set()
        self.regions = 0
        self.failures = []
        self.unmeasured = set()
        self.table = []      # region, metric, rolled up, whole

    def region(self, name, rolled, rows):
        self.regions += 1
        for metric, cell in rolled.items():
            if is_decided(metric):
                self.decided(name, metric, cell, rolled, rows)
        for metric in SHOWN:
            ours = number(rolled.get(metric, {}))
            theirs = shown_value(rows, metric)
            if ours is not None and theirs is not None:
                self.table.append((name, metric, ours, theirs))

    def decided(self, name, metric, cell, rolled, rows):
        factor = factor_of(metric)
        theirs = whole_value(rows, metric, factor)
        ours = number(cell)
        if theirs is None or ours is None:
            # A ratio without a denominator here, or a metric of one mode.
            self.unmeasured.add(metric)
            return
        if factor:
            weight = number(rolled.get(factor, {}))
            if weight is None:
                self.unmeasured.add(metric)
                return
            ours *= weight
        what = f"{name}: {metric}: {ours:.17g} and {theirs:.17g}"
        across = base_and_suffix(metric)[1].split(".")[0]
        if cell["how"] == "bound":
            # Which SM gets which block is another matter in every run, and so
            # is the busiest of them: a bound of these launches, not of those.
            self.bounds += 1
            slack = 1e-9 * abs(theirs)
            upper = cell.get("bound") != "lower"
            self.exceeded += ours < theirs - slack if upper else \
                ours > theirs + slack
            return
        if across in ("max", "min") and not is_quotient(metric):
            return  # one kernel, or all alike
        if cell["how"] not in ("measured", "exact"):
            self.failures.append(f"{cell['how']}: {what}")
            return
        self.cells += 1
        self.metrics.add(metric)
        if theirs == 0 and ours == 0:
            return
        self.nonzero += 1
        apart = abs(ours - theirs) / max(abs(theirs), abs(ours))
        self.worst = max(self.worst, apart)
        if apart > LIMIT:
            self.failures.append(f"{100 * apart:.3g} % apart: {what}")

    def print_failures(self):
        shown = {}
        for text in self.failures:
            shown.setdefault(text.split(": ")[2], []).append(text)
        for metric, texts in shown.items():
            print(f"  {len(texts)} of {metric}, e.g. {texts[0]}")


def load(path):
    with open(path) as file:
        return json.load(file)["scopes"][0]["regions"]


def compare(out, names):
    all_of = Comparison()
    for name in names:
        one = Comparison()
        kernels = {tuple(r["path"]): r for r in load(f"{out}/{name}.kernel.json")}
        for region in load(f"{out}/{name}.range.json"):
            rows = [w["metrics"] for w in region["measured"]]
            if not rows or tuple(region["path"]) not in kernels:
                continue
            rolled = kernels[tuple(region["path"])]["inclusive"]["metrics"]
            for to in (one, all_of):
                to.region(f"{name} {'/'.join(region['path'])}", rolled, rows)
        word = "ok" if one.regions and one.cells and not one.failures else "FAIL"
        print(f"{word} {name}: {one.regions} regions, {one.cells} cells compared "
              f"({one.nonzero} not 0) of {len(one.metrics)} metrics, at most "
              f"{100 * one.worst:.3g} % apart; of {one.bounds} bounds "
              f"{one.bounds - one.exceeded} hold in the other run too; "
              f"{len(one.failures)} failures")
        one.print_failures()
    print_shown(all_of.table, f"{out}/differences.md")
    if all_of.unmeasured:
        print(f"not told by one of the modes: {len(all_of.unmeasured)} metrics, "
              f"as {', '.join(sorted(all_of.unmeasured)[:6])}")
    good = not all_of.failures and all_of.regions >= 12
    print(f"{'ok' if good else 'FAIL'} all: {all_of.regions} regions, "
          f"{all_of.cells} cells compared ({all_of.nonzero} not 0), "
          f"{all_of.bounds - all_of.exceeded} of {all_of.bounds} bounds hold, at most {100 * all_of.worst:.3g} % apart, "
          f"{len(all_of.failures)} failures")
    return 0 if good else 1


def short(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def print_shown(table, path):
    """Every row into a file, and a row for each metric here."""
    with open(path, "w") as file:
        file.write("| region | metric | kernels, rolled up | as a whole | "
                   "difference |\n|---|---|--:|--:|--:|\n")
        for name, metric, ours, theirs in table:
            percent = f"{100 * (theirs / ours - 1):+.1f} %" if ours else ""
            file.write(f"| {name} | `{metric}` | {short(ours)} | "
                       f"{short(theirs)} | {percent} |\n")
    print("| metric | regions | whole / kernels, least | median | most |")
    print("|---|--:|--:|--:|--:|")
    for metric in SHOWN:
        ratios = sorted(theirs / ours for _, m, ours, theirs in table
                        if m == metric and ours)
        if ratios:
            middle = ratios[len(ratios) // 2]
            print(f"| `{metric}` | {len(ratios)} | {ratios[0]:.3g} | "
                  f"{middle:.3g} | {ratios[-1]:.3g} |")


def main(argv):
    if len(argv) == 3 and argv[1] == "metrics":
        print(",".join(metrics_of(argv[2])))
        return 0
    if len(argv) > 3 and argv[1] == "compare":
        return compare(argv[2], argv[3:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
