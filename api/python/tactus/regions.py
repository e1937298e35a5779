"""Regions of a Python program, as VT_begin and VT_end of VT.h make them, by the library that is already in the process.

Where there is none, since the program is not traced, a region is nothing but its block.
"""
import contextlib
import ctypes
import os
import sys

_ok, _no_class = 0, 0
_handles = {}  # by name; by file and line
_functions = None


def _library():
    """What the preloaded library exports; False: there is none."""
    global _functions
    if _functions is None:
        process = ctypes.CDLL(None)
        try:
            _functions = process.VT_funcdef, process.VT_scldef, process.VT_thisloc, process.VT_begin, process.VT_end
        except AttributeError:
            _functions = False
    return _functions


def _defined(key, function, text, number):
    """The handle of a name or of a source location; -1: it could not be defined."""
    if key not in _handles:
        handle = ctypes.c_int(-1)
        code = function(os.fsencode(text), number, ctypes.byref(handle))
        _handles[key] = handle.value if code == _ok else -1
    return _handles[key]


class region(contextlib.ContextDecorator):
    """`with tactus.region("solver:step"):` or, in front of a function, `@tactus.region("step")`. Classes of regions are
    nested by ':'. Regions may be nested; a thread's are its own."""

    def __init__(self, name):
        self._name = name
        self._open = []  # the same object may be entered again, by a function that calls itself

    def __enter__(self):
        functions = _library()
        handle = -1
        if functions:
            define, define_place, set_place, begin, _ = functions
            handle = _defined(self._name, define, self._name, _no_class)
            caller = sys._getframe(1)
            if caller.f_code.co_filename == contextlib.__file__:  # as a decorator
                caller = caller.f_back
            file, line = caller.f_code.co_filename, caller.f_lineno
            place = _defined((file, line), define_place, file, line)
            if handle >= 0:
                if place >= 0:
                    set_place(place)
                if begin(handle) != _ok:
                    handle = -1
        self._open.append(handle)
        return self

    def __exit__(self, *_):
        handle = self._open.pop()
        if handle >= 0:
            _library()[4](handle)
        return False
