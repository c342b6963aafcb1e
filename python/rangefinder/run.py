"""A recorded run as objects and as tables; every number is the program's own."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace as Row
from typing import TYPE_CHECKING, Any, TypeVar

from . import html
from .command import FormatError, StrPath, call, existing, overrides

if TYPE_CHECKING:
    import pandas

SCHEMA = "rangefinder.report/2"

# The tables of frame(): views and tables of `show --format sqlite`.
TABLES = {"regions": "region_times", "kernels": "kernels", "launches": "launches",
          "instances": "instances", "metrics": "metrics", "ranks": "rank_times",
          "late_ranks": "late_ranks", "notes": "notes"}
_UNITS = {"_ns": "ns", "_bytes": "byte", "_hz": "Hz", "share": "1"}


_T = TypeVar("_T")


def read(kind: type[_T], entry: Mapping[str, Any], **other: Any) -> _T:
    """A dataclass from the members of an entry that have its fields' names."""
    values = {f.name: entry[f.name] for f in fields(kind)
              if f.name in entry}
    return kind(**{**values, **other})


@dataclass(frozen=True)
class Value:
    """A metric of a region or kernel.

    `value` and its errors are in `unit` (empty: none). `how` is the origin:
    measured, exact, estimated, approx, bound or absent. An estimate has a
    `standard_error`, and a 95 % interval from `low` to `high`; of other values
    `min` and `max` are over the measurements. `value` is None where it is
    absent, and `reason` says why.
    """

    value: float | str | None
    unit: str
    how: str
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    min: float | None = None
    max: float | None = None
    bound: str | None = None
    reason: str | None = None

    def __float__(self) -> float:
        """The number; NaN where it is absent or a text."""
        return float(self.value) if isinstance(self.value, (int, float)) else math.nan

    def __str__(self) -> str:
        return html.value(self)


@dataclass(frozen=True)
class Cause:
    """Why a region takes its wall time.

    `kind` is the id of the cause (docs/causes.md) and `region_id` that of the
    region (0: the whole run). `certain`: the 95 % intervals support it, else it
    is a question. `saves_ns`: the time in ns that goes away without the cause,
    at most; `share`: of the run, 0 to 1, or None where it is not known.
    """

    kind: str
    region_id: int
    certain: bool
    saves_ns: float
    text: str
    next: str
    share: float | None = None


@dataclass(frozen=True)
class Kernel:
    """The launches of one kernel in a region, inner regions included.

    Times are in ms, and None where no duration was collected. With
    pipeline.trace.source `source` has the operators of the model, and
    `source_unknown` says why `source_lines` is empty.
    """

    kernel_name: str
    short_name: str
    calls: int
    own_calls: int
    total_ms: float | None
    mean_ms: float | None
    min_ms: float | None
    max_ms: float | None
    device: str | None
    metrics: Mapping[str, Value]
    source: Sequence[str] = ()
    source_lines: Sequence[str] = ()
    model_lines: Sequence[str] = ()
    source_unknown: str | None = None


@dataclass(frozen=True, eq=False)
class Region:
    """A region in a scope; times are in ns, inner regions included.

    `gpu_time_ns` and `launches` come from the best source (`source`);
    `own_gpu_time_ns` and `exclusive` leave inner regions out. `wall_ns` is over
    all closed instances, and `wall_parts_ns` adds up to it. A number that is not
    known is None, and `reason` says why. `metrics` are those that report.json has
    in place: Run.metric() and frame("metrics") have all. `document` is the
    region's entry of report.json.
    """

    id: int
    parent_id: int | None
    path: tuple[str, ...]
    name: str
    domain: str
    depth: int
    instances: int
    source: str | None
    gpu_time_ns: float | None
    own_gpu_time_ns: float | None
    launches: int | None
    wall_ns: float | None
    wall_parts_ns: Mapping[str, float]
    reason: str | None
    cause: Cause | None
    metrics: Mapping[str, Value] = field(repr=False)
    exclusive: Mapping[str, Value] = field(repr=False)
    kernels: Sequence[Kernel] = field(repr=False)
    document: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return "/".join(self.path) or self.name

    def _repr_html_(self) -> str:
        return html.region(self)


class Regions(list[Region]):
    """Regions in the order of the report; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        return html.regions(self)


@dataclass(frozen=True)
class Scope:
    """All processes together (`aggregate`), or one process on one device.

    `kernel_count` and `gpu_time_ns` are None where only whole ranges were
    measured; `reason` says so.
    """

    scope: str
    headline: str
    process: int | None
    device: str | None
    kernel_count: int | None
    gpu_time_ns: float | None
    metrics: Mapping[str, Value]
    regions: Regions
    reason: str | None = None


@dataclass(frozen=True)
class Metric:
    """What a metric is: its unit, how it is combined, its meaning if known."""

    unit: str
    rule: str
    doc: str = ""


@dataclass(frozen=True)
class Rank:
    """A rank of a job; `rank` is None where its launcher gave none."""

    rank: int | None
    host: str
    pid: int
    devices: Sequence[str]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class LateRank:
    """A rank for which others wait in a region, `late_ns` per instance."""

    text: str
    rank: int | None
    path: tuple[str, ...]
    late_ns: float
    instances: int
    last: int


@dataclass(frozen=True)
class Note:
    """Something that was seen and not used, or a caveat."""

    severity: str
    kind: str
    text: str
    where: str
    count: int


def _cells(cells: Mapping[str, Any]) -> dict[str, Value]:
    return {name: read(Value, cell) for name, cell in cells.items()}


def _region(entry: Mapping[str, Any]) -> Region:
    inclusive, exclusive = entry["inclusive"], entry["exclusive"]
    # The summary is left out where inclusive and exclusive say the same.
    row = entry.get("summary") or {
        "source": entry["total_source"], "gpu_time_ns": inclusive["gpu_time_ns"],
        "own_gpu_time_ns": exclusive["gpu_time_ns"],
        "launches": inclusive["kernel_count"]}
    times = entry.get("times") or {}
    wall = times.get("cpu_ns", {"instances": 0})
    reasons = [row["reason"]] if row.get("reason") else []
    if not wall["instances"]:
        reasons.append("no wall time: " + (
            "no instance was closed" if times else
            "the capture has no times of ranges"))
    return read(
        Region, {**entry, **row}, path=tuple(entry["path"]),
        wall_ns=wall["total"] if wall["instances"] else None,
        wall_parts_ns=times.get("wall_ns", {}),
        reason="; ".join(reasons) or None,
        cause=read(Cause, entry["cause"], region_id=entry["id"])
        if entry.get("cause") else None,
        metrics=_cells(inclusive["metrics"]),
        exclusive=_cells(exclusive["metrics"]),
        kernels=[read(Kernel, kernel, metrics=_cells(kernel["metrics"]))
                 for kernel in entry["kernels"]], document=entry)


def _scope(entry: Mapping[str, Any], first: Mapping[str, Any]) -> Scope:
    totals, rows = entry["totals"], entry["regions"]
    if entry.get("same_as"):  # what its regions leave out
        rows = [{**whole, **row} for whole, row in zip(first["regions"], rows)]
    return read(Scope, {**entry, **totals}, metrics=_cells(totals["metrics"]),
                 regions=Regions(map(_region, rows)))


def parsed(text: bytes, schema: str, origin: str) -> dict[str, Any]:
    """The JSON document `text`; FormatError names `origin` where it is foreign."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{origin}: not whole JSON: {error}") from error
    found = document.get("schema") if isinstance(document, dict) else None
    if found != schema:
        raise FormatError(f"{origin}: not a document {schema}: "
                          f"schema is {found!r}")
    assert isinstance(document, dict)
    return document


class Run:
    """A recorded run; made by load(), profile() and others.

    `regions` are those of the first scope: of all processes together, unless
    regions.aggregate=false. `causes` are the first causes of the whole run (at
    most three; explain() prints all, and each region has its own). `document` is
    the report.json.
    """

    def __init__(self, paths: Sequence[StrPath], document: dict[str, Any],
                 words: Sequence[str] = ()) -> None:
        self.paths = tuple(map(str, paths))
        self.document = document
        self._words = list(words)
        self._found: dict[str, Regions] = {}
        ranks = document.get("ranks") or {"regions": [], "records": [], "late": []}
        try:
            self.scopes = {scope["scope"]: _scope(scope, document["scopes"][0])
                           for scope in document["scopes"]}
            self.causes = [read(Cause, c) for c in document["headlines"]]
            named = {r["id"]: tuple(r["path"]) for r in ranks["regions"]}
            self.ranks = [read(Rank, r) for r in ranks["records"]]
            self.late_ranks = [read(LateRank, late, path=named.get(late["region"], ()))
                               for late in ranks["late"]]
            self.notes = [read(Note, note) for note in document["notes"]]
            self.metrics = {name: read(Metric, metric)
                            for name, metric in document["metrics"].items()}
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise FormatError(f"{', '.join(self.paths)}: the report has an "
                              f"unknown form: {error!r}") from error

    @property
    def scope(self) -> Scope | None:
        """The first scope, or None where nothing was measured."""
        return next(iter(self.scopes.values()), None)

    @property
    def regions(self) -> Regions:
        return self.scope.regions if self.scope else Regions()

    def __getitem__(self, pattern: str) -> Regions:
        """The regions that a pattern of regions.include selects, as the program
        matches it: `decode/*.mlp`, `regex:^step`, `domain@name`; `A` is A with its
        inner regions. KeyError with hints where there is none.
        """
        if pattern not in self._found:
            answer = json.loads(call(["filter", "--quiet", "--format", "json",
                                      "--", pattern, *self.paths]))
            wanted = {tuple(path) for path in answer["regions"]}
            found = Regions(r for r in self.regions if r.path in wanted)
            if not found:
                reasons = [answer["error"]] if answer["error"] else answer["hints"]
                raise KeyError(f"no region matches {pattern!r}: "
                               + "; ".join(reasons))
            self._found[pattern] = found
        return self._found[pattern]

    def __iter__(self) -> Iterator[Region]:
        return iter(self.regions)

    def region(self, path: str | Sequence[str]) -> Region:
        """The one region of this path: its names, or these joined by `/`."""
        for region in self.regions:
            if path in (str(region), region.path) or (
                    not isinstance(path, str) and tuple(path) == region.path):
                return region
        raise KeyError(f"no region has the path {path!r}")

    def explain(self, **config: object) -> str:
        """All causes with their savings, and the wall time by parts, as text."""
        return self._call("explain", "--color", "never", config=config)

    def page(self, height: int = 800) -> html.Page:
        """The HTML page of the run, in a frame of so many pixels."""
        return html.Page(self._call("show", "--format", "html"), height)

    def _call(self, *words: str, config: Mapping[str, object] = {}) -> str:
        return call([*words, "--quiet", *self.paths, *self._words,
                     *overrides(config)]).decode("utf-8", "replace")

    @cached_property
    def _database(self) -> Path:
        database = call(["show", "--quiet", "--format", "sqlite", *self.paths,
                         *self._words])
        folder = tempfile.mkdtemp(prefix="rangefinder.")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        file = Path(folder, "run.sqlite")
        file.write_bytes(database)
        return file

    def _select(self, table: str, scope: str | None = None, **equal: str
                ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Columns and rows; `equal` are values of columns."""
        if scope is not None and scope not in self.scopes:
            raise KeyError(f"no scope {scope!r}; there are: "
                           + ", ".join(self.scopes))
        name = TABLES.get(table, table)
        with closing(sqlite3.connect(self._database)) as database:
            known = {row[0] for row in database.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
            if name not in known:
                raise KeyError(f"no table {table!r}; there are: "
                               + ", ".join(sorted(known | set(TABLES))))
            columns = [row[1] for row in database.execute(
                f'PRAGMA table_info("{name}")')]
            if "scope" in columns and self.scopes:
                equal["scope"] = scope or next(iter(self.scopes))
            where = "".join(f" AND {column} = ?" for column in equal)
            return columns, database.execute(
                f'SELECT * FROM "{name}" WHERE 1{where}',
                list(equal.values())).fetchall()

    def rows(self, table: str, scope: str | None = None) -> list[Row]:
        """A table as objects, such as `run.rows("launches")[0].duration_ns`.

        `table` is one of TABLES or any of docs/tables.md; `scope` is the name of
        one, or None for the first. Units are in the names; absent is None.
        """
        columns, rows = self._select(table, scope)
        return [Row(**dict(zip(columns, row))) for row in rows]

    def frame(self, table: str, scope: str | None = None) -> pandas.DataFrame:
        """A table as a DataFrame: regions, kernels, launches, instances, metrics,
        ranks, late_ranks, notes, causes, or any table of docs/tables.md.

        `.attrs["units"]` has the unit of each column that has one; of metrics
        the column `unit` has it. Absent numbers are NaN, and the column `reason`
        says why. Needs pandas.
        """
        if table == "causes":
            names = [f.name for f in fields(Cause)]
            return self._frame(names, [
                tuple(getattr(cause, name) for name in names)
                for cause in self.causes])
        return self._frame(*self._select(table, scope))

    def metric(self, name: str, part: str = "inclusive") -> pandas.DataFrame:
        """One metric of all regions, by path: value, standard error, 95 %
        interval (low, high), how, reason. `.attrs["units"]` has its unit. `part`
        is inclusive or exclusive. Needs pandas.
        """
        if name not in self.metrics:
            raise KeyError(f"no metric {name!r}; there are: "
                           + ", ".join(list(self.metrics)[:30]))
        frame = self._frame(*self._select("metrics", metric=name, part=part))
        frame = frame[frame["region"].notna() & frame["kernel"].isna()][
            ["region", "value", "standard_error", "low", "high", "how", "bound",
             "reason"]]
        unit = self.metrics[name].unit
        frame.attrs["units"] = dict.fromkeys(
            ("value", "standard_error", "low", "high"), unit)
        frame.attrs["metric"] = name
        return frame.set_index("region")

    def _frame(self, columns: Sequence[str],
               rows: Sequence[tuple[Any, ...]]) -> pandas.DataFrame:
        import pandas
        frame = pandas.DataFrame.from_records(rows, columns=list(columns))
        for column in columns:  # a column without numbers stays NaN, not None
            if frame[column].isna().all() and column.endswith(tuple(_UNITS)):
                frame[column] = frame[column].astype(float)
        frame.attrs["units"] = {
            column: unit for column in columns
            for end, unit in _UNITS.items() if column.endswith(end)}
        frame.attrs["run"] = self.paths
        return frame

    def __repr__(self) -> str:
        return (f"<rangefinder.Run {', '.join(self.paths)}: "
                f"{len(self.regions)} regions>")

    def _repr_html_(self) -> str:
        return html.run(self)


def load(*paths: StrPath, **config: object) -> Run:
    """A recorded run: a run directory, .ncu-rep, trace, summary, report.json,
    or an export of Nsight Systems; several paths are one run, as of `show`.

    `config` are keys of the configuration, such as
    `regions={"include": ["decode*"]}` (docs/python.md).
    Raises RangefinderError with the program's message where a file is damaged or
    foreign (status 5), and FileNotFoundError.
    """
    if not paths:
        raise TypeError("load() needs the path of a run")
    files, words = [existing(path) for path in paths], overrides(config)
    answer = call(["show", "--quiet", "--format", "json", *files, *words])
    return Run(files, parsed(answer, SCHEMA, ", ".join(files)), words)
