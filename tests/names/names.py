#!/usr/bin/env python3
"""Names of call places. `tactus run` looks them up at the end of the run and keeps them in the trace, so they are the
same after the program was built again, and without it. Calls that a compiler made jumps have the line of the jump
where the debug information has it, and "through FUNCTION" where it does not.
Usage: names.py --mpi NAME --tactus COMMAND --compiler MPICC"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[0]))
import launchers  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--mpi", required=True)
parser.add_argument("--tactus", required=True)
parser.add_argument("--compiler", required=True)
options = parser.parse_args()
source = (here / "halo.c").read_text()


def line_of(mark):
    """The numbers of the lines with that comment."""
    return [number for number, text in enumerate(source.splitlines(), 1) if f"/* {mark} */" in text]


def build(folder, text, *flags):
    (folder / "halo.c").write_text(text)
    subprocess.run([options.compiler, "-O2", *flags, "halo.c", "-o", "halo"], cwd=folder, check=True)


def tactus(*words, cwd):
    done = launchers.ask([options.tactus, *words], cwd=cwd)
    if done.returncode != 0:
        raise SystemExit(f"FAIL: tactus {words}: {done.stdout}{done.stderr}")
    return done.stdout


def trace(folder, name):
    """Runs the program traced. Returns the texts of its call places by function."""
    outcome = launchers.run([options.tactus, "run", *launchers.command(
        options.mpi, 2, ["./halo"], exported={"VT_LOGFILE_NAME": name})], folder)
    if outcome.status != 0 or outcome.stdout != "done\n":
        raise SystemExit(f"FAIL: {outcome}")
    return places(folder, name)


def places(folder, name):
    found = {}
    for place in json.loads(tactus("report", "--json", f"{name}.tactus", cwd=folder))["places"]:
        found.setdefault(place["function"], set()).add(place["text"])
    return found


def expect(what, found, expected):
    if found != expected:
        raise SystemExit(f"FAIL: {what}: {found}, expected {expected}")


def main():
    with tempfile.TemporaryDirectory(prefix="tactus-names-") as home:
        folder = pathlib.Path(home)
        build(folder, source, "-g")
        first = trace(folder, "first")
        expect("sends with debug information", first["MPI_Send"], {f"halo.c:{line_of('one jump')[0]}"})
        expect("ambiguous jumps", first["MPI_Barrier"], {f"halo.c:{line_of('through either')[0]} (through either)"})
        expect("a call", f"halo.c:{line_of('a call')[0]}" in first["MPI_Recv"], True)
        # The same source built again, in a longer file, has other addresses and another build id.
        build(folder, source + "\nint more(int x) { return x * 3 + value; }\n", "-g", "-DAGAIN", "-O1",
              "-foptimize-sibling-calls")
        expect("the first trace after the program was built again", places(folder, "first"), first)
        second = trace(folder, "second")
        changes = tactus("diff", "first.tactus", "second.tactus", cwd=folder)
        table = changes[changes.index("Call places"):].split("\n\n")[0]
        named = re.findall(r"(MPI_\w+ at \S+)", table)
        twice = [name for name in named if table.count(name + "\n") > 1 or "+0x" in name]
        expect("places that diff takes for different ones", twice, [])
        expect("sends of the second build", second["MPI_Send"], first["MPI_Send"])
        build(folder, "\n\n\n" + source, "-g")
        trace(folder, "moved")
        changes = tactus("diff", "first.tactus", "moved.tactus", cwd=folder)
        table = changes[changes.index("Call places"):].split("\n\n")[0]
        both = re.search(r"MPI_Recv at halo.c:(\d+) \(B: halo.c:(\d+)\)", table)
        expect("a call in lines that moved", both and int(both[2]) - int(both[1]), 3)
        build(folder, source, "-g0")
        third = trace(folder, "third")
        texts = sorted(re.sub(r"\+0x[0-9a-f]+", "", text) for text in third["MPI_Send"])
        expect("sends without debug information", texts, ["halo (through send_behind)", "halo (through send_halo)"])
        (folder / "halo").unlink()
        expect("the first trace without the program", places(folder, "first"), first)
        expect("the third trace without the program", places(folder, "third"), third)
        kept = folder / "first.tactus" / "places.json"
        kept.write_text("no JSON")
        done = launchers.ask([options.tactus, "report", "first.tactus"], cwd=folder)
        expect("a damaged list of names", (done.returncode, "places.json: is no list of call places" in done.stdout),
               (0, True))
    print("all names are right")


main()
