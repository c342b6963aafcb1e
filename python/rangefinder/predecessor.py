"""The names of the Python predecessor, for its users' programs.

Numbers and files are those of Rangefinder's runs (docs/python-tool.md).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .actions import report
from .command import RangefinderError, StrPath, call, overrides
from .run import load, parsed


@dataclass(frozen=True)
class NCUProfileRegion:
    """A region: its path's last name, the name around it, and its depth."""

    name: str
    parent: str | None
    depth: int
    process: str | None
    device: str | None


@dataclass(frozen=True)
class NCUProfileRegionReport:
    """A region's time in ms and launches, and its files below `ncu/regions`.

    A number that is not known is None, and so is a file that was not written.
    """

    region: NCUProfileRegion
    total_ms: float | None
    kernel_count: int | None
    sections_path: str | None
    csv_path: str | None
    markdown_path: str | None
    json_path: str | None


@dataclass(frozen=True)
class Artifacts:
    """A run directory and the paths of its files; nothing is created."""

    root: Path

    @classmethod
    def from_root(cls, root: StrPath) -> Artifacts:
        return cls(Path(root))

    def path(self, name: StrPath) -> Path:
        """The path of a file, such as `ncu/raw.csv`."""
        return Path(self.root, name)

    def out_dir(self, kind: str) -> Path:
        """The folder of a profiler: ncu or nsys."""
        return Path(self.root, kind)

    @property
    def manifest(self) -> dict[str, Any]:
        """`ncu/manifest.json`: the runs of ncu, their commands and reports."""
        file = self.path("ncu/manifest.json")
        return parsed(file.read_bytes(), "rangefinder.capture/1", str(file))


def build_ncu_cmd(
        out_base: StrPath, work_argv: Sequence[str], *,
        nvtx_expr: str | Sequence[str] | None = None,
        kernel_regex: str | None = None, csv_log: StrPath | None = None,
        use_nvtx: bool = True, set_name: str | None = "roofline",
        metrics: str | Sequence[str] | None = None,
        sections: Sequence[str] | None = None,
        target_processes: str | None = "all", force_overwrite: bool = False,
        kernel_name_base: str = "demangled",
        replay_mode: str | None = None) -> list[str]:
    """ncu's argument list, as `rangefinder profile --dry-run` prints it.

    `out_base` is the report without its extension, `csv_log` ncu's log. A plan
    of several commands is a RangefinderError.
    """
    if isinstance(metrics, str):
        metrics = [name.strip() for name in metrics.split(",") if name.strip()]
    options: dict[str, object] = {
        "set": set_name, "target_processes": target_processes,
        "kernel_name_base": kernel_name_base,
        "replay_mode": replay_mode or "kernel",
        "nvtx.include": nvtx_expr if use_nvtx else None,
        "kernel_name": kernel_regex, "sections": list(sections or []),
        "metrics": list(metrics or [])}
    text = call(["profile", "--dry-run", "--color", "never",
                 *overrides({"pipeline.ncu.enable": True,
                             "pipeline.ncu.gating_nvtx": use_nvtx,
                             **{f"pipeline.ncu.ncu_cli.{name}": value
                                for name, value in options.items()}}),
                 "--", *work_argv]).decode("utf-8", "replace")
    commands = [shlex.split(line.strip()[2:]) for line in text.splitlines()
                if line.strip().startswith("$ ")]
    if len(commands) != 1 or "--export" not in commands[0]:
        raise RangefinderError("not one command of ncu, but this plan:\n" + text)
    command = commands[0]
    command[command.index("--export") + 1] = str(out_base)
    at = command.index("--log-file")
    command[at:at + 2] = [] if csv_log is None else [
        "--csv", "--log-file", str(csv_log)]
    # The plan writes into a run directory, whose files it may always replace.
    if not force_overwrite:
        command.remove("--force-overwrite")
    return command


def assemble_region_reports(
        artifacts: Artifacts | StrPath, *, device: str | None = None,
        process: str | None = None) -> list[NCUProfileRegionReport]:
    """The regions of a run directory or any capture.

    `device` (cuda:0) and `process` (its id) choose a scope; by default all
    together. The predecessor took rows of ncu's CSV, which have no nesting.
    """
    run = load(artifacts.root if isinstance(artifacts, Artifacts) else artifacts)
    for scope in run.scopes.values():
        if device in (None, scope.device) and process in (
                None, None if scope.process is None else str(scope.process)):
            break
    else:
        raise KeyError(f"no scope of device {device} and process {process}; "
                       f"there are: {', '.join(run.scopes)}")
    return [
        NCUProfileRegionReport(
            NCUProfileRegion(entry["name"], entry["parent"], entry["depth"],
                             entry.get("process_text"), entry["device"]),
            entry["total_ms"], entry["kernel_count"], entry.get("sections_path"),
            entry.get("csv_path"), entry.get("markdown_path"),
            entry.get("json_path"))
        for entry in (region.document for region in scope.regions)]


def export_region_reports(
        artifacts: Artifacts,
        reports: Sequence[NCUProfileRegionReport] = ()) -> list[Path]:
    """Writes the reports of a run directory again; returns the paths of
    `report.md` and `report.json`. `reports` is not needed: the numbers come from
    the run directory.
    """
    folder = report(artifacts.root, formats=["md", "json"])
    return [folder / "report.md", folder / "report.json"]
