#!/usr/bin/env python3
"""docs/options.md and docs/intel-options.md must be what `tactus options` prints, docs/format.md must name every column
and loss, and docs/commands.md everything that can be wrong with a clock.
Usage: documents.py TACTUS ROOT"""
import pathlib
import re
import subprocess
import sys

tactus, root = sys.argv[1], pathlib.Path(sys.argv[2])
problems = []
for page, words in (("options", ["--markdown"]), ("intel-options", ["--intel", "--markdown"])):
    printed = subprocess.run([tactus, "options", *words], check=True, capture_output=True, text=True).stdout
    if (root / f"docs/{page}.md").read_text() != printed:
        problems.append(f"docs/{page}.md is not what `tactus options {' '.join(words)}` prints; write it again")
text = (root / "docs/format.md").read_text()
codec = (root / "trace/codec.hpp").read_text()
for column in re.findall(r"\{Column::(\w+),", codec):
    if f"`{column}`" not in text:
        problems.append(f"docs/format.md does not describe the column {column}")
losses = re.findall(r'^    \{Loss::\w+, "(\w+)"', (root / "trace/loss.hpp").read_text(), re.M)
assert losses, "trace/loss.hpp names no losses in the form that this test reads"
for loss in losses:
    if f"`{loss}`" not in text:
        problems.append(f"docs/format.md does not name the loss {loss}")
commands = (root / "docs/commands.md").read_text()
for trouble in re.findall(r'^ +\{+"(\w+)", "', (root / "trace/time_map.hpp").read_text(), re.M):
    if f"`{trouble}`" not in commands:
        problems.append(f"docs/commands.md does not name what can be wrong with a clock: {trouble}")
print("\n".join(problems) or "the documents agree with the code")
sys.exit(bool(problems))
