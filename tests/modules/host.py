#!/usr/bin/env python3
"""Does the same as host.c, in Python: host.py ROUNDS LIBRARY..."""
import _ctypes
import ctypes
import sys

from mpi4py import MPI  # noqa: F401: it begins and ends MPI

rounds, libraries = int(sys.argv[1]), sys.argv[2:]
lain = {}
others = 0
for i in range(rounds):
    name = libraries[i % len(libraries)]
    library = ctypes.CDLL(name)
    for _ in range(3):
        assert library.work() == 0
    address = ctypes.cast(library.work, ctypes.c_void_p).value
    lain[name] = address
    others += sum(at == address for other, at in lain.items() if other != name)
    _ctypes.dlclose(library._handle)  # pylint: disable=protected-access
print("at others' addresses:", others)
