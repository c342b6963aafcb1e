"""Calls that run a program or write files: profile, report, compare, summarize."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .command import (NothingMeasured, RangefinderError, StrPath, call, existing,
                      overrides, program)
from .diff import Diff, read_diff
from .run import Run, load



def missing_here() -> str:
    """The failed checks of `doctor` for GPU and driver, as one sentence each."""
    try:
        checks = json.loads(call(["doctor", "--format", "json", "--quiet"],
                                 allowed=range(256)))
        return "; ".join(f"{check['check']}: {check['found']} ({check['fix']})"
                         for check in checks
                         if check["check"] in ("GPU", "driver")
                         and not check["ok"])
    except (RangefinderError, ValueError, KeyError, TypeError):
        return ""


def _with_reason(error: RangefinderError) -> RangefinderError:
    reason = missing_here() if error.status in (1, 3, 4) else ""
    if not reason:
        return error
    return type(error)(f"{error.message}\nthis machine cannot profile: {reason}",
                       error.status, error.command)


def _new_folder(base: Path) -> Path:
    name = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1000):
        folder = base / (f"{name}_{number}" if number else name)
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            continue
    raise FileExistsError(f"{base / name}: too many runs in one second")


def profile(cmd: str | Sequence[StrPath], *, output: StrPath | None = None,
            cwd: StrPath | None = None, env: Mapping[str, str] | None = None,
            echo: bool = True, words: Sequence[str] = (),
            **config: object) -> Run:
    """Runs a program under the profiler and returns its run.

    `cmd` is an argument list, or a text that is split as a shell does; no shell
    runs. `output` is the run directory, by default a new folder in
    `tmp/profile-output`. `config` are keys of the configuration, and `words`
    overrides as the command line has them. `echo` shows the program's output.

    Raises RangefinderError: status 3 where the program failed, 4 where the
    profiler is missing or refused, with what a machine without a GPU lacks; and
    NothingMeasured where the program used neither CUDA nor NVTX.
    """
    target = program(cmd)
    settings = overrides(config)
    if any(re.match(r"[+~]*hydra\.run\.dir=", word) for word in [*settings, *words]):
        raise ValueError("the run directory is `output`, not hydra.run.dir")
    folder = (Path(output) if output is not None
              else _new_folder(Path(cwd or ".") / "tmp" / "profile-output"))
    folder = Path(os.path.abspath(folder))
    try:
        call(["profile", "--color", "never", *settings,
              *overrides({"hydra.run.dir": folder}), *words, "--", *target],
             cwd=cwd, env=env, echo=echo)
    except RangefinderError as error:
        raise _with_reason(error) from None
    run = load(folder)
    if run.regions or (run.scope and run.scope.kernel_count):
        return run
    here = missing_here()
    nothing = NothingMeasured("\n".join([
        "nothing was measured: " + "; ".join(note.text for note in run.notes),
        *([f"this machine cannot profile: {here}"] if here else [])]))
    nothing.path = folder
    raise nothing


def compare(base: str | Sequence[StrPath], new: str | Sequence[StrPath] | None = None,
            *, runs: int = 5, gate: bool = False, cwd: StrPath | None = None,
            env: Mapping[str, str] | None = None, echo: bool = False,
            words: Sequence[str] = (), **config: object) -> Diff:
    """Profiles two programs in turn, `runs` times each, and compares them.

    Without `new` one program runs in two ways, said by `words`, such as
    `["--new-env", "NVIDIA_TF32_OVERRIDE=0"]`. Errors are those of profile().
    """
    sides = program(base)
    if new is not None:
        sides = [*sides, ":::", *program(new)]
    if sides.count(":::") != (new is not None):
        raise ValueError("':::' cannot be an argument of a compared program")
    try:
        return read_diff(
            ["compare", "--runs", str(int(runs)), *(["--gate"] if gate else []),
             *overrides(config), *words, "--", *sides],
            "compare", cwd=cwd, env=env, echo=echo)
    except RangefinderError as error:
        raise _with_reason(error) from None


def report(path: StrPath, *more: StrPath, output: StrPath | None = None,
           formats: Sequence[str] = (), **config: object) -> Path:
    """Writes the reports of a run again; returns the folder `ncu/regions`.

    `output` is the folder to write into, in the layout of a run directory; of a
    run directory by default itself. `formats` are md, json, html, sqlite.
    """
    paths = [existing(each) for each in (path, *more)]
    folder = Path(output if output is not None else path)
    if output is None and (more or not folder.is_dir()):
        raise ValueError("report() of files needs `output`, a folder")
    words = [*(["--format", ",".join(formats)] if formats else []),
             *(["-o", os.path.abspath(folder)] if output is not None else [])]
    call(["report", "--quiet", *words, *paths, *overrides(config)])
    return folder / "ncu" / "regions"


def summarize(path: StrPath, *more: StrPath, output: StrPath,
              rank: int | None = None, **config: object) -> Path:
    """Writes a small summary of a run, which can be merged; returns its path."""
    file = Path(output)
    call(["summarize", "--quiet",
          *(existing(each) for each in (path, *more)), "-o", os.path.abspath(file),
          *([] if rank is None else ["--rank", str(int(rank))]),
          *overrides(config)])
    return file
