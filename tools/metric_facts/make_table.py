#!/usr/bin/env python3
"""Makes src/profile/metric_facts.txt.zst from what dump.cc prints.

The evaluator tells which raw counters a ratio needs, but not which of them it
divides by which. Counters whose raw ids lie among the ratio's are its possible
numerators and denominators; the pair must cover the ratio's ids, its units must
divide into the ratio's, and of several such pairs the names decide, for NVIDIA
names ratios after what they divide ("average_A_per_B", "A_hit_rate"). A ratio
that stays in doubt is left without inputs. `--check` recomputes every ratio of
captures that ncu printed as CSV and compares.

Output, one line a metric and variant, sorted by name:

  <name> TAB <C|R|T> TAB <unit> TAB <inputs> TAB <chips, a hex mask>

Units are ncu's words. Inputs of a ratio are `over/under`; of a throughput, a
list with commas. The first line names the chips, lowest bit first.
"""

import argparse
import collections
import csv
import itertools
import re
import subprocess
import sys

# ncu's words for the evaluator's units. It has none for many requests,
# wavefronts and operations, and prints those bare.
WORDS = {
    "byte": "byte", "kilobyte": "Kbyte", "nanosecond": "ns", "second": "s",
    "percent": "%", "instruction": "inst", "warp": "warp", "cta": "block",
    "thread": "thread", "register": "register", "l2_sector": "sector",
    "lrc_sector": "sector", "sysl2_sector": "sector",
    "syslrc_sector": "sector", "l2_request": "request",
    "gcc_request": "request", "branch_target": "branches",
}


def factors(unit):
    """The unit as {name: exponent}."""
    result = {}
    for word in unit.split():
        name, exponent = word.split("^")
        if name != "unitless":
            result[name] = int(exponent)
    return result


def quotient(over, under):
    result = collections.Counter(over)
    result.subtract(under)
    return {name: power for name, power in result.items() if power}


def ncu_unit(unit):
    """As ncu prints it; cycles stay a factor, for rates to divide by."""
    over, under = [], []
    parts = factors(unit)
    if len(parts) > 2:
        return ""
    for name, power in sorted(parts.items()):
        word = "cycle" if name.endswith("_cycle") else WORDS.get(name, "")
        if word:
            (over if power > 0 else under).append(word)
    # Cycles of a thing, over time, are a number of that thing; of a thing
    # without a word, they are a bare number.
    if len(over) < sum(power > 0 for power in parts.values()):
        over = [word for word in over if word != "cycle"]
    over.sort(key=lambda word: word == "cycle")
    text = "*".join(over)
    return text + "/" + "*".join(under) if under else text


class Chip:
    def __init__(self, name):
        self.name = name
        self.counters = {}     # name -> (unit, raw ids)
        self.ratios = {}
        self.throughputs = {}  # name -> [inputs]


def read_dump(lines):
    chips = []
    for line in lines:
        if line.startswith("chip "):
            chips.append(Chip(line.split()[1]))
            continue
        field = line.rstrip("\n").split("\t")
        chip = chips[-1]
        if field[0] == "T":
            lists = [part.split(",") for part in field[2:4] if part]
            chip.throughputs[field[1]] = list(itertools.chain(*lists))
            continue
        raw = frozenset(part for part in field[3].split(",") if part)
        table = chip.counters if field[0] == "C" else chip.ratios
        table[field[1]] = (field[2], raw)
    return chips


def parts(name):
    """(group, unit, quantity) of a metric's base name."""
    before, _, quantity = name.partition("__")
    group, _, unit = before.rpartition(".")
    return group, unit, quantity


def tokens(text):
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word
            for word in text.split("_") if word}


SHARE_WORDS = {"hit", "uniform", "valid"}


def expectations(quantity):
    """Pairs of word sets that the ratio's name lets one expect."""
    latency = re.match(r"(?:average_)?(warp|inst)_latency(.*)$", quantity)
    if latency:
        kind, rest = latency.groups()
        rest = rest.strip("_")
        if kind == "inst":
            return [(tokens("inst_pending_" + rest),
                     tokens("inst_executed_" + rest))]
        if rest.startswith("per_"):
            return [(tokens("warps_active"), tokens(rest[4:]))]
        if rest.startswith("issue_stalled"):
            return [(tokens("warps_" + rest), tokens("warps_launched"))]
        return [(tokens("warps_active_" + rest),
                 tokens("warps_launched_" + rest))]
    quantity = quantity.replace("warp_issue_stalled", "warps_issue_stalled")
    quantity = quantity.replace("average_", "")
    divided = re.match(r"(.*?)_per_(.*)$", quantity)
    if not divided:
        return None
    over, under = (text.split("_") for text in divided.groups())
    # Words behind the denominator's noun may belong to both.
    result = []
    for i in range(1, len(under) + 1):
        for j in range(len(over) + 1):
            result.append((tokens("_".join(over + under[i:])),
                           tokens("_".join(over[:j] + under))))
    return result


def infer(chip, ratio):
    """(over, under) of a ratio, or None where that is in doubt."""
    unit, raw = chip.ratios[ratio]
    group, hw_unit, quantity = parts(ratio)
    candidates = [(name, parts(name), *facts)
                  for name, facts in chip.counters.items()
                  if facts[1] and facts[1] <= raw and parts(name)[0] == group]
    expected = expectations(quantity)
    words = tokens(quantity) - {"rate", "average"}
    share = words & SHARE_WORDS
    scored = []
    for over, under in itertools.permutations(candidates, 2):
        if (over[3] | under[3]) != raw:
            continue
        fits = quotient(factors(over[2]), factors(under[2])) == factors(unit)
        over_words, under_words = tokens(over[1][2]), tokens(under[1][2])
        if expected is not None:
            misses = min(len(over_words ^ a) + len(under_words ^ b)
                         for a, b in expected)
            # Units of stalls and latencies are not those of their division.
            sure = fits and misses <= 6 or misses == 0
        else:
            if not share:
                continue
            misses = (len(over_words ^ (words | {"lookup"} | share)) +
                      len(under_words ^ (words - share)))
            sure = (fits and share <= over_words and not share & under_words
                    and "lookup" not in under_words and misses <= 3)
        if not sure:
            continue
        own_unit = (over[1][1] == hw_unit) + (under[1][1] == hw_unit)
        scored.append((misses, not fits, -own_unit, over[0], under[0]))
    if quantity == "amortized_warp_latency":
        return "smsp__cycles_active", "smsp__warps_launched"
    if not scored:
        return measured(chip, ratio) or denominator_alone(chip, ratio)
    scored.sort()
    return scored[0][3], scored[0][4]


# Settled by measuring: on an H200 these quotients are what ncu reports, in 18
# kernels (tests/gpu/rollup_inputs.sh), for the ratios of which no rule tells.
MEASURED = {
    "lrc__average_ilc_input_sector_compression_rate":
        ("lrc__ilc_input_sectors", "lrc__ilc_output_sectors"),
    "lts__average_gcomp_input_sector_compression_rate":
        ("lrc__ilc_input_sectors", "lrc__ilc_output_sectors"),
} | {
    f"lrc__average_xbar2gpc_sectors_op_read{what}":
        (f"lrc__xbar2gpc_sectors_op_read{what}",
         f"lrc__lrc2xbar_sectors_op_read{what}")
    for what in ("", "_coalescing_achieved_type_hardware",
                 "_coalescing_achieved_type_programmatic")
}


def measured(chip, ratio):
    """The quotient that was measured, where this chip has the counters."""
    pair = MEASURED.get(ratio)
    return pair if pair and all(n in chip.counters for n in pair) else None


def denominator_alone(chip, ratio):
    """What a latency of blocks is divided by; what is divided has no name.

    With the denominator the mean of the ratio can be weighted exactly."""
    unit, raw = chip.ratios[ratio]
    for under in ("gr__ctas_launched", "FE_B.TriageCompute.gr__ctas_launched"):
        facts = chip.counters.get(under)
        if parts(ratio)[2] == "average_cta_latency" and facts and \
                facts[1] <= raw and "cycle" in unit:
            return "", under
    return None


def records(chip):
    """(name, kind, unit, inputs) of everything that the chip has."""
    for name, (unit, _) in chip.counters.items():
        yield name, "C", ncu_unit(unit), ""
    for name, (unit, _) in chip.ratios.items():
        found = infer(chip, name)
        yield name, "R", ncu_unit(unit), "/".join(found) if found else ""
    for name, inputs in chip.throughputs.items():
        yield name, "T", "%", ",".join(inputs)


def check(chip, paths):
    """Recomputes the ratios of ncu's CSV files; returns (equal, different)."""
    equal, different = set(), {}
    scales = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        names, units = rows[0], rows[1]
        column = {name: i for i, name in enumerate(names)}

        def number(row, name):
            unit = units[column[name]]
            scale = scales.get(unit[:1], 1) if len(unit) > 4 else 1
            return float(row[column[name]].replace(",", "")) * scale

        for ratio in chip.ratios:
            pair = infer(chip, ratio)
            if not pair:
                continue
            for suffix, scale in ((".ratio", 1), (".pct", 100)):
                # Averages over the instances of one unit divide as well.
                rollups = [".sum"]
                if parts(pair[0])[1] == parts(pair[1])[1]:
                    rollups += [".avg", ".avg.per_cycle_active",
                                ".avg.per_cycle_elapsed", ".sum.per_second"]
                for rollup in rollups:
                    needed = [ratio + suffix] + [n + rollup for n in pair]
                    if all(name in column for name in needed):
                        break
                else:
                    continue
                for row in rows[2:]:
                    try:
                        value, over, under = (number(row, n) for n in needed)
                    except ValueError:
                        continue
                    if under == 0:
                        continue
                    again = scale * over / under
                    if abs(again - value) <= 2e-6 + 2e-6 * abs(value) or (
                            abs(again - value) <= 0.006 and value > 1):
                        equal.add(ratio)
                    else:
                        different[ratio] = (value, again)
    return equal, different


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump", help="what dump printed")
    parser.add_argument("--out", help="the table, compressed")
    parser.add_argument("--check", nargs="*", default=[],
                        help="raw pages that ncu printed as CSV, of a GH100")
    args = parser.parse_args()
    with open(args.dump, encoding="utf-8") as file:
        chips = read_dump(file)
    if args.check:
        chip = next(chip for chip in chips if chip.name == "GH100")
        equal, different = check(chip, args.check)
        print(f"{len(equal)} ratios recomputed from their inputs")
        for name, (value, again) in sorted(different.items()):
            print(f"different: {name}: {value} printed, {again} recomputed")
        if different:
            return 1
    table = collections.defaultdict(int)
    for bit, chip in enumerate(chips):
        ratios = [row for row in records(chip) if row[1] == "R"]
        known = sum(1 for row in ratios if row[3])
        print(f"{chip.name}: {len(chip.counters)} counters, {known} of "
              f"{len(ratios)} ratios with inputs, "
              f"{len(chip.throughputs)} throughputs", file=sys.stderr)
        for row in records(chip):
            table[row] |= 1 << bit
    lines = [" ".join(chip.name for chip in chips)]
    lines += ["\t".join(row) + f"\t{mask:x}"
              for row, mask in sorted(table.items())]
    text = "\n".join(lines) + "\n"
    if args.out:
        subprocess.run(["zstd", "-19", "-q", "-f", "-o", args.out],
                       input=text.encode(), check=True)
        print(f"{len(table)} lines, {len(text)} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
