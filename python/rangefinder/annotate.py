"""NVTX ranges from Python.

Through the package `nvtx` where it is installed: every NVTX tool sees these.
Else, in a process that `rangefinder profile` started, through the table of
functions that its injection library fills in: this library alone sees them. Else
there is no effect.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import inspect
import os
from collections.abc import Callable
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

# NVTX's interface for tools, as in src/inject/nvtx/nvtx_abi.h.
_EXPORT_CALLBACKS = 1
_CORE = 1
_PUSH, _POP = 9, 11  # nvtxRangePushA, nvtxRangePop
_SLOTS = 16

_Slots = ctypes.POINTER(ctypes.c_void_p)
_GetTable = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32,
                             ctypes.POINTER(_Slots),
                             ctypes.POINTER(ctypes.c_uint))
_GetExport = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class _Callbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("get_table", _GetTable)]


class _Library:
    """The two functions that the injection library puts into our table."""

    def __init__(self, path: str) -> None:
        # Loads the library where neither CUDA nor NVTX was called before, as
        # they would; else this is the loaded one.
        library = ctypes.CDLL(path)
        self._functions = (ctypes.c_void_p * _SLOTS)()
        # Of each function the address of its place; 0: there is no such place.
        self._places = (ctypes.c_void_p * _SLOTS)()
        for index in (_PUSH, _POP):
            self._places[index] = (ctypes.addressof(self._functions)
                                   + index * ctypes.sizeof(ctypes.c_void_p))
        self._none = (ctypes.c_void_p * 1)()

        def get_table(module: int, table: Any, count: Any) -> int:
            places = self._places if module == _CORE else self._none
            table[0] = ctypes.cast(places, _Slots)
            count[0] = len(places)
            return 1

        self._callbacks = _Callbacks(ctypes.sizeof(_Callbacks),
                                     _GetTable(get_table))
        self._export = _GetExport(
            lambda number: ctypes.addressof(self._callbacks)
            if number == _EXPORT_CALLBACKS else None)
        initialize = library.InitializeInjectionNvtx2
        initialize.argtypes, initialize.restype = [_GetExport], ctypes.c_int
        push, pop = None, None
        if initialize(self._export) == 1:
            push, pop = self._functions[_PUSH], self._functions[_POP]
        if not push or not pop:
            raise OSError(f"{path}: records no ranges")
        self._push = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(push)
        self._pop = ctypes.PYFUNCTYPE(ctypes.c_int)(pop)

    def push(self, name: str) -> None:
        self._push(name.replace("\0", "\\0").encode("utf-8", "replace"))

    def pop(self) -> None:
        self._pop()


class _Package:
    """The package `nvtx`."""

    def __init__(self) -> None:
        self._nvtx: Any = importlib.import_module("nvtx")
        if not hasattr(self._nvtx, "push_range"):
            raise ImportError("another package is called nvtx")

    def push(self, name: str) -> None:
        self._nvtx.push_range(name)

    def pop(self) -> None:
        self._nvtx.pop_range()


@functools.lru_cache(maxsize=None)
def _way() -> _Package | _Library | None:
    try:
        return _Package()
    except ImportError:
        pass
    path = os.environ.get("NVTX_INJECTION64_PATH", "")
    if os.path.basename(path) != "librangefinder_inject.so":
        return None
    try:
        return _Library(path)
    except (OSError, AttributeError):
        return None


class Around(ContextDecorator):
    """Something around a block, or around the calls of a function.

    A coroutine or generator function cannot be decorated, since its body runs
    after the call: use `with` inside.
    """

    def __call__(self, func: _F) -> _F:
        if (inspect.iscoroutinefunction(func) or inspect.isgeneratorfunction(func)
                or inspect.isasyncgenfunction(func)):
            raise TypeError(f"{func.__name__} is a coroutine or generator: use `with "
                            f"rangefinder.{type(self).__name__}(…)` inside of it")
        return super().__call__(func)


class annotate(Around):
    """A range of this name around a block or a function.

        with rangefinder.annotate("decode"): …

        @rangefinder.annotate("step")
        def step(): …

    The range belongs to the calling thread.
    """

    def __init__(self, name: str) -> None:
        self.name = str(name)

    def __enter__(self) -> annotate:
        way = _way()
        if way:
            way.push(self.name)
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None, trace: TracebackType | None) -> None:
        way = _way()
        if way:
            way.pop()
