"""Windows of running programs that were started armed."""

from __future__ import annotations

import functools
import os
import subprocess
import threading
from pathlib import Path
from types import TracebackType

from .actions import _new_folder
from .annotate import Around
from .command import RangefinderError, StrPath, find_binary, overrides
from .run import Run, load

_INTERRUPTED = 130  # it ended early, and what it had is reported


class window(Around):
    """A window of this process, or of the process `pid`, while a block runs, or
    each call of a function that this decorates.

        with rangefinder.window("decode", instances=20) as measured:
            serve()
        measured.run["decode"]

    The process has to be armed: started by `rangefinder run`. The window closes
    at the end of the block, and before that where `region` has ended `instances`
    times or `seconds` have passed. `output` and `config` are those of profile().

    Raises RangefinderError where the window does not open: status 2 where the
    process is not armed.
    """

    def __init__(self, region: str | None = None, instances: int | None = None, *,
                 seconds: float | None = None, pid: int | None = None,
                 output: StrPath | None = None, **config: object) -> None:
        if (region is None) != (instances is None):
            raise ValueError("a region and its instances go together")
        self._words = ["window", str(os.getpid() if pid is None else int(pid)),
                       "--color", "never", *overrides(config)]
        if region is not None:
            self._words += ["--instances", f"{region}:{instances}"]
        if seconds is not None or region is None:
            self._words += ["--for", f"{seconds or 24 * 3600}s"]
        self._output = output
        self.path: Path | None = None  # of the run directory

    def __enter__(self) -> window:
        self.__dict__.pop("run", None)  # of the call before
        self.path = Path(os.path.abspath(
            self._output if self._output is not None
            else _new_folder(Path("tmp") / "profile-output")))
        command = [find_binary(), *self._words,
                   *overrides({"hydra.run.dir": self.path})]
        # Not armed itself, though its environment says so.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("RANGEFINDER_INJECT_MODE")}
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, encoding="utf-8",
            errors="replace", env=environment, start_new_session=True)
        assert self._process.stderr is not None
        self._said: list[str] = []
        for line in self._process.stderr:
            self._said.append(line)
            if line.startswith("the window is open"):
                break
        else:
            self._end()
        self._reader = threading.Thread(target=self._said.extend,
                                        args=[self._process.stderr], daemon=True)
        self._reader.start()
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.terminate()
        self._reader.join()
        self._end()

    def _end(self) -> None:
        status = self._process.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()
        if status not in (0, _INTERRUPTED):
            raise RangefinderError("".join(self._said).strip() or "no message",
                                   status)

    @functools.cached_property
    def run(self) -> Run:
        """What the window measured."""
        if self.path is None:
            raise RuntimeError("the window was not opened")
        return load(self.path)
