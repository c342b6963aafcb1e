"""Holds what a report says of two ranks (report.json, `ranks`) to what
ranks_nccl.py measured itself: check_ranks.py RUN TRUTH [window|no-sizes]. A window has
another number of instances: sums are not compared. Older traces have no sizes."""
import statistics
import sys

from rank_checks import check, check_reason, end, ranks_of, truth_of

run, truth_dir = sys.argv[1:3]
is_window = sys.argv[3:] == ["window"]
ranks, name = ranks_of(run)
truth = [truth_of(truth_dir, rank) for rank in (0, 1)]
regions = {region["id"]: region for region in ranks["regions"]}


def is_in(region_id, phase):
    """Whether it is the phase or inside it; NCCL may leave ranges around it."""
    return phase in regions[region_id]["path"]


# The graph is launched outside of any range.
names = {phase: "graph launch" if phase == "graph" else phase for phase in truth[0]}
phases = {phase: [region for region in regions.values()
                  if region["path"] and region["path"][-1] == name]
          for phase, name in names.items()}


def waiting(phase, rank):
    """Of a rank, summed over instances; with two ranks they are the extremes."""
    total = 0
    if not phases[phase]:
        return None
    for region in phases[phase]:
        over = region["waiting_ns"]
        if over is None:
            return None
        total += over["max"] if over["max_rank"] == rank else over["min"]
    return total


def late_in(phase):
    """The costliest finding of a phase, or of a region in it."""
    for late in ranks["late"]:
        if is_in(late["region"], names[phase]):
            return late
    return None


for phase, reason in (("larger", "compute"), ("more", "work"), ("delayed", "launch"),
                      ("graph", "compute"), ("send", "compute")):
    if phase not in truth[0]:
        continue
    count = len(truth[0][phase])
    # The first begins when each rank is ready.
    delays = [b["came_ns"] - a["came_ns"]
              for a, b in zip(truth[0][phase], truth[1][phase])]
    planted = sum(delays)
    found = waiting(phase, 0)
    check(found is not None and (is_window or abs(found / planted - 1) < 0.05),
          f"{name}: {phase}: rank 0 waited "
          f"{'nothing known' if found is None else f'{found / 1e3:.1f}'} us of "
          f"{planted / 1e3:.1f} us planted")
    late = late_in(phase)
    # On a slow CPU rank 0 launches late at times, and comes last.
    check(late is not None and late["rank"] == 1 and late["last"] >= 0.8 * (late["instances"] if is_window else count),
          f"{name}: {phase}: {late['text'] if late else 'nobody is late'}")
    if late:
        check(abs(late["late_ns"] / statistics.median(delays) - 1) < 0.05,
              f"{name}: {phase}: late by {late['late_ns'] / 1e3:.1f} us of "
              f"{statistics.median(delays) / 1e3:.1f} us")
        check_reason(late, reason, f"{name}: {phase}")

# Nobody is late; the large ones take longer.
transfers = [min(a["left_ns"] - a["came_ns"], b["left_ns"] - b["came_ns"])
             for a, b in zip(truth[0]["transfer"], truth[1]["transfer"])]
large = statistics.median(transfers[3::4])
usual = statistics.median(t for i, t in enumerate(transfers) if i % 4 != 3)
total = sum(transfers)
waited = [waiting("transfer", r) for r in (0, 1)]
check(None not in waited and (is_window or sum(waited) < 0.25 * total),
      f"{name}: transfer: waiting {[w and round(w / 1e3, 1) for w in waited]} us beside "
      f"{total / 1e3:.1f} us of transfer")
slow = [part for part in ranks["slow_network"] if is_in(part["region"], "transfer")]
check(len(slow) > 0, f"{name}: transfer: {slow[0]['text'] if slow else 'no slow transfers'}")
if slow:
    check(abs(slow[0]["share"] - 0.25) < 0.03,
          f"{name}: transfer: slow in {slow[0]['share']:.2f} of the instances, of 0.25")
    # Of 8 times the size, as NCCL says; its sizes are kept in steps of 3 %.
    ratio = slow[0]["message_ratio"]
    check(ratio is None if sys.argv[3:] == ["no-sizes"] else 7.5 < (ratio or 0) < 8.5,
          f"{name}: transfer: messages {ratio} times as large, of 8")
    check(abs(slow[0]["ns"] / (large - usual) - 1) < 0.25,
          f"{name}: transfer: longer by {slow[0]['ns'] / 1e3:.1f} us, by events "
          f"{(large - usual) / 1e3:.1f} us")
others = [part for part in ranks["slow_network"] if not is_in(part["region"], "transfer")]
for part in others:
    print(f"     also: {part['text']}")
end()
