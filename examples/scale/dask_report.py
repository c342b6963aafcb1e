#!/usr/bin/env python3
"""Summarizes the ranks of a job and merges them, on a Dask cluster.

    dask_report.py 'run/rank*' -o job.rfsum --workers 8
    dask_report.py run --ranks 512 -o job.rfsum --scheduler tcp://head:8786
    dask_report.py '/scratch/run*' -o job.rfsum --each-host \\
        --scheduler tcp://head:8786
    rangefinder report job.rfsum

An input is a run directory or a capture, or a pattern of them. A task of its own
summarizes each input, or with --ranks each rank of it. The summaries are merged as
a tree, and any tree gives the same bytes. Summaries go from worker to worker as
bytes, so the cluster needs no common folder. The summaries of a lost worker are
made again.
"""
import argparse
import collections
import contextlib
import glob
import os
import pathlib
import subprocess
import sys
import tempfile


# ---- On the workers -----------------------------------------------------------

def run_rangefinder(command, inputs, rangefinder):
    """(The summary that it wrote, None), or (None, the reason why not)."""
    with tempfile.TemporaryDirectory(prefix="rangefinder.") as folder:
        output = pathlib.Path(folder, "out")
        done = subprocess.run(
            [rangefinder, command, *inputs, "-o", str(output)], check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode == 0:
            return output.read_bytes(), None
        said = done.stderr.strip().splitlines() or ["nothing was said"]
        return None, f"{command}: status {done.returncode}: {said[-1]}"


def summarize(path, rank, rangefinder):
    """(Bytes or None, problems): one bad rank does not stop the others."""
    its = [] if rank is None else ["--rank", str(rank)]
    summary, problem = run_rangefinder("summarize", [*its, path], rangefinder)
    where = path if rank is None else f"{path}, rank {rank}"
    return summary, [f"{where}: {problem}"] if problem else []


def merge(parts, rangefinder):
    """Of several pairs (summary, problems): the merged summary, all problems."""
    problems = [problem for _, found in parts for problem in found]
    summaries = [summary for summary, _ in parts if summary is not None]
    if len(summaries) < 2:
        return (summaries[0] if summaries else None), problems
    with tempfile.TemporaryDirectory(prefix="rangefinder.") as folder:
        paths = []
        for number, summary in enumerate(summaries):
            paths.append(pathlib.Path(folder, str(number)))
            paths[-1].write_bytes(summary)
        merged, problem = run_rangefinder("merge", map(str, paths), rangefinder)
    if problem:  # of files that we wrote: the job cannot go on
        raise RuntimeError(problem)
    return merged, problems


def found(patterns):
    """The inputs that patterns name, on the machine that this runs on."""
    paths = []
    for pattern in patterns:
        paths += sorted(glob.glob(pattern)) or [pattern]
    return [os.path.abspath(path) for path in dict.fromkeys(paths)]


# ---- On the machine that asks -------------------------------------------------

def inputs_of(client, options):
    """(path, workers that may read it or None for any), in order."""
    if not options.each_host:
        return [(path, None) for path in found(options.inputs)]
    workers, listed = collections.defaultdict(list), {}
    for address, paths in sorted(client.run(found, options.inputs).items()):
        host = address.rsplit(":", 1)[0]
        workers[host].append(address)
        listed[host] = paths
    return [(path, workers[host]) for host, paths in listed.items()
            for path in paths]


def merged_over(client, options):
    again = {"rangefinder": options.rangefinder, "retries": options.retries,
             "pure": False}
    ranks = range(options.ranks) if options.ranks else [None]
    parts = [client.submit(summarize, path, rank, workers=workers, **again)
             for path, workers in inputs_of(client, options) for rank in ranks]
    while len(parts) > 1:
        parts = [client.submit(merge, parts[at:at + options.fan_in], **again)
                 for at in range(0, len(parts), options.fan_in)]
    return parts[0].result()


def write(path, content):
    """Writes beside the path and renames: a partial file never has its name."""
    beside = pathlib.Path(f"{path}.part")
    beside.write_bytes(content)
    beside.replace(path)


@contextlib.contextmanager
def connected(options):
    from dask.distributed import Client, LocalCluster
    with contextlib.ExitStack() as stack:
        address = options.scheduler or stack.enter_context(LocalCluster(
            n_workers=options.workers, threads_per_worker=1, processes=True,
            dashboard_address=None))
        yield stack.enter_context(Client(address))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    parser.add_argument("-o", "--output", required=True, metavar="FILE")
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="the scheduler of a running cluster")
    parser.add_argument("--workers", type=int, default=os.cpu_count(),
                        help="processes of a cluster on this machine, without "
                        "--scheduler (default: its processors)")
    parser.add_argument("--ranks", type=int, default=0, metavar="N",
                        help="an input holds all N ranks of the job")
    parser.add_argument("--each-host", action="store_true",
                        help="expand patterns on every host of the cluster, "
                        "and read the files there")
    parser.add_argument("--fan-in", type=int, default=32,
                        help="summaries that one task merges")
    parser.add_argument("--retries", type=int, default=2,
                        help="of a failed task")
    parser.add_argument("--rangefinder", default="rangefinder",
                        help="the binary, on the workers")
    options = parser.parse_args()
    if options.fan_in < 2 or options.workers < 1:
        parser.error("--fan-in is at least 2, --workers at least 1")
    with connected(options) as client:
        summary, problems = merged_over(client, options)
    for problem in problems:
        print(f"dask_report: left out: {problem}", file=sys.stderr)
    if summary is None:
        sys.exit("dask_report: nothing could be summarized")
    write(options.output, summary)
    # The summary does not tell that inputs were left out; the status does.
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
