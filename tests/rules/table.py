#!/usr/bin/env python3
"""The generator refuses a table that lacks a function of the flavor, that has one twice, or whose kinds do not
fit.
Usage: table.py ROOT FLAVOR"""
import pathlib
import subprocess
import sys
import tempfile

root, flavor = pathlib.Path(sys.argv[1]), sys.argv[2]
table = (root / "trace/functions.txt").read_text().splitlines(keepends=True)
problems = []


def generate(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "functions.txt"
        path.write_text("".join(lines))
        return subprocess.run([sys.executable, root / "collector/generate.py", "--table", path, "--flavor", flavor,
                               "--out", folder], capture_output=True, text=True)


def refused(lines, words):
    done = generate(lines)
    if done.returncode == 0 or words not in done.stderr:
        problems.append(f"not refused with '{words}': status {done.returncode}, {done.stderr}")


if generate(table).returncode != 0:
    problems.append("the table as it is fails")
refused([line for line in table if not line.startswith("Ssend ")], "MPI_Ssend")
refused(table + ["Send send - count type dest tag comm\n"], "more than one row for Send")
refused([line.replace("buf count type dest tag comm", "count type dest tag comm") if line.startswith("Send ") else line
         for line in table], "MPI_Send has 6")
print("\n".join(problems) or "a table with a mistake is refused")
sys.exit(bool(problems))
