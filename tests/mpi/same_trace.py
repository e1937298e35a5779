#!/usr/bin/env python3
"""Traces one program of the standard ABI on the libraries of both MPIs; the two traces must tell the same.

Usage: same_trace.py --tactus COMMAND --ranks N --libraries FOLDER -- PROGRAM...

FOLDER/abi_openmpi and FOLDER/abi_mpich have the library of each as libmpi_abi.so.1. What `tactus dump` prints of each
thread is compared, without times, without the order, and without nested calls and the notes that tactus adds. Calls
that ask whether something is there (MPI_Test, MPI_Iprobe and their like) or wait for one of several are left out, for a
program may repeat them, and so are the numbers of requests. Where the program itself does other things on the two
libraries, it prints other things, and there is nothing to compare: the test is skipped.
"""
import argparse
import collections
import difflib
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import skip  # noqa: E402

ASKING = r"MPI_(Test\w*|Wait(any|some)|Im?probe|Request_get_status\w*|Parrived|Wtime|Wtick|Initialized|Finalized)"
MPIS = ("abi_openmpi", "abi_mpich")
LINE = re.compile(r"[\d.]+ rank (\d+) lane (\d+) +(MPI_\w+) +[\d.]+ (?:ns|us|ms|s)\b *(.*)")


def printed(options, mpi, folder):
    """What the program prints untraced, in any order."""
    folder.mkdir()
    outcome = launchers.run(launchers.command(mpi, options.ranks, options.program), folder,
                            {"LD_LIBRARY_PATH": f"{options.libraries}/{mpi}"})
    if outcome.status != 0:
        sys.exit(f"FAIL: on {mpi} the untraced run ends with {outcome.status}\n{outcome.stdout}\n{outcome.stderr}")
    return sorted(outcome.stdout.splitlines())


def dump(options, mpi, folder):
    """What the MPI says it is, and the calls of each thread, as lists of text, in an order that does not depend on the
    threads' numbers."""
    library = {"LD_LIBRARY_PATH": f"{options.libraries}/{mpi}"}
    words = [options.tactus, "run", *launchers.command(mpi, options.ranks, options.program)]
    folder.mkdir()
    outcome = launchers.run(words, folder, library)
    if outcome.status != 0:
        sys.exit(f"FAIL: on {mpi} the traced run ends with {outcome.status}\n{outcome.stdout}\n{outcome.stderr}")
    traces = list(folder.glob("*.tactus"))
    if len(traces) != 1:
        sys.exit(f"FAIL: on {mpi} there are {len(traces)} traces\n{outcome.stderr}")
    threads = collections.defaultdict(list)
    text = launchers.ask([options.tactus, "dump", traces[0]]).stdout
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if match is None and not re.match(r"[\d.]+ rank \d+ lane \d+ +note ", line):
            sys.exit(f"FAIL: this line of `tactus dump` was not expected: {line}")
        if match is None or match[4].endswith("nested") or re.fullmatch(ASKING, match[3]):
            continue
        rank, lane, function, more = match.groups()
        if function.startswith("MPI_Wait"):  # what it completes may have been completed before
            more = ""
        times = re.fullmatch(r"(\d+) times", more)  # where a row of equal calls ends is chance
        if times:
            more = ""
        call = f"rank {rank} {function} " + re.sub(r" ?request \d+:\d+", "", more)
        threads[int(rank), int(lane)] += [call] * (int(times[1]) if times else 1)
    made_by = json.loads(launchers.ask([options.tactus, "info", "--json", traces[0]]).stdout)["mpi"]
    for rank in {rank for rank, _ in threads}:
        of_rank = [thread for thread in threads if thread[0] == rank]
        if len(of_rank) > 1:  # which of several threads makes a communicator first is chance
            for thread in of_rank:
                threads[thread] = [re.sub(r"#\d+", "#", call) for call in threads[thread]]
    return made_by, sorted((rank, sorted(calls)) for (rank, _), calls in threads.items() if calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--ranks", required=True, type=int)
    parser.add_argument("--libraries", required=True)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="same-trace-") as home:
        untraced = [printed(options, mpi, pathlib.Path(home) / f"{mpi}_untraced") for mpi in MPIS]
        if untraced[0] != untraced[1]:
            skip("untraced, the program prints other things on the two libraries")
        both = [dump(options, mpi, pathlib.Path(home) / mpi) for mpi in MPIS]
    if both[0][0] == both[1][0]:
        sys.exit(f"FAIL: both runs had the library of {both[0][0]}")
    before, after = (["\n".join(calls) for _, calls in threads] for _, threads in both)
    calls = sum(len(calls) for _, calls in both[0][1])
    if before != after or calls == 0:
        lines = ("\n".join(side).splitlines() for side in (before, after))
        print("FAIL: the traces differ")
        print("\n".join(list(difflib.unified_diff(*lines, "on Open MPI", "on MPICH", lineterm="", n=1))[:80]))
        sys.exit(1)
    print(f"{calls} calls in {len(before)} threads are the same on both libraries")


if __name__ == "__main__":
    main()
