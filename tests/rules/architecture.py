#!/usr/bin/env python3
"""The table of docs/architecture.md must say what each folder may include, and must agree with LAYERS.

A row of that table begins with a folder in backticks, as `base`, or with several; its last cell, under the head "may
include", lists the folders that those may include: "-" or nothing for none, `*` or "anything" for all."""
import pathlib
import re
import sys

from layers_file import read_layers

root = pathlib.Path(__file__).resolve().parents[2]
allowed = read_layers(root)[0]


def rows(text):
    """Yields pairs (folder, what it may include) from the table whose head ends with "may include"."""
    inside = False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[-1].lower() == "may include":
            inside = True
        elif inside and not set(line) <= set("|-: "):
            for folder in re.findall(r"`([\w/]+)`", cells[0]):
                yield folder.rstrip("/"), cells[-1]


def included(cell):
    if "*" in cell or "anything" in cell:
        return {"*"}
    return {name.rstrip("/") for name in re.findall(r"\w[\w/]*", cell)}


problems, told = [], {}
for folder, cell in rows((root / "docs/architecture.md").read_text()):
    if folder in told:
        problems.append(f"{folder} has two rows")
    told[folder] = included(cell)
for folder, others in told.items():
    if folder not in allowed:
        problems.append(f"LAYERS has no line for {folder}")
    elif others != set(allowed[folder]):
        problems.append(f"{folder} may include {' '.join(sorted(others)) or 'nothing'} in docs/architecture.md, "
                        f"{' '.join(sorted(allowed[folder])) or 'nothing'} in LAYERS")
problems += [f"docs/architecture.md's table has no row for {folder}" for folder in allowed if folder not in told]
print("\n".join(problems) or f"{len(told)} folders may include what docs/architecture.md says")
sys.exit(bool(problems) or not told)
