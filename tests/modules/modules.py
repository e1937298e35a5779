#!/usr/bin/env python3
"""Tests that each call is given to the library that it came from, when hundreds of libraries are loaded and unloaded,
most of them at the same addresses.

Usage: modules.py CASE --mpi openmpi|mpich --tactus COMMAND --programs FOLDER [--python INTERPRETER]
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import expect, finish  # noqa: E402

rounds = 300
calls_a_round = 3
# What each library calls.
c_libraries = {"barrier.so": "MPI_Barrier", "sum.so": "MPI_Allreduce"}
fortran_library = {"broadcast.so": "MPI_Bcast"}


class Modules:
    def __init__(self, options):
        self.mpi, self.tactus, self.python = options.mpi, options.tactus, options.python
        self.programs = pathlib.Path(options.programs).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-modules-"))

    def trace(self, program, libraries, status=0, reused=rounds // 2):
        """Runs the program, which loads the libraries in turn, on one rank. At least `reused` times a library lies
        where another one lay before. Returns its trace."""
        words = [str(word) for word in program] + [str(self.programs / name) for name in libraries]
        ran = launchers.run([self.tactus, "run"] + launchers.command(self.mpi, 1, words), self.folder)
        expect((ran.status == 0) == (status == 0), f"the program ends with {ran.status}", ran)
        found = re.search(r"at others' addresses: (\d+)", ran.stdout)
        expect(found and int(found[1]) >= reused, "libraries lie where others lay before", ran)
        traces = list(self.folder.glob("*.tactus"))
        expect(len(traces) == 1, f"{len(traces)} traces", ran)
        return traces[0]

    def expect_places(self, trace, libraries, threads=1):
        """Expects that all calls of each library, and no others, are given to that library."""
        report = launchers.ask([self.tactus, "report", "--json", trace])
        expect(report.returncode == 0, f"tactus report: {report.stderr}")
        found = collections.Counter()
        for place in json.loads(report.stdout)["places"]:
            if place["function"] in libraries.values():
                found[place["function"], pathlib.Path(place["module"]).name] += place["calls"]
        each = threads * calls_a_round * rounds // len(libraries)
        expected = {(function, library): each for library, function in libraries.items()}
        expect(found == expected, f"calls by function and library: {found}")


def c_and_fortran(test):
    libraries = c_libraries | fortran_library
    test.expect_places(test.trace([test.programs / "host", rounds], libraries), libraries)


def threads(test):
    """Two threads load and unload the same libraries. While one has a library, the other does not load it again. How
    often they lie at the same addresses is chance."""
    trace = test.trace([test.programs / "host", rounds, "thread"], c_libraries, reused=0)
    test.expect_places(trace, c_libraries, threads=2)


def deep(test):
    """The libraries find the MPI before what is preloaded."""
    for how, together in (("deep", 1), ("thread,deep", 2), ("next,deep", 1), ("handle,deep", 1)):
        trace = test.trace([test.programs / "host", rounds, how], c_libraries, reused=0)
        test.expect_places(trace, c_libraries, threads=together)
        shutil.rmtree(trace)


def killed(test):
    trace = test.trace([test.programs / "host", rounds, "die"], c_libraries, status=1)
    recovered = launchers.ask([test.tactus, "recover", trace])
    expect(recovered.returncode == 0, f"tactus recover: {recovered.stderr}")
    test.expect_places(trace, c_libraries)


def python(test):
    test.expect_places(test.trace([test.python, pathlib.Path(__file__).with_name("host.py"), rounds], c_libraries),
                       c_libraries)


def questions(test):
    """A program that is linked with no MPI asks which one there is, and gets the answers that it gets untraced."""
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[test.mpi]
    command = launchers.command(test.mpi, 1, [str(test.programs / "asks"), library])
    untraced = launchers.run(command, test.folder)
    expect(untraced.status == 0 and "without an MPI: MPI_Init not found" in untraced.stdout, "untraced", untraced)
    traced = launchers.run([test.tactus, "run"] + command, test.folder)
    expect(traced.status == 0 and traced.stdout == untraced.stdout, "the answers are the same", traced)
    info = launchers.ask([test.tactus, "report", "--json", *test.folder.glob("*.tactus")])
    expect(info.returncode == 0, f"tactus report: {info.stderr}")
    called = {place["function"] for place in json.loads(info.stdout)["places"]}
    expect({"MPI_Init", "MPI_Finalize"} <= called, f"recorded: {called}")


def unknown(test):
    """A program calls a function of its MPI that tactus does not know. It is named, and all else is as untraced."""
    command = launchers.command(test.mpi, 2, [str(test.programs / "later")])
    untraced = launchers.run(command, test.folder)
    expect(untraced.status == 0 and "MPI_Later gives 42" in untraced.stdout, "untraced", untraced)
    traced = launchers.run([test.tactus, "run"] + command, test.folder)
    expect(traced.status == 0 and traced.stdout == untraced.stdout, "the output is the same", traced)
    expect(traced.stderr.count("does not know and does not record: MPI_Later\n") == 1, "one line names it", traced)


cases = {case.__name__: case for case in (c_and_fortran, threads, deep, killed, python, questions, unknown)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=cases)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--python")
    options = parser.parse_args()
    return finish(Modules(options), cases[options.case])


if __name__ == "__main__":
    sys.exit(main())
