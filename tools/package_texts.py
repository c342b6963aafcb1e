#!/usr/bin/env python3
"""What a package has beside the program, made from the program's own words:

    package_texts.py CHANGELOG MAINTAINER FOLDER [EMULATOR...] PROGRAM

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

HEADING = re.compile(r"([A-Z][\w ]*):$")
ENTRY = re.compile(r"  (\S.*?)(?: {2,}(\S.*))?$")
MORE = re.compile(r" {6,}(\S.*)$")


def run(program, *words):
    # As wide as help gets, so that no term has to break.
    return subprocess.run([*program, *words], check=True, capture_output=True,
                          encoding="utf-8",
                          env=os.environ | {"COLUMNS": "100"}).stdout


def parse(text):
    """The help text's paragraphs, usage, and sections of (term, text)."""
    paragraphs, usage, sections = [[]], "", []
    section = None
    for line in text.splitlines():
        if not line.strip():
            paragraphs.append([])
            section = None
        elif line.startswith("Usage:"):
            usage = line.removeprefix("Usage:").strip()
        elif match := HEADING.match(line):
            section = []
            sections.append((match[1], section))
        elif section and (match := MORE.match(line)):
            term, said = section[-1]
            section[-1] = (term, f"{said} {match[1]}".strip())
        elif section is not None and (match := ENTRY.match(line)):
            section.append((match[1].strip(), match[2] or ""))
        else:
            paragraphs[-1].append(line.strip())
    return [" ".join(lines) for lines in paragraphs if lines], usage, sections


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    # In ASCII, so that no locale can spoil it.
    text = re.sub(r"[^\x00-\x7f]", lambda c: f"\\[u{ord(c[0]):04X}]", text)
    return "\\&" + text if text[:1] == "." else text


def entries(rows):
    lines = []
    for term, text in rows:
        lines += [".TP", f"\\fB{roff(term)}\\fR", roff(text) or "\\&"]
    return lines


def manual(program):
    paragraphs, usage, sections = parse(run(program, "--help"))
    version = run(program, "--version").split()[1]
    page = [f'.TH RANGEFINDER 1 "" "rangefinder {version}" "User Commands"',
            ".SH NAME",
            "rangefinder \\- profiles a CUDA program by its NVTX regions",
            ".SH SYNOPSIS", f".B {roff(usage)}", ".SH DESCRIPTION"]
    for paragraph in paragraphs:
        page += [".PP", roff(paragraph)]
    commands = []
    for heading, rows in sections:
        page += [f".SH {heading.upper()}", *entries(rows)]
        if heading == "Commands":
            commands = [term for term, _ in rows]
    if not commands:
        sys.exit(f"{program[-1]} --help lists no commands")
    for command in commands:
        paragraphs, usage, sections = parse(run(program, command, "--help"))
        page += [f".SH RANGEFINDER {command.upper()}", f".B {roff(usage)}"]
        for paragraph in paragraphs:
            page += [".PP", roff(paragraph)]
        for heading, rows in sections:
            # Said once, of the program.
            if heading != "Options of every command":
                page += [f".SS {heading}", *entries(rows)]
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
    changelog, maintainer, folder, *program = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # A path alone: without a slash it would be looked for on PATH.
    program[-1] = str(pathlib.Path(program[-1]).resolve())
    pack(folder / "rangefinder.1.gz", manual(program))
    pack(folder / "changelog.gz",
         debian_changelog(pathlib.Path(changelog).read_text(), maintainer))
    (folder / "rangefinder.bash").write_text(run(program, "completion", "bash"))
    (folder / "_rangefinder").write_text(run(program, "completion", "zsh"))


main()
