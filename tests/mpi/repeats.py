#!/usr/bin/env python3
"""Traces tests/mpi/repeats.c on one rank, and checks which of its calls are one record.

Usage: repeats.py --tactus COMMAND --mpi openmpi|mpich [--env NAME=VALUE]... PROGRAM

A row ends, too, where tactus reads what the operating system counts, once a millisecond. So rows that follow each other
are added up before they are compared, and the number of records is compared with a limit only.
"""
import argparse
import itertools
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import expect  # noqa: E402

LINE = re.compile(r"[\d.]+ rank 0 lane 0  (MPI_\w+) +[\d.]+ (?:ns|us|ms|s)\b(?:  from 0 tag 1 comm MPI_COMM_SELF)?"
                  r"(?:  (?:unsuccessful )?(\d+) times)?(?:  (\w+))?")

# The calls that the program makes with each error handler, with what becomes of the one that fails.
SET = [("MPI_Comm_create_errhandler", 1, None), ("MPI_Comm_set_errhandler", 2, None), ("MPI_Errhandler_free", 1, None)]
EXPECTED = [
    ("MPI_Comm_size", 1000, None), ("MPI_Wtime", 8, None),
    *SET, ("MPI_Comm_size", 4, None), ("MPI_Comm_size", 1, "failed"), ("MPI_Comm_size", 3, None),
    *SET, ("MPI_Comm_size", 4, None), ("MPI_Comm_size", 1, "failed"), ("MPI_Error_class", 1, "nested"),
    ("MPI_Comm_size", 3, None),
    *SET, ("MPI_Comm_size", 4, None), ("MPI_Comm_size", 1, "unfinished"), ("MPI_Comm_size", 3, None),
    ("MPI_Type_contiguous", 1, None), ("MPI_Type_dup", 8, None), ("MPI_Type_free", 8, None),
    ("MPI_Type_create_keyval", 1, None), ("MPI_Type_set_attr", 1, None),
    ("MPI_Type_dup", 5, None), ("MPI_Iprobe", 2, "nested"),
    *[("MPI_Type_dup", 1, None), ("MPI_Iprobe", 2, "nested")] * 3,
    ("MPI_Type_free", 8, None), ("MPI_Type_free_keyval", 1, None), ("MPI_Type_free", 1, None),
]
CALLS_IN_TURN = 2000  # before these: MPI_Comm_rank and MPI_Comm_size, one after the other, and MPI_Wtick
MOST_RECORDS = 100  # of the 1000 equal calls after them


def dumped(options, folder):
    """The lines of the trace's calls: function, number of calls, and what is said of them."""
    exported = dict(item.split("=", 1) for item in options.env)
    words = [options.tactus, "run", *launchers.command(options.mpi, 1, [options.program], exported=exported)]
    outcome = launchers.run(words, folder, {})
    traces = list(folder.glob("*.tactus"))
    expect(outcome.status == 0 and len(traces) == 1, "the traced run writes one trace", outcome)
    lines = launchers.ask([options.tactus, "dump", traces[0]]).stdout.splitlines()
    matches = [match for match in map(LINE.fullmatch, lines) if match]
    return [(match[1], int(match[2] or 1), match[3]) for match in matches]


def added_up(records):
    """Adds up neighbors of one function that are all said to be the same."""
    def alike(record):
        return record[0], record[2]
    return [(name, sum(record[1] for record in row), more)
            for (name, more), row in ((key, list(row)) for key, row in itertools.groupby(records, alike))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tactus", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--mpi", required=True, choices=sorted(launchers.launcher_words))
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        records = dumped(options, pathlib.Path(name))
    begin = next(i for i, record in enumerate(records) if record[0] == "MPI_Comm_rank")
    in_turn = records[begin:begin + CALLS_IN_TURN]
    expect(in_turn == [("MPI_Comm_rank", 1, None), ("MPI_Comm_size", 1, None)] * (CALLS_IN_TURN // 2),
           "calls of two functions in turn are records of their own")
    rest = records[begin + CALLS_IN_TURN + 1:]  # without MPI_Wtick, which comes between
    row = next(i for i, record in enumerate(rest) if record[0] != "MPI_Comm_size")
    expect(row <= MOST_RECORDS, f"1000 equal calls are {row} records, {MOST_RECORDS} at most")
    found = added_up(rest)[:len(EXPECTED)]
    for expected, got in zip(EXPECTED, found):
        expect(expected == got, f"expected {expected}, got {got}")
    expect(len(found) == len(EXPECTED), "all calls are there")
    print(f"repeats: as it should be, 1000 equal calls are {row} records")


main()
