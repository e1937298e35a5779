#!/usr/bin/env python3
"""Runs bypass.c, which was built as a library, with the functions as ctypes takes them from the MPI's handle.

Usage: in_python.py BYPASS_LIBRARY MASK MPI_LIBRARY
"""
import ctypes
import sys

from make_ways import FUNCTIONS

program, mask, library = sys.argv[1:]
bypass, mpi = ctypes.CDLL(program), ctypes.CDLL(library)
for name in FUNCTIONS:
    bypass.give_way(name.encode(), ctypes.cast(getattr(mpi, f"MPI_{name}"), ctypes.c_void_p))
words = [b"bypass", b"given", mask.encode()]
sys.exit(bypass.main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))
