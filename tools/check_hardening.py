#!/usr/bin/env python3
"""Checks that programs and libraries are hardened: position-independent, full
RELRO, no executable stack; with --compiler also the stack protector and
FORTIFY. Asks readelf, of binutils.

  check_hardening.py [--compiler] FILE...
"""
import re
import subprocess
import sys


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], check=True,
                          capture_output=True, text=True).stdout


def complaints(path, compiler):
    """What `path` lacks, as sentences."""
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
    if compiler and "__stack_chk_fail" not in symbols:
        yield "is compiled without the stack protector"
    if compiler and not re.search(r"__\w+_chk\b", symbols.replace(
            "__stack_chk_fail", "")):
        yield "is compiled without FORTIFY"


def main(arguments):
    compiler = "--compiler" in arguments
    files = [one for one in arguments if one != "--compiler"]
    found = [f"{path} {complaint}" for path in files
             for complaint in complaints(path, compiler)]
    for line in found:
        print(f"check_hardening: {line}", file=sys.stderr)
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
