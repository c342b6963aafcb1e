#!/usr/bin/env python3
"""Validates documents against the schema that they name: report.json files
docs/report.schema.json, those of `diff --format json` docs/diff.schema.json.

  tools/validate_report.py FILE...

Prints each violation with its place, and fails if there is one. Needs Debian's
python3-jsonschema; exit status 77 without it.
"""

import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("validate_report: no jsonschema module: SKIPPED", file=sys.stderr)
    sys.exit(77)

DOCS = pathlib.Path(__file__).parent.parent / "docs"
SCHEMAS = {
    "rangefinder.report/2": "report.schema.json",
    "rangefinder.diff/1": "diff.schema.json",
}


def validator_of(name):
    schema = json.loads((DOCS / name).read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)
    return validator


def main(paths):
    validators = {}
    failed = 0
    for path in paths:
        document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        name = SCHEMAS.get(document.get("schema"), "report.schema.json")
        if name not in validators:
            validators[name] = validator_of(name)
        validator = validators[name]
        for error in validator.iter_errors(document):
            place = "/".join(str(step) for step in error.absolute_path)
            print(f"{path}: {place}: {error.message[:300]}", file=sys.stderr)
            failed += 1
    print(f"{len(paths)} documents, {failed} violations")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
