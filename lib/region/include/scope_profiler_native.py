"""Regions of a Python program, for the scope-profiler command. Needs nothing but the interpreter.

    from scope_profiler_native import region

    with region("solve"):
        ...

    @region("assemble")
    def assemble(): ...

    @region                     # named after the function
    def exchange(): ...

Outside of `scope-profiler run` a region does nothing. Regions nest by thread; with MPI calls profiled (--mpi-calls), each shows
the MPI time of mpi4py inside it. A generator or coroutine that is left while it is inside a region, and goes on elsewhere, does
not nest: such begins and ends are counted as unpaired.
"""

import contextlib
import functools
import os
import sys

__all__ = ["region", "begin", "end", "active"]


def _find():
    """The recorder's begin and end, or None."""
    file = os.environ.get("SCOPE_PROFILER_REGION_LIBRARY", "")
    if not file.startswith("/"):
        return None
    try:
        import ctypes
        library = ctypes.CDLL(file)
        if not library.scope_profiler_start():
            return None
        first, last = library.scope_profiler_begin, library.scope_profiler_end
        first.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int]
        last.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        first.restype = last.restype = None
        return first, last
    except (ImportError, OSError, AttributeError):
        return None


_hooks = _find()


def active():
    """Whether regions of this process are recorded."""
    return _hooks is not None


def _bytes(name):
    return str(name).encode("utf-8", "replace")


def begin(name):
    """Begins a region; `end` with the same name ends it. Prefer `region`, which ends by itself."""
    if _hooks:
        text = _bytes(name)
        _hooks[0](text, len(text), None, 0)


def end(name):
    if _hooks:
        text = _bytes(name)
        _hooks[1](text, len(text))


class _Region(contextlib.ContextDecorator):
    """Re-entrant: it keeps no state between begin and end."""

    __slots__ = ("_name", "_size", "_file", "_line")

    def __init__(self, name, file=None, line=0):
        self._name = _bytes(name)
        self._size = len(self._name)
        self._file = os.fsencode(file) if file else None
        self._line = line

    def __enter__(self):
        _hooks[0](self._name, self._size, self._file, self._line)
        return self

    def __exit__(self, *error):
        _hooks[1](self._name, self._size)
        return False


class _Nothing:
    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __call__(self, function):
        return function


_nothing = _Nothing()


def region(name):
    """A region as a context manager and as a decorator; without a name, as `@region`, it has the function's."""
    if callable(name):
        function = name
        if not _hooks:
            return function
        code = getattr(function, "__code__", None)
        place = (code.co_filename, code.co_firstlineno) if code else (None, 0)
        wrapped = _Region(getattr(function, "__qualname__", repr(function)), *place)

        @functools.wraps(function)
        def inside(*arguments, **keywords):
            with wrapped:
                return function(*arguments, **keywords)

        return inside
    if not _hooks:
        return _nothing
    caller = sys._getframe(1)
    return _Region(name, caller.f_code.co_filename, caller.f_lineno)
