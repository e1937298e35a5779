#!/usr/bin/env python3
"""Enforces LAYERS: who may include whom, where mpi.h and exceptions may appear, and which headers the collector must
not bring."""
import pathlib
import re
import sys

from layers_file import read_layers

root = pathlib.Path(__file__).resolve().parents[2]
allowed, mpi, exceptions = read_layers(root)

# Nodes of a cluster may lack these, so the sources of the preload libraries may not include them.
embedded = ("base", "trace", "writer", "sampling", "clocksync", "piggyback", "collector")
not_embedded = re.compile(r"#include\s*<(fmt/|CLI/|nlohmann/|elfutils/|libelf|gelf|iostream|thread|mutex|stdexcept)")


def layer_of(path):
    inside = [folder for folder in allowed if path == folder or path.startswith(folder + "/")]
    return max(inside, key=len, default=None)


problems, files = [], 0
for path in sorted(root.rglob("*")):
    name = str(path.relative_to(root))
    if path.suffix not in (".hpp", ".cpp", ".h", ".c", ".S") or name.startswith("build"):
        continue
    files += 1
    layer = layer_of(name)
    if layer is None:
        problems.append(f"{name}: its folder has no line in LAYERS")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{name}:{number}"
        include = re.match(r'\s*#include\s*"([^"]+)"', line)
        if include and "/" in include.group(1):
            target = layer_of(include.group(1))
            if target is None:
                problems.append(f"{where}: includes {include.group(1)}, which is in no layer")
            elif target != layer and "*" not in allowed[layer] and not any(
                    target == folder or (target.startswith(folder + "/") and not target.endswith("/mpi"))
                    for folder in allowed[layer]):
                problems.append(f"{where}: {layer} may not include {target}")
        if re.match(r"\s*#include\s*<mpi\.h>", line) and layer not in mpi:
            problems.append(f"{where}: mpi.h belongs to {', '.join(mpi)}")
        code = line.split("//")[0]
        if re.search(r"\b(throw|catch)\b\s*[\w(:]",
                     code) and not code.strip().startswith("#") and layer.split("/")[0] not in exceptions:
            problems.append(f"{where}: exceptions belong to {', '.join(exceptions)}")
        if layer.split("/")[0] in embedded and not_embedded.match(line):
            problems.append(f"{where}: this header may not be part of the preload library")

print("\n".join(problems) or f"{files} files keep the layers")
sys.exit(bool(problems) or files < 20)
