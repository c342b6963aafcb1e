#!/usr/bin/env python3
"""What a package has beside the program, made from the program's own words:

    package_texts.py PROGRAM CHANGELOG MAINTAINER FOLDER

rangefinder.1.gz, the manual page, is what --help says of the program and of
each command; rangefinder.bash and _rangefinder are what `completion` prints;
changelog.gz has CHANGELOG's versions in Debian's form. The same program gives
the same bytes; SOURCE_DATE_EPOCH is the day of what is not released.
"""
import datetime
import email.utils
import gzip
import os
import pathlib
import re
import subprocess
import sys

HEADING = re.compile(r"(?:\[Option Group: )?([A-Z][\w ]*)\]?:$")
ENTRY = re.compile(r"  (\S.*?)(?: {2,}(\S.*))?$")
MORE = re.compile(r" {8,}(\S.*)$")


def run(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True,
                          encoding="utf-8").stdout


def parse(text):
    """The help text's paragraphs, usage, and sections of (term, text)."""
    about, usage, sections = [], "", []
    for line in text.splitlines():
        if not line.strip():
            continue
        if line.startswith("Usage:"):
            usage = line.removeprefix("Usage:").strip()
        elif match := HEADING.match(line):
            sections.append((match[1], []))
        elif sections and sections[-1][1] and (match := MORE.match(line)):
            term, said = sections[-1][1][-1]
            sections[-1][1][-1] = (term, f"{said} {match[1]}".strip())
        elif sections and (match := ENTRY.match(line)):
            sections[-1][1].append((match[1].strip(), match[2] or ""))
        else:
            about.append(line.strip())
    return about, usage, sections


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def entries(rows):
    lines = []
    for term, text in rows:
        lines += [".TP", f"\\fB{roff(term)}\\fR", roff(text) or "\\&"]
    return lines


def manual(program):
    about, usage, sections = parse(run(program, "--help"))
    version = run(program, "--version").split()[1]
    what = about[0].split(":")[0].rstrip(".")
    page = [f'.TH RANGEFINDER 1 "" "rangefinder {version}" "User Commands"',
            ".SH NAME",
            f"rangefinder \\- {roff(what[0].lower() + what[1:])}",
            ".SH SYNOPSIS", f".B {roff(usage)}", ".SH DESCRIPTION"]
    for paragraph in about:
        page += [".PP", roff(paragraph)]
    commands = []
    for heading, rows in sections:
        page += [f".SH {heading.upper()}", *entries(rows)]
        if "command" in heading.lower():
            commands += [term.split()[0] for term, _ in rows]
    if not commands:
        sys.exit(f"{program} --help lists no commands")
    for command in commands:
        about, usage, sections = parse(run(program, command, "--help"))
        page += [f".SH RANGEFINDER {command.upper()}", f".B {roff(usage)}"]
        for paragraph in about:
            page += [".PP", roff(paragraph)]
        for _, rows in sections:
            page += entries(rows)
    page += [".SH SEE ALSO", ".BR ncu (1),", ".BR nsys (1)"]
    return "\n".join(page) + "\n"


def debian_changelog(changelog, maintainer):
    now = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
    text = ""
    for version, day in re.findall(r"^## ([\d.]+) - (\S+)$", changelog, re.M):
        try:
            date = datetime.datetime.fromisoformat(day)
            date = date.replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            date = datetime.datetime.fromtimestamp(now, datetime.timezone.utc)
        text += (f"rangefinder ({version}) unstable; urgency=medium\n\n"
                 f"  * Version {version}, see CHANGELOG.md.\n\n"
                 f" -- {maintainer}  {email.utils.format_datetime(date)}\n\n")
    return text


def pack(path, text):
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main():
    program, changelog, maintainer, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # A path alone: without a slash it would be looked for on PATH.
    program = str(pathlib.Path(program).resolve())
    pack(folder / "rangefinder.1.gz", manual(program))
    pack(folder / "changelog.gz",
         debian_changelog(pathlib.Path(changelog).read_text(), maintainer))
    (folder / "rangefinder.bash").write_text(run(program, "completion", "bash"))
    (folder / "_rangefinder").write_text(run(program, "completion", "zsh"))


main()
