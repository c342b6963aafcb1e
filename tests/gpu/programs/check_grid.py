"""Holds a report of grid_nccl.py's ranks (report.json, `ranks`) to what the
program measured itself: check_grid.py RUN TRUTH [window]. A window has another number of
instances: sums are not compared."""
import glob
import statistics
import sys

from rank_checks import check, check_reason, end, ranks_of, truth_of

run, truth_dir = sys.argv[1:3]
is_window = sys.argv[3:] == ["window"]
ranks, name = ranks_of(run)
world = len(glob.glob(f"{truth_dir}/truth.rank*.json"))
truth = [truth_of(truth_dir, rank) for rank in range(world)]
check(ranks["count"] == world, f"{name}: {ranks['count']} of {world} ranks")
paths = {region["id"]: region["path"] for region in ranks["regions"]}
matrix = ranks["matrix"]
rank_of = [ranks["records"][record]["rank"] for record in matrix["records"]]
# The graph is launched outside of any range.
names = {phase: "graph launch" if phase == "graph" else phase for phase in truth[0]}
# Each rank's partners, as the program made its groups.
groups = {"tensor": [[rank, rank ^ 1] for rank in range(world)],
          "data": [list(range(rank % 2, world, 2)) for rank in range(world)]}
came_at = {"tensor": 0, "data": 1}


def is_in(region, phase):
    """Whether it is the phase or inside it; NCCL may leave ranges around it."""
    return names[phase] in paths[region]


def waited(phase, group, rank):
    """What the report says of a rank's waiting in a group's region, in ns."""
    total = None
    for row, of_rank in zip(matrix["values"]["waiting_ns"], rank_of):
        if of_rank != rank:
            continue
        for region, value in zip(matrix["regions"], row):
            path = paths[region]
            if is_in(region, phase) and path[-1] == group and value is not None:
                total = (total or 0) + value
    return total


def waited_in_truth(phase, group, rank):
    place = came_at[group]
    return sum(max(truth[other][phase][i][place] for other in groups[group][rank])
               - truth[rank][phase][i][place]
               for i in range(len(truth[rank][phase])))


def lateness(phase, late, group):
    """The medians of how much later it came than each of the others."""
    place = came_at[group]
    return [statistics.median(a[place] - b[place]
                              for a, b in zip(truth[late][phase], truth[rank][phase]))
            for rank in range(world) if rank != late]


planted = {"larger": (world - 1, "compute", "tensor"), "more": (1, "work", "data"),
           "delayed": (2, "launch", "tensor"), "graph": (world - 1, "compute", "tensor")}
for phase in truth[0]:
    late_ones = [late for late in ranks["late"] if is_in(late["region"], phase)]
    if not is_window:
        # Within 5 %, or within 1 % of the time: kernels begin later than the events
        # before them where the CPU is not ahead.
        for group in groups:
            real = [waited_in_truth(phase, group, rank) for rank in range(world)]
            found = [waited(phase, group, rank) for rank in range(world)]
            shown = [value and round(value / 1e3) for value in found]
            time = sum(instance[-1] for instance in truth[0][phase])
            check(None not in found and
                  all(abs(a - b) <= max(0.05 * b, 0.01 * time)
                      for a, b in zip(found, real)),
                  f"{name}: {phase}: {group}: waiting {shown} us, by events "
                  f"{[round(value / 1e3) for value in real]} us")
    if phase not in planted:
        check(not late_ones,
              f"{name}: {phase}: {'; '.join(late['text'] for late in late_ones) or 'nobody is late'}")
        continue
    rank, reason, group = planted[phase]
    check(bool(late_ones) and all(late["rank"] == rank for late in late_ones),
          f"{name}: {phase}: {'; '.join(late['text'] for late in late_ones) or 'nobody is late'}")
    if not late_ones:
        continue
    late = late_ones[0]
    check_reason(late, reason, f"{name}: {phase}")
    delays = lateness(phase, rank, group)
    check(any(abs(late["late_ns"] / delay - 1) < 0.05 for delay in delays),
          f"{name}: {phase}: late by {late['late_ns'] / 1e3:.1f} us, by events "
          f"{', '.join(f'{delay / 1e3:.1f}' for delay in delays)} us")

# Before the phases, messages of two sizes connect the ranks.
in_phases = [part for part in ranks["slow_network"]
             if any(is_in(part["region"], phase) for phase in truth[0])]
slow = [part for part in in_phases if is_in(part["region"], "transfer")]
if "transfer" in truth[0]:
    check(bool(slow) and all("data" in paths[part["region"]] for part in slow),
          f"{name}: transfer: {'; '.join(part['text'] for part in slow) or 'no slow transfers'}")
    check(all(7.5 < (part["message_ratio"] or 0) < 8.5 for part in slow),
          f"{name}: transfer: messages {[part['message_ratio'] for part in slow]} "
          "times as large, of 8")
    found = sorted(sorted(ranks["records"][record]["rank"] for record in part["records"])
                   for part in slow)
    real = [list(range(place, world, 2)) for place in (0, 1)]
    check(found == real, f"{name}: transfer: communicators {found}, made {real}")
others = [part for part in in_phases if part not in slow]
check(not others, f"{name}: other slow transfers: {[part['text'] for part in others]}")
end()
