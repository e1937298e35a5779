#!/usr/bin/env python3
"""Compares what the commands print of stored traces with files: golden.py --tactus COMMAND [--write].

The commands below read each trace of tests/compat and the tutorial's. What they print is compared with the files in
this folder. `tools/regold` (--write) writes the files again. The diff then shows what a change did to the output, and
is reviewed together with the change. The program of a trace must not lie where it was when it was traced, so that call
places are offsets on every machine.
"""
import argparse
import difflib
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root / "tests"))
import launchers  # noqa: E402

traces = [*sorted((root / "tests" / "compat").glob("*/*.tactus")), root / "docs" / "tutorial" / "heat.tactus"]
commands = {
    "report.txt": ["report"],
    "report.json": ["report", "--json"],
    "dump.txt": ["dump"],
    "events.txt": ["dump", "--events"],
    "clocks.txt": ["clocks"],
    "clocks.json": ["clocks", "--json"],
    "info.json": ["info", "--json"],
}


def said(tactus, words, trace):
    done = launchers.ask([tactus, *words, trace.name], cwd=trace.parent)
    return done.stdout + done.stderr + (f"exit status {done.returncode}\n" if done.returncode else "")


def name_of(trace, ending):
    version = trace.parent.name if trace.parent.parent.name == "compat" else "tutorial"
    return f"{version}-{trace.stem}-{ending}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tactus", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    tactus = options.tactus.resolve()
    problems, wanted = [], set()
    for trace in traces:
        for ending, words in commands.items():
            path = here / name_of(trace, ending)
            wanted.add(path.name)
            now = said(tactus, words, trace)
            if options.write:
                path.write_text(now)
                continue
            then = path.read_text() if path.exists() else ""
            if now != then:
                lines = difflib.unified_diff(then.splitlines(), now.splitlines(), path.name, " ".join(words), n=1,
                                             lineterm="")
                problems.append("\n".join(list(lines)[:40]))
    for path in sorted(here.iterdir()):
        if path.name != "CMakeLists.txt" and path.suffix in (".txt", ".json") and path.name not in wanted:
            problems.append(f"{path.name} belongs to no trace and command")
    print("\n\n".join(problems) or f"{len(wanted)} outputs are as they were")
    if problems:
        sys.exit("golden: when the change is meant, run tools/regold and review its diff")


main()
