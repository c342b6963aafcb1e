"""Calls of the program `rangefinder`: its place, its overrides, its errors."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Union

StrPath = Union[str, "os.PathLike[str]"]

_MEANINGS = {
    1: "failed",
    2: "usage or configuration",
    3: "the profiled program failed",
    4: "the profiler is missing, refused or failed",
    5: "a file is not what it claims to be",
    6: "the file is intact but not supported by this version",
    7: "the operating system refused",
    8: "a gate was crossed",
}


class RangefinderError(Exception):
    """A call of `rangefinder` failed.

    `status` is its exit status (docs/running.md), or None where the program was
    not started; `message` is its own message; `command` its argument list.
    """

    def __init__(self, message: str, status: int | None = None,
                 command: Sequence[str] = ()) -> None:
        self.message, self.status = message, status
        self.command = tuple(command)
        meaning = "" if status is None else (
            f" (status {status}: {_MEANINGS.get(status, 'unknown')})")
        super().__init__(message + meaning)


class BinaryNotFound(RangefinderError):
    """There is no program `rangefinder` to call."""


class FormatError(RangefinderError):
    """A file or an answer is not the document that it should be."""


class NothingMeasured(RangefinderError):
    """The profiled program ran, and no region and no kernel was seen.

    `path` is the run directory.
    """

    path: Path


def find_binary() -> str:
    """The path of the program: of this wheel, else `$RANGEFINDER`, else in PATH."""
    own = shutil.which(os.path.join(os.path.dirname(__file__), "bin",
                                    "rangefinder"))
    if own:
        return own
    named = os.environ.get("RANGEFINDER")
    found = shutil.which(named or "rangefinder")
    if found is None and named:
        raise BinaryNotFound(
            f"RANGEFINDER names {named!r}, which is no program that can run")
    if found is None:
        raise BinaryNotFound(
            "the program 'rangefinder' was not found. It is looked for in three "
            "places: in the wheel of this package, in the variable RANGEFINDER, "
            "and in PATH")
    return os.path.abspath(found)


def quote(text: str) -> str:
    """`text` as the value of an override that is exactly this string."""
    # An interpolation is text after an odd number of backslashes.
    text = re.sub(r"(\\*)\$\{", lambda m: m.group(1) * 2 + r"\${", text)
    mark = '"' if "'" in text and '"' not in text else "'"
    # Before a quote, or at the end, each backslash counts twice.
    text = re.sub(rf"(\\*)({mark}|\Z)",
                  lambda m: m.group(1) * 2 + ("\\" + mark if m.group(2) else ""),
                  text)
    return mark + text + mark


def value_text(value: object) -> str:
    """A Python value in the syntax of overrides (Hydra 1.3)."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # a scalar of NumPy
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, bytes) or "\0" in text:
            raise ValueError(f"a text without zero bytes is needed, not {text!r}")
        return quote(text)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(value_text(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_dict_key(key)}:{value_text(item)}"
                              for key, item in value.items()) + "}"
    raise TypeError(f"{type(value).__name__} cannot be the value of a key: "
                    f"{value!r}")


def _dict_key(key: object) -> str:
    # Keys of a dict cannot be quoted in the syntax of overrides.
    if not isinstance(key, str) or not re.fullmatch(r"[\w.@/*-]+", key):
        raise ValueError(f"{key!r} cannot be the key of a dict in an override")
    return key


def overrides(config: Mapping[str, object]) -> list[str]:
    """`{"regions": {"include": ["A*"]}}` as `["regions.include=['A*']"]`.

    Keys are those of the configuration (docs/configuration.md), with dots or as
    dicts inside dicts; in a name without a dot two underscores stand for one.
    A value is passed as it is: a text stays a text, also where it looks like a
    number, a list or an interpolation.
    """
    words: list[str] = []
    for key, value in config.items():
        if "." not in key:
            key = key.replace("__", ".")
        if not re.fullmatch(r"(\+\+?|~)?[A-Za-z_$'][^=\s\x00-\x1f]*", key):
            raise ValueError(f"{key!r} is not a key of the configuration")
        if isinstance(value, Mapping) and value and all(
                isinstance(k, str) and re.fullmatch(r"[A-Za-z_]\w*", k)
                for k in value):
            words += overrides({f"{key}.{k}": v for k, v in value.items()})
        else:
            words.append(f"{key}={value_text(value)}")
    return words


def existing(path: StrPath) -> str:
    """The whole path, which cannot be read as an option or override, and stays
    right where the current folder changes."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"no such file or folder: {os.fspath(path)}")
    return os.path.abspath(path)


def program(cmd: str | Sequence[StrPath]) -> list[str]:
    """The argument list of a program; a text is split as a shell does."""
    words = shlex.split(cmd) if isinstance(cmd, str) else [
        os.fspath(word) for word in cmd]
    if not words:
        raise ValueError("no program: cmd is empty")
    return words


def _copy(source: IO[bytes], kept: io.BytesIO, shown: Any) -> None:
    for line in iter(source.readline, b""):
        kept.write(line)
        if shown is not None:
            shown.write(line.decode("utf-8", "replace"))
            shown.flush()


def call(arguments: Sequence[str], *, allowed: Sequence[int] = (0,),
         cwd: StrPath | None = None, env: Mapping[str, str] | None = None,
         echo: bool = False) -> bytes:
    """Runs `rangefinder ARGUMENTS` to its end, and returns its standard output.

    Raises RangefinderError with the program's message where the exit status is
    none of `allowed`. With `echo`, both streams are also shown as they come. An
    interrupt goes to the program, which keeps what it has captured.
    """
    command = [find_binary(), *arguments]
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=cwd, env=env, start_new_session=True)
    except OSError as error:
        raise RangefinderError(f"{command[0]} cannot be started: {error}",
                               command=command) from error
    assert process.stdout is not None and process.stderr is not None
    output, errors = io.BytesIO(), io.BytesIO()
    readers = [
        threading.Thread(target=_copy, daemon=True, args=(
            process.stdout, output, sys.stdout if echo else None)),
        threading.Thread(target=_copy, daemon=True, args=(
            process.stderr, errors, sys.stderr if echo else None))]
    with process:
        try:
            for reader in readers:
                reader.start()
            process.wait()
        except BaseException:
            # As a terminal does: to the program and to the one it profiles.
            os.killpg(process.pid, signal.SIGINT)
            process.wait()
            raise
        finally:
            for reader in readers:
                if reader.ident is not None:
                    reader.join()
    if process.returncode not in allowed:
        message = errors.getvalue().decode("utf-8", "replace").strip()
        raise RangefinderError(message or "no message", process.returncode,
                               command)
    return output.getvalue()


def main() -> None:
    """The command `rangefinder` of the wheel: becomes the program."""
    try:
        binary = find_binary()
        if os.path.realpath(binary) == os.path.realpath(sys.argv[0]):
            raise BinaryNotFound("this wheel was made without the program "
                                 "'rangefinder'; the variable RANGEFINDER can "
                                 "name one")
        os.execv(binary, [binary, *sys.argv[1:]])
    except (BinaryNotFound, OSError) as error:
        sys.exit(f"rangefinder: {error}")
