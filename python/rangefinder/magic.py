"""`%%rangefinder` and `%rangefinder` of IPython and notebooks."""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from .actions import profile
from .diff import diff
from .run import load

USAGE = """%%rangefinder [KEY=VALUE…]   profiles the cell as a program of its own
%rangefinder load RUN…          shows a run
%rangefinder diff BASE NEW      compares two runs"""


def cell_magic(line: str, cell: str) -> Any:
    """Runs the cell in a new Python process under the profiler; returns the run.

    The process starts in this folder, and has no variables of the notebook.
    """
    with tempfile.TemporaryDirectory(prefix="rangefinder.") as folder:
        file = Path(folder, "cell.py")
        file.write_text(cell, encoding="utf-8")
        return profile([sys.executable, file], words=shlex.split(line))


def line_magic(line: str) -> Any:
    """`load RUN…` or `diff BASE NEW`; returns the run or the comparison."""
    words = shlex.split(line)
    if words[:1] == ["load"] and len(words) > 1:
        return load(*words[1:])
    if words[:1] == ["diff"] and len(words) == 3:
        return diff(words[1].split(","), words[2].split(","))
    raise ValueError(f"usage:\n{USAGE}")


def load_ipython_extension(shell: Any) -> None:
    """For `%load_ext rangefinder`."""
    shell.register_magic_function(line_magic, "line", "rangefinder")
    shell.register_magic_function(cell_magic, "cell", "rangefinder")
