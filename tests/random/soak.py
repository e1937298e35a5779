#!/usr/bin/env python3
"""Runs many seeds of the random programs under one MPI or both, and prints for each failure the command that repeats
it:

  soak.py --build BUILD --seeds 1 5000 --ranks 2 3 4 [--mpi openmpi] [--traced [--around profiling|handle|deep]]

Seeds are run in batches. Without --traced the output of the two MPIs is compared; with it the batches run traced, with
headers on messages. With --around one rank has wrappers of its own for the functions of messages. They go on by the
profiling names, by what a handle of the MPI's library answers, or by a library that is bound to the MPI before anything
else (deep). The status is 1 when anything failed, or when more than one seed in a hundred failed untraced, too.
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402

wrappers = {"profiling": "bypass_tool.so", "handle": "bypass_handle.so", "deep": "bypass_deep.so"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build folder")
    parser.add_argument("--seeds", type=int, nargs=2, default=[1, 1000], metavar=("FIRST", "LAST"))
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--mpi", nargs="+", default=sorted(launchers.launcher_words))
    parser.add_argument("--batch", type=int, default=100, help="seeds a launch")
    parser.add_argument("--timeout", type=float, default=launchers.patience_s, help="seconds a launch may take")
    parser.add_argument("--traced", action="store_true", help="trace the programs")
    parser.add_argument("--around", choices=sorted(wrappers), help="how one rank goes around the tracer")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.left_out = 0
    return options


def launch(options, mpi, ranks, first, count, traced):
    """Returns the launched words, and their outcome."""
    program = [str(options.build / "tests" / "random" / mpi / "random_program"), str(first), str(count)]
    if options.around and traced:
        library = options.build / "tests" / "mpi" / mpi / wrappers[options.around]
        program = [str(pathlib.Path(__file__).resolve().with_name("one_rank_with.sh")), str(ranks // 2), str(library),
                   *program]
    words = launchers.command(mpi, ranks, program, exported={"VT_PIGGYBACK": "on"} if traced else {})
    if traced:
        words = [str(options.build / "bin" / "tactus"), "run"] + words
    with tempfile.TemporaryDirectory(prefix="random-soak-") as folder:
        return words, launchers.run(words, folder, seconds=options.timeout)


def run_batch(options, mpi, ranks, first, count):
    """Returns the lines of some seeds, or None after printing why there are none. Seeds that fail untraced, too, show
    nothing of the tracer and are left out."""
    every = []
    end = first + count
    while first < end:
        words, outcome = launch(options, mpi, ranks, first, end - first, options.traced)
        lines = [line for line in outcome.stdout.splitlines() if line.startswith("seed ")]
        every += lines
        bad = first + len(lines)
        if outcome.status == 0 and bad == end:
            break
        if options.traced and bad < end and launch(options, mpi, ranks, bad, 1, False)[1].status != 0:
            print(f"{mpi}, {ranks} ranks: seed {bad} fails untraced, too", flush=True)
            options.left_out += 1
            first = bad + 1
            continue
        again = words[:-2] + [str(bad), "1"]
        print(f"FAIL at seed {bad} ({'no end' if outcome.status is None else outcome.status}): {' '.join(again)}\n"
              f"  or, when only together with those before it: {' '.join(words)}\n{outcome.stderr[-2000:]}", flush=True)
        return None
    return every


def main():
    options = parse_arguments()
    failures = 0
    first, last = options.seeds
    for ranks in options.ranks:
        for start in range(first, last + 1, options.batch):
            count = min(options.batch, last + 1 - start)
            results = {mpi: run_batch(options, mpi, ranks, start, count) for mpi in options.mpi}
            failures += list(results.values()).count(None)
            different = {line for lines in results.values() if lines for line in lines}
            seeds = {line.split(":")[0] for line in different}
            if len(different) != len(seeds):
                failures += 1
                print(f"FAIL: {' and '.join(results)} differ on {ranks} ranks: {sorted(different)[:4]}", flush=True)
        print(f"{ranks} ranks: seeds {first} to {last} done", flush=True)
    print(f"{failures} failures; {options.left_out} seeds fail untraced, too, and were left out")
    sys.exit(failures != 0 or 100 * options.left_out > last - first)  # More than that is no chance.


if __name__ == "__main__":
    main()
