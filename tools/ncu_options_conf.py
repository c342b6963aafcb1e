#!/usr/bin/env python3
"""Writes conf/profiling/ncu_cli/options.yaml from src/capture/ncu_options.tsv.

Every option of ncu as a key, unset, so that `key=value` reaches it without a
`+`. With --check, says whether the file is up to date.
"""
import csv
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
# Keys of maps of our own, and options that are no setting (docs/configuration.md).
own = {"nvtx", "metrics", "set", "replay-mode", "export"}
reserved = {"help", "version", "mode", "import", "log-file", "open-in-ui",
            "list-chips", "list-metrics", "list-rules", "list-sections",
            "list-sets", "query-metrics"}

lines = [
    "# Every option of ncu by its long name with underscores; null: not passed.",
    "# Made by tools/ncu_options_conf.py from src/capture/ncu_options.tsv.",
    "replay_mode: kernel",
    "nvtx:",
    "  include: null",
    "  exclude: null",
    "  native: false",
    "set: null",
    "sections: null",
    "metrics: null",
    "export:",
    "  csv: true",
]
group = None
with open(root / "src/capture/ncu_options.tsv", newline="") as table:
    for row in csv.DictReader(table, delimiter="\t"):
        if row["long"] in own or row["long"] in reserved:
            continue
        if row["group"] != group:
            group = row["group"]
            lines.append(f"# {group}")
        lines.append(f"{row['long'].replace('-', '_')}: null")
text = "\n".join(lines) + "\n"
path = root / "conf/profiling/ncu_cli/options.yaml"
if "--check" in sys.argv:
    if path.read_text() != text:
        print(f"{path.relative_to(root)} is not what {sys.argv[0]} makes")
        sys.exit(1)
else:
    path.write_text(text)
