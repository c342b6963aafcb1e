#!/usr/bin/env python3
"""The bill of materials of an archive, as SPDX 2.3 in JSON:

    sbom.py ARCHIVE VERSION PACKAGES FOLDER >OUTPUT

PACKAGES is the packages.tsv of scripts/sysroot.sh, with a line for each package
of Debian: name, version, architecture, source and its version. FOLDER is the
unpacked ARCHIVE. SOURCE_DATE_EPOCH is the time of its making.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

# Packages of the sysroot that do not get into the files.
NOT_LINKED = {"libc6-dev", "linux-libc-dev", "libgtest-dev", "libgmock-dev",
              "libgcc-s1"}
PROGRAMS = ("bin/rangefinder", "lib/rangefinder/librangefinder_inject.so")


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^a-zA-Z0-9.-]", "-", name)


def checksums(path, *algorithms):
    data = path.read_bytes()
    return [{"algorithm": algorithm.upper(),
             "checksumValue": hashlib.new(algorithm, data).hexdigest()}
            for algorithm in algorithms]


def package(name, version, **more):
    return {"SPDXID": identifier("Package-" + name), "name": name,
            "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            **more}


def of_debian(line):
    name, version, architecture, source, source_version = line.split("\t")
    # The characters that a version of Debian has and a package URL reserves.
    escaped = version.replace("+", "%2B").replace(":", "%3A")
    return package(
        name, version, supplier="Organization: Debian",
        primaryPackagePurpose="LIBRARY",
        sourceInfo=f"Debian source package {source} {source_version}; licences "
                   "are in share/doc/rangefinder/copyright of the archive",
        externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator":
                f"pkg:deb/debian/{name}@{escaped}?arch={architecture}"}])


def document(archive, version, lines, folder, created):
    product = package(
        "rangefinder", version, packageFileName=archive.name,
        supplier="Organization: Rangefinder maintainers",
        primaryPackagePurpose="APPLICATION",
        checksums=checksums(archive, "sha256"),
        licenseDeclared="Apache-2.0")
    files = [{"SPDXID": identifier("File-" + name), "fileName": "./" + name,
              "fileTypes": ["BINARY"], "licenseConcluded": "NOASSERTION",
              "copyrightText": "NOASSERTION",
              "checksums": checksums(folder / name, "sha1", "sha256")}
             for name in PROGRAMS]
    libraries = [of_debian(line) for line in lines
                 if line.split("\t")[0] not in NOT_LINKED]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", product["SPDXID"])]
    relations += [(product["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    relations += [(product["SPDXID"], "DYNAMIC_LINK" if library["name"] == "libc6"
                   else "STATIC_LINK", library["SPDXID"]) for library in libraries]
    digest = product["checksums"][0]["checksumValue"]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": archive.name,
        "documentNamespace": f"https://rangefinder.invalid/spdx/{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: rangefinder-sbom.py"]},
        "packages": [product, *libraries], "files": files,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind,
             "relatedSpdxElement": other} for one, kind, other in relations]}


def main(archive, version, packages, folder):
    created = datetime.datetime.fromtimestamp(
        int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    lines = pathlib.Path(packages).read_text(encoding="utf-8").splitlines()
    json.dump(document(pathlib.Path(archive), version, lines,
                       pathlib.Path(folder), created), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
