#!/usr/bin/env python3
"""How far estimates from samples are off the truth: recorded programs whose regions were counted exactly.

bench/estimate_truth.py [RANGEFINDER] [ESTIMATES]

ESTIMATES is a folder with qwen_graph.trace.txz and qwen_graph.truth.json.xz; without it the captured graph is left out.
"""
import json
import lzma
import math
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
METRICS = ["sm__inst_executed.sum", "sm__pipe_tensor_cycles_active.avg", "lts__t_sectors.sum", "dram__bytes_read.sum"]


def regions(rangefinder, trace):
    shown = subprocess.run([rangefinder, "show", str(trace), "--format", "json"], capture_output=True, check=True)
    return json.loads(shown.stdout)["scopes"][0]["regions"]


def exact(rangefinder, name):
    """Per instance, of the regions that were counted."""
    return {tuple(region["path"]): {metric: cell["value"] for metric, cell in region["measured"][0]["metrics"].items()}
            for region in regions(rangefinder, ROOT / f"tests/fixtures/{name}_counted.rftrace.zst") if region["measured"]}


def all_work(region, metric, copies):
    """Value and half of the interval, or None; with the region's copies and sets, which a count in place includes."""
    cells = [region["inclusive"]["metrics"][metric]]
    if copies and metric in region.get("copies", {}):
        cells.append(region["copies"][metric])
    if any(cell["value"] is None for cell in cells):
        return None
    return sum(cell["value"] for cell in cells), math.hypot(*(cell["high"] - cell["value"] for cell in cells))


def compare(name, estimated, truth, least, copies, least_ns=0):
    for metric in METRICS:
        off, held, absent, width = [], 0, 0, []
        for region in estimated:
            path = tuple(part for part in region["path"] if part != "graph launch")
            known = truth.get(path, {}).get(metric)
            if path != tuple(region["path"]) and path in {tuple(r["path"]) for r in estimated}:
                continue  # a frame of its own, of which the region around it has all
            if not known or region["instances"] < least:
                continue
            if region["inclusive"].get("gpu_time_ns", least_ns * region["instances"]) < least_ns * region["instances"]:
                continue
            estimate = all_work(region, metric, copies)
            if estimate is None:
                absent += 1
                continue
            value, reach = estimate
            total = known * region["instances"]
            off.append(abs(value / total - 1))
            held += abs(value - total) <= reach
            width.append(reach / total)
        if not off:
            continue
        off.sort()
        width.sort()
        at = lambda part: off[min(int(part * len(off)), len(off) - 1)]
        print(f"{name:7} {metric:34} {len(off):3} regions  median {at(.5):7.2%}  90th percentile {at(.9):7.2%}  "
              f"worst {off[-1]:7.2%}  within the interval {held / len(off):5.0%}  "
              f"half of it {width[len(width) // 2]:6.2%}  absent {absent}")


def main():
    rangefinder = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/rangefinder")
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    for name in ("llm", "vision"):
        estimated = regions(rangefinder, ROOT / f"tests/fixtures/{name}_sampled.rftrace.zst")
        compare(name, estimated, exact(rangefinder, name), 50 if name == "vision" else 4, True)
    if folder is None:
        print("without ESTIMATES there is no captured graph")
        return
    with tempfile.TemporaryDirectory() as unpacked:
        tarfile.open(folder / "qwen_graph.trace.txz").extractall(unpacked)
        trace = next(pathlib.Path(unpacked).glob("trace/*.rftrace"))
        truth = json.load(lzma.open(folder / "qwen_graph.truth.json.xz", "rt"))
        known = {tuple(path.split("/")): values for path, values in truth["regions"].items()}
        compare("graph", regions(rangefinder, trace), known, 1, False)


main()
