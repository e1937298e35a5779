#!/usr/bin/env python3
"""No type may be defined twice in one namespace. Two translation units with different definitions link without a
warning, and the linker keeps one copy of each inline function and template, which then writes into objects of the
other layout.
Files that replace each other may define the same type: those of each MPI (base/mpi/openmpi/ and base/mpi/mpich/), of
each processor (base/processor/), and the file that says that a library is missing (no_NAME.cpp for NAME.cpp)."""
import collections
import pathlib
import re
import sys

from cpp_tokens import definitions
from layers_file import read_layers

root = pathlib.Path(__file__).resolve().parents[2]
production = sorted({folder.split("/")[0] for folder in read_layers(root)[0]} - {"bench", "tests"})
places = collections.defaultdict(dict)
files = 0
for room in production:
    for path in sorted((root / room).rglob("*")):
        if path.suffix in (".hpp", ".cpp", ".h", ".c"):
            files += 1
            name = str(path.relative_to(root))
            for qualified, line in definitions(path.read_text()):
                # Of the files that replace each other, one is enough.
                replaced = re.sub(r"/(openmpi|mpich|abi|x86_64|aarch64)/|/no_", "/", name)
                places[qualified].setdefault(replaced, f"{name}:{line}")

problems = [f"{name} is defined {len(where)} times: {', '.join(where.values())}"
            for name, where in sorted(places.items()) if len(where) > 1]
print("\n".join(problems) or f"{len(places)} types in {files} files, each defined once")
sys.exit(bool(problems) or len(places) < 200)
