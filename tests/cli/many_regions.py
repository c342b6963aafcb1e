"""An export of Nsight Systems with many regions and intervals, as small as the
reader takes it: many_regions.py FILE REGIONS KERNELS

One range around all, 20 in it, and in these the others, each with its share of
the kernels. Names have no number in them, so that none are taken for one.
"""

import sqlite3
import sys

THREAD = (4711 << 24) | 4711


def word(number):
    letters = ""
    for _ in range(4):
        letters += "abcdefghijklmnopqrstuvwxyz"[number % 26]
        number //= 26
    return letters


def main(path, regions, kernels):
    base = sqlite3.connect(path)
    base.executescript("""
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT,
  globalTid INT, domainId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, globalTid INT,
  correlationId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT,
  contextId INT, streamId INT, correlationId INT, globalPid INT,
  demangledName INT, shortName INT);
""")
    base.executemany("INSERT INTO StringIds VALUES(?, ?)",
                     [(i, f"gemm_{word(i)}(float *)") for i in range(1, 41)])
    leaves = regions - 21
    each = max(1, kernels // leaves)
    length = 1000 * each + 100
    ranges, calls, runs = [], [], []

    def add(start, end, name):
        ranges.append((start, end, 59, name, THREAD, 0))

    add(0, leaves * length, "forward")
    for module in range(20):
        first, last = (leaves * n // 20 for n in (module, module + 1))
        add(first * length, last * length, f"module.{word(module)}")
        for leaf in range(first, last):
            at = leaf * length
            add(at + 10, at + length - 10, f"projection.{word(leaf)}")
            for k in range(each):
                number = len(runs) + 1
                start = at + 20 + 1000 * k
                calls.append((start, start + 10, THREAD, number))
                runs.append((start + 50, start + 50 + 100 + number % 700, 0, 1,
                             7 + number % 2, number, 4711 << 24,
                             1 + number % 40, 1 + number % 40))
    base.executemany("INSERT INTO NVTX_EVENTS VALUES(?,?,?,?,?,?)", ranges)
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?,?,?,?)", calls)
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,?,?,?,?,?,?,?)",
        runs)
    base.commit()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
