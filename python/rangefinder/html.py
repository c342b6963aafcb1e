"""Numbers with units, and small tables for notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diff import Diff
    from .run import Region, Run, Value

ABSENT = "–"
MOST_ROWS = 30
_PREFIXES = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]


def time(ns: float | None) -> str:
    """A time in ns with the unit that fits; – where it is not known."""
    if ns is None or math.isnan(ns):
        return ABSENT
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(ns) >= size:
            return f"{ns / size:.4g} {unit}"
    return f"{ns:.4g} ns"


def value(cell: Value) -> str:
    """A value with its error, both in one unit; a text or – as it is."""
    number = cell.value
    if number is None:
        return ABSENT
    if isinstance(number, str):
        return number
    scale, prefix = 1.0, ""
    if cell.unit != "%":
        scale, prefix = next(((size, sign) for size, sign in _PREFIXES
                              if abs(number) >= size), (1.0, ""))
    unit = (cell.unit.replace("byte", prefix + "B", 1)
            if cell.unit.startswith("byte") else f"{prefix} {cell.unit}".strip())
    unit = f" {unit}" if unit else ""
    error = (cell.standard_error or 0) / scale
    if not error > 0 or not math.isfinite(error):
        sign = {"upper": "≤ ", "lower": "≥ "}.get(cell.bound or "", "")
        return f"{sign}{number / scale:.4g}{unit}"
    digits = max(0, 1 - math.floor(math.log10(error)))  # two of the error
    return f"{number / scale:.{digits}f} ± {error:.{digits}f}{unit}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table; every text is escaped."""
    def line(tag: str, cells: Sequence[str]) -> str:
        return "<tr>" + "".join(
            f'<{tag} style="text-align:{"left" if at == 0 else "right"}">'
            f"{escape(cell)}</{tag}>" for at, cell in enumerate(cells)) + "</tr>"
    return ("<table><thead>" + line("th", head) + "</thead><tbody>"
            + "".join(line("td", row) for row in rows) + "</tbody></table>")


def _more(count: int) -> str:
    hidden = count - MOST_ROWS
    return f"<p>{hidden} more</p>" if hidden > 0 else ""


def regions(found: Sequence[Region]) -> str:
    return table(
        ["region", "wall time", "GPU time", "own GPU time", "launches",
         "instances", "cause"],
        ([(" " * (2 * r.depth)) + r.name, time(r.wall_ns), time(r.gpu_time_ns),
          time(r.own_gpu_time_ns), ABSENT if r.launches is None else f"{r.launches:,}",
          f"{r.instances:,}", r.cause.kind if r.cause else ABSENT]
         for r in found[:MOST_ROWS])) + _more(len(found))


def region(found: Region) -> str:
    text = f"<b>{escape(str(found))}</b>: wall time {time(found.wall_ns)}, " \
        f"GPU time {time(found.gpu_time_ns)}"
    if found.reason:
        text += f" ({escape(found.reason)})"
    if found.cause:
        text += (f"<p>{escape(found.cause.kind)}: {escape(found.cause.text)}; at "
                 f"stake {time(found.cause.saves_ns)}</p>")
    cells = list(found.metrics.items())
    return text + table(["metric", "value", "how"], (
        [name, value(cell), cell.how] for name, cell in cells[:MOST_ROWS]
    )) + _more(len(cells))


def run(found: Run) -> str:
    causes = "".join(
        f"<li>{escape(cause.text)}<br>{'to do' if cause.certain else 'next'}: "
        f"{escape(cause.next)}</li>" for cause in found.causes)
    notes = "".join(f"<li>{escape(note.severity)}: {escape(note.text)}</li>"
                    for note in found.notes)
    title = escape(", ".join(found.paths))
    headline = escape(found.scope.headline) if found.scope else "nothing"
    return (f"<b>{title}</b>: {headline}<ul>{causes}</ul>"
            + regions(found.regions) + (f"<ul>{notes}</ul>" if notes else ""))


def diff(found: Diff) -> str:
    caveats = "".join(f"<li>{escape(text)}</li>" for text in found.caveats)
    rows = [r for r in found.regions if r.verdict != "SAME"] or found.regions[:1]
    return f"<b>{escape(found.summary)}</b><ul>{caveats}</ul>" + table(
        ["region", "verdict", "base", "new", "ratio", "why"],
        ([r.path, r.verdict, time(r.base_median_ns), time(r.new_median_ns),
          ABSENT if r.ratio is None else f"{r.ratio:.3f}", r.why or ""]
         for r in rows[:MOST_ROWS])) + _more(len(rows))


@dataclass(frozen=True)
class Page:
    """A whole HTML page, shown in a frame of `height` pixels."""

    content: str
    height: int

    def _repr_html_(self) -> str:
        # The page has scripts of its own; it cannot reach the notebook.
        return (f'<iframe sandbox="allow-scripts" width="100%" '
                f'height="{int(self.height)}" srcdoc="{escape(self.content)}">'
                "</iframe>")
