#!/usr/bin/env python3
"""Checks that a file is a document of SPDX 2.3 in JSON with what the standard
requires: the fields of document, packages and files, identifiers that are unique,
relations between what is there, and every package and file in a relation.

    check_spdx.py FILE...
"""
import json
import pathlib
import re
import sys

ID = re.compile(r"SPDXRef-[a-zA-Z0-9.-]+")
# Of each kind of element: the fields that it must have and their form.
DOCUMENT = {"spdxVersion": r"SPDX-2\.3", "dataLicense": r"CC0-1\.0",
            "SPDXID": "SPDXRef-DOCUMENT", "name": r".+",
            "documentNamespace": r"[a-z][a-z0-9+.-]*://[^#\s]+"}
PACKAGE = {"SPDXID": ID.pattern, "name": r".+",
           "downloadLocation": r"NOASSERTION|NONE|[a-z+]+://\S+"}
FILE = {"SPDXID": ID.pattern, "fileName": r"\./.+"}
DIGITS = {"SHA1": 40, "SHA256": 64}


def lacks(what, element, fields):
    for field, form in fields.items():
        if not re.fullmatch(form, str(element.get(field, ""))):
            yield f"{what}: {field} is {element.get(field)!r}"


def checksum_complaints(what, element, needed):
    sums = {one["algorithm"]: one["checksumValue"]
            for one in element.get("checksums", [])}
    for algorithm in needed - sums.keys():
        yield f"{what}: no {algorithm}"
    for algorithm, value in sums.items():
        if not re.fullmatch(f"[0-9a-f]{{{DIGITS.get(algorithm, 1)}}}", value):
            yield f"{what}: {algorithm} is {value!r}"


def complaints(document):
    """What is wrong, as sentences."""
    yield from lacks("document", document, DOCUMENT)
    creation = document.get("creationInfo", {})
    yield from lacks("creationInfo", creation,
                     {"created": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"})
    creators = creation.get("creators", [])
    if not creators or not all(
            re.match(r"(Tool|Person|Organization): \S", one) for one in creators):
        yield f"creationInfo: creators are {creators}"
    packages, files = document.get("packages", []), document.get("files", [])
    for package in packages:
        yield from lacks(package.get("name"), package, PACKAGE)
        yield from checksum_complaints(package.get("name"), package, set())
        # Else a code over all files is required.
        if package.get("filesAnalyzed", True):
            yield f"{package.get('name')}: filesAnalyzed is not false"
    for file in files:
        yield from lacks(file.get("fileName"), file, FILE)
        yield from checksum_complaints(file.get("fileName"), file, {"SHA1"})
    ids = [element.get("SPDXID") for element in (document, *packages, *files)]
    for one in sorted({str(one) for one in ids if ids.count(one) > 1}):
        yield f"{one} is there twice"
    relations = document.get("relationships", [])
    ends = {relation[end] for relation in relations
            for end in ("spdxElementId", "relatedSpdxElement")}
    yield from (f"{one} is in a relation and not there"
                for one in sorted(ends - set(ids)))
    yield from (f"{one} is in no relation" for one in ids if one not in ends)
    if not any(relation["relationshipType"] == "DESCRIBES"
               for relation in relations):
        yield "the document describes nothing"


def main(paths):
    found = [f"{path}: {complaint}" for path in paths for complaint in complaints(
        json.loads(pathlib.Path(path).read_text(encoding="utf-8")))]
    for line in found:
        print(f"check_spdx: {line}", file=sys.stderr)
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
