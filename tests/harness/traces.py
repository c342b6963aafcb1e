"""What the traces of a run hold, read without the code that is tested, as
docs/trace-format.md says; and the programs' own tally of their calls."""

import collections
import struct

KINDS = ("push", "pop", "start", "end", "mark", "other", "kernel")
EVENTS = {1: "push", 2: "pop", 3: "start", 4: "end", 5: "mark"}
WORDS = (0, 0, 0, 1, 1, 0, 2, 1, 1, 0, 0, 0, 1, 1, 2, 2)
PAGE = 4096
SLOTS = 2048  # of a tally, as in programs/report.cc
WORK = 7  # of the GPU in a range "A", as in programs/nvtx_actions.cc
COUNTED_ROW = 0  # of "A", as in places.COUNT_PLAN
SLOT = struct.Struct("<II14Q")
TALLY_SIZE = 8 + SLOTS * SLOT.size


class Bad(Exception):
    """A trace that is not what it should be."""


def words_of(data, at, size, state, used):
    words = struct.unpack_from(f"<{(size - 64) // 8}Q", data, at + 64)
    return words[:used] if state == 1 else words


def read_events(words, counts, labels_used):
    at = 0
    while at < len(words) and words[at] != 0:
        kind, operand = words[at] & 15, words[at] >> 4 & 0xFFFFFFF
        if kind in EVENTS:
            counts[EVENTS[kind]] += 1
        if kind in (1, 3, 5, 10):
            labels_used.add(operand)
        at += 1 + WORDS[kind]


def read_names(words, labels):
    at = 0
    while at < len(words) and words[at] != 0:
        if words[at] & 15 == 2:
            labels.add(words[at] >> 4 & 0xFFFFFFF)
        at += 1 + (words[at] >> 32)


def read_gpu(words, counts):
    at = 0
    while at < len(words) and words[at] != 0:
        counts["kernel"] += words[at] & 15 == 1
        at += 1 + (words[at] >> 4 & 255)


def read_counts(words, instances, counts):
    """Of the region "A": the parts of each instance into `instances`, how many
    were skipped into `counts`. The second metric is twice the first."""
    at = 0
    while at < len(words) and words[at] != 0:
        kind, row = words[at] & 15, words[at] >> 32
        fields = words[at + 1:at + 1 + (words[at] >> 16 & 0xFFFF)]
        if kind == 4:
            values = struct.unpack("<2d", struct.pack("<2Q", *fields[8:10]))
            if values[1] != 2 * values[0] or values[0] % WORK != 0:
                raise Bad(f"counts of row {row} are {values}")
            if row == COUNTED_ROW:
                sums = instances.setdefault(fields[1], [0, False])
                sums[0] += values[0]
                sums[1] |= fields[3] != 0
        elif kind == 5 and row == COUNTED_ROW:
            counts[f"skipped {fields[0]}"] = fields[1]  # so far
        at += 1 + len(fields)


def read_trace(path, bounded):
    """Its pid, how many events of each kind, and how many are said to be lost
    or to have come from inside others; `ended` counts what was completed,
    and had CUPTI, at exit. `bounded`: what was recorded is in
    the file whatever ended the program."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < PAGE or data[:8] != b"RFTRACE\x1a":
        raise Bad(f"{path.name}: no header in {len(data)} bytes")
    first, = struct.unpack_from("<I", data, 16)
    pid, = struct.unpack_from("<Q", data, 24)
    state, gpu = struct.unpack_from("<II", data, 2048)
    lost, records, _, reentrant = struct.unpack_from("<4Q", data, 2048 + 24)
    counting, unread = struct.unpack_from("<II", data, 2048 + 856)
    counting_reason = data[2048 + 864]
    counts, labels, labels_used = collections.Counter(), set(), set()
    counts["ended"] = state == 1 and gpu == 2
    instances = {}
    at = first
    while at + 64 <= len(data):
        magic, kind, state = struct.unpack_from("<IBB", data, at)
        size, used = struct.unpack_from("<II", data, at + 40)
        if magic != 0x31424652 or size < PAGE or at + size > len(data):
            at += PAGE
            continue
        words = words_of(data, at, size, state, used)
        if kind == 1:
            read_events(words, counts, labels_used)
        elif kind == 2:
            read_names(words, labels)
        elif kind == 3:
            read_gpu(words, counts)
        elif kind == 5:
            read_counts(words, instances, counts)
        at += size
    whole = [work for work, is_whole in instances.values() if is_whole]
    if any(work != WORK for work in whole):
        raise Bad(f"{path.name}: instances count {sorted(set(whole))}")
    counts["counted"] = len(whole)
    if counting == 4:  # the ranges of its last pass were read
        counts["counting ended"] = 1
        if unread != 0 and counting_reason == 0:
            raise Bad(f"{path.name}: {unread} instances were not read")
    counts["counting failed"] = counting == 3
    if bounded and lost == 0 and not labels_used <= labels:
        raise Bad(f"{path.name}: events of labels that have no name: "
                  f"{sorted(labels_used - labels)[:5]}")
    return pid, counts, lost + records + reentrant


def read_folder(folder, bounded):
    """By pid, summed over the programs that a process was: counts, what is said
    to be missing, how many files."""
    pids = {}
    for path in sorted(folder.glob("*.rftrace")):
        path.chmod(0o644)  # the program may have let nobody read
        pid, counts, said = read_trace(path, bounded)
        known = pids.setdefault(pid, [collections.Counter(), 0, 0])
        known[0].update(counts)
        known[1] += said
        known[2] += 1
    return pids


def read_tally(path):
    """By pid: whether its trace may be missing, calls begun, calls done, how many
    programs it was, and how many of these made calls."""
    data = path.read_bytes()
    used, = struct.unpack_from("<I", data, 0)
    pids = {}
    for i in range(min(used, SLOTS)):
        pid, loose, *numbers = SLOT.unpack_from(data, 8 + i * SLOT.size)
        known = pids.setdefault(
            pid, [False, collections.Counter(), collections.Counter(), 0, 0])
        known[0] |= bool(loose)
        known[1].update(dict(zip(KINDS, numbers[:7])))
        known[2].update(dict(zip(KINDS, numbers[7:])))
        known[3] += 1
        known[4] += any(numbers[7:])
    return pids


def compare(tally, traces, strict, bounded, tallied):
    """What is wrong, a line each. Every call that was done is recorded or said
    to be lost (where `bounded`), and none is recorded that was not begun (where
    every program could be `tallied`). `strict`: the library had all it needs."""
    wrong = []
    for pid, (loose, begun, done, programs, callers) in tally.items():
        calls = sum(done[kind] for kind in KINDS)
        if pid not in traces:
            # A process that a handler ends in its first call has no trace yet.
            ended_inside = calls < sum(begun.values())
            if strict and not loose and calls > 0 and not ended_inside:
                wrong.append(f"a process with {calls} calls has no trace")
            continue
        counts, said, files = traces[pid]
        if strict and not loose and files < callers:
            wrong.append(f"of {callers} programs of a process {files} have a "
                         f"trace")
        missing = 0
        for kind in KINDS:
            if kind == "other":
                continue
            # CUPTI's records are complete at exit, and at no other end.
            if kind == "kernel" and (not counts["ended"] or files > 1):
                continue
            if counts[kind] > begun[kind] and files <= programs and tallied:
                wrong.append(f"{counts[kind]} of {kind} in the trace, "
                             f"{begun[kind]} were made")
            missing += max(0, done[kind] - counts[kind])
        skipped = sum(n for kind, n in counts.items() if "skipped" in kind)
        instances = counts["counted"] + skipped
        if instances > begun["kernel"] and files <= programs and tallied:
            wrong.append(f"{instances} instances were counted or skipped, of "
                         f"{begun['kernel']}")
        if strict and counts["counting failed"]:
            wrong.append("counting failed")
        # Inside ranges that were left open, "A" is another region.
        if (strict and not loose and files == 1 and counts["counting ended"]
                and counts["counted"] == 0 < done["kernel"]):
            wrong.append(f"of {done['kernel']} instances none is counted, "
                         f"{skipped} are skipped")
    if strict and traces.keys() - tally.keys():
        wrong.append("a trace of a process that was not")
    return wrong
