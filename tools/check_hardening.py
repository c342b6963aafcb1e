#!/usr/bin/env python3
"""Checks with readelf (of binutils) that programs and libraries are hardened:
position-independent, full RELRO, no executable stack, no segment that is
writable and executable. --released adds the checks of released files: compiled
with the stack protector and FORTIFY, no libraries but glibc's, and no symbol of
glibc newer than the version GLIBC.

  check_hardening.py [--released GLIBC] FILE...
"""
import argparse
import re
import subprocess
import sys

GLIBC = re.compile(r"(lib(c|m|dl|rt|pthread|resolv)|ld-linux-[\w-]+)\.so\.\d+")


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], check=True,
                          capture_output=True, text=True).stdout


def complaints(path, released):
    """Yields each defect of `path`, as a sentence without its subject."""
    header, segments = readelf("-h", path), readelf("-l", path)
    dynamic, symbols = readelf("-d", path), readelf("--dyn-syms", path)
    if not re.search(r"Type:\s+DYN", header):
        yield "is not position-independent"
    if "GNU_RELRO" not in segments:
        yield "has no RELRO segment"
    if not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        yield "binds functions lazily, so its RELRO is partial"
    stack = re.search(r"GNU_STACK.*", segments)
    if stack is None or "E" in stack[0].split()[-2]:
        yield "has an executable stack"
    if re.search(r"LOAD.* RWE ", segments):
        yield "has a segment that is writable and executable"
    if released:
        yield from released_complaints(released, dynamic, symbols)


def released_complaints(newest, dynamic, symbols):
    if "__stack_chk_fail" not in symbols:
        yield "is compiled without the stack protector"
    if not re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
        yield "is compiled without FORTIFY"
    for library in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
        if not GLIBC.fullmatch(library):
            yield f"needs {library}, which is not part of glibc"
    for symbol, version in re.findall(r"(\w+)@GLIBC_([\d.]+)", symbols):
        if as_numbers(version) > as_numbers(newest):
            yield f"needs glibc {version} for {symbol}: newer than {newest}"


def as_numbers(version):
    return [int(number) for number in version.split(".")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--released", metavar="GLIBC")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    found = [f"{path} {complaint}" for path in options.files
             for complaint in complaints(path, options.released)]
    for line in found:
        print(f"check_hardening: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
