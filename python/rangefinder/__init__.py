"""Rangefinder in Python: run it, and read its runs.

    run = rangefinder.load("RUN")
    run["decode/*.mlp"]
    run.frame("regions")

Every number comes from the program `rangefinder`, and keeps its unit and its
error. Needs the standard library alone; DataFrames need pandas.
"""

__version__ = "0.3.0"

from .actions import compare, profile, report, summarize
from .annotate import annotate
from .command import (BinaryNotFound, FormatError, NothingMeasured,
                      RangefinderError)
from .diff import Change, Diff, diff
from .live import window
from .magic import load_ipython_extension
from .run import (Cause, Kernel, LateRank, Metric, Note, Rank, Region, Regions,
                  Run, Scope, Value, load)

__all__ = [
    "BinaryNotFound", "Cause", "Change", "Diff", "FormatError", "Kernel",
    "LateRank", "Metric", "Note", "NothingMeasured", "RangefinderError", "Rank",
    "Region", "Regions", "Run", "Scope", "Value", "annotate", "compare", "diff",
    "load", "load_ipython_extension", "profile", "report", "summarize",
    "window"]
