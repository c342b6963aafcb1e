"""A comparison of two runs, as `rangefinder diff` decides it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import html
from .command import FormatError, StrPath, call, existing, overrides
from .run import parsed, read

if TYPE_CHECKING:
    import pandas

SCHEMA = "rangefinder.diff/1"


@dataclass(frozen=True)
class Change:
    """A region in both runs; times are medians in ns, None on a side without it.

    `verdict` is SAME, FASTER, SLOWER, AMBIGUOUS, NEW, GONE, RENAMED or
    INCOMPARABLE, and `why` its reason. `ratio` is new / base, `interval` its
    95 % interval, or None with too few runs. `per_instance`: the times are of
    one instance, else of a run. `document` has launches, kernels and counters.
    """

    path: str
    verdict: str
    why: str | None
    base_median_ns: float | None
    new_median_ns: float | None
    ratio: float | None
    interval: Sequence[float] | None
    per_instance: bool
    document: Mapping[str, Any] = field(repr=False, compare=False)


class Diff:
    """What changed from base to new: `regions`, the whole run first.

    `gate_passed` is None where no gate was asked for; `crossings` say where it
    failed. `document` is the JSON of `rangefinder diff` (docs/diff.schema.json).
    """

    def __init__(self, document: dict[str, Any], origin: str,
                 words: Sequence[str] = (), cwd: StrPath | None = None) -> None:
        self.document = document
        self._words, self._cwd = list(words), cwd
        try:
            self.summary: str = document["summary"]
            self.caveats: list[str] = [c["text"] for c in document["caveats"]]
            gate = document["gate"]
            self.gate_passed: bool | None = (
                gate["passed"] if gate["asked"] else None)
            self.crossings: list[str] = [c["text"] for c in gate["crossings"]]
            self.regions = [
                read(Change, {**r, **r["time"]}, document=r)
                for r in document["regions"]]
        except (KeyError, TypeError) as error:
            raise FormatError(f"{origin}: the comparison has an unknown form: "
                              f"{error!r}") from error

    def __getitem__(self, path: str) -> Change:
        """The change of the region of this path, its names joined by `/`."""
        for change in self.regions:
            if change.path == path:
                return change
        raise KeyError(f"no region has the path {path!r}")

    def page(self, height: int = 800) -> html.Page:
        """The HTML page of the comparison, in a frame of so many pixels."""
        sides = [",".join(self.document[side]["runs"]) for side in ("base", "new")]
        return html.Page(
            call(["diff", "--quiet", "--format", "html", *sides, *self._words],
                 cwd=self._cwd).decode("utf-8", "replace"), height)

    def frame(self) -> pandas.DataFrame:
        """The regions as a DataFrame; units in `.attrs["units"]`. Needs pandas."""
        import pandas
        fields = [name for name in Change.__dataclass_fields__
                  if name not in ("document", "interval")]
        frame = pandas.DataFrame.from_records(
            [[getattr(change, name) for name in fields]
             + list(change.interval or (None, None)) for change in self.regions],
            columns=[*fields, "ratio_low", "ratio_high"])
        numbers = ["base_median_ns", "new_median_ns", "ratio", "ratio_low", "ratio_high"]
        frame[numbers] = frame[numbers].astype(float)
        frame.attrs["units"] = dict.fromkeys(numbers[:2], "ns")
        return frame

    def __repr__(self) -> str:
        return f"<rangefinder.Diff {self.summary}>"

    def _repr_html_(self) -> str:
        return html.diff(self)


def read_diff(arguments: Sequence[str], origin: str, **options: Any) -> Diff:
    """The answer of `diff` or `compare`; a crossed gate (status 8) is no error."""
    answer = call([*arguments[:1], "--format", "json", *arguments[1:]],
                  allowed=(0, 8), **options)
    return Diff(parsed(answer, SCHEMA, origin), origin)


def _side(paths: StrPath | Sequence[StrPath]) -> str:
    runs = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    names = [existing(path) for path in runs]
    if not names or (len(names) > 1 and "," in "".join(names)):
        raise ValueError(f"no list of runs, without commas in their paths: {names}")
    return ",".join(names)


def diff(base: StrPath | Sequence[StrPath], new: StrPath | Sequence[StrPath], *,
         gate: bool = False, **config: object) -> Diff:
    """Compares two runs, or several runs a side; five decide about times.

    With `gate`, `gate_passed` says whether a region got worse than
    `diff.gate` allows. Runs that cannot be compared raise RangefinderError
    (status 2) with the reason.
    """
    words = ["diff", *(["--gate"] if gate else []), "--quiet", _side(base),
             _side(new), *overrides(config)]
    return read_diff(words, f"diff {base} {new}")
