#!/usr/bin/env python3
"""Holds the report's shares of functions, and its time without a core, against what a program knows of itself.

    bench/planted/truth.py [--runs N] [--mpi openmpi|mpich]... [--tactus COMMAND]

truth.c computes in three functions by turns and counts what each takes of a core; the kernel tells it for how long it
had none. Two processes that never wait run beside it, so that this is a good part of the time. Each run prints the
shares with the interval (95 %, Wilson) of so many samples, and the time without a core by tactus and by schedstat. The
last line counts intervals that hold the truth, and by how much the time without a core differs, at most.
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests"))
import launchers  # noqa: E402

ranks = 2
never_waits = [sys.executable, "-c", "while True: pass"]


def interval(share, samples):
    """Wilson's, as postproc/profile/samples.hpp has it."""
    z = 1.96
    middle = (share + z * z / (2 * samples)) / (1 + z * z / samples)
    half = z / (1 + z * z / samples) * math.sqrt(share * (1 - share) / samples + z * z / (4 * samples * samples))
    return middle - half, middle + half


def run(options, folder, program, mpi, seed):
    """Returns what the program says of itself, and what the report says."""
    words = [options.tactus, "run", *launchers.command(mpi, ranks, [str(program), str(seed)])]
    outcome = launchers.run(words, folder, {"VT_LOGFILE_NAME": f"{mpi}{seed}"})
    if outcome.status != 0:
        sys.exit(f"truth: {words} ended with {outcome.status}: {outcome.stderr}")
    took, kept_s = collections.Counter(), 0
    for words in map(str.split, outcome.stdout.splitlines()):
        if words[0] == "took":
            took[words[1]] += float(words[2])
        else:
            kept_s += float(words[1])
    report = launchers.ask([options.tactus, "report", "--json", f"{mpi}{seed}"], cwd=folder, check=True)
    return took, kept_s, json.loads(report.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--mpi", action="append", choices=["openmpi", "mpich"])
    parser.add_argument("--tactus", default=str(root / "build/release/bin/tactus"))
    options = parser.parse_args()
    held, all_of_them, worst = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="tactus-truth-") as place:
        folder = pathlib.Path(place)
        for mpi in options.mpi or ["openmpi", "mpich"]:
            program = folder / f"truth-{mpi}"
            subprocess.run([f"mpicc.{mpi}", "-O1", "-g", root / "bench/planted/truth.c", "-o", program], check=True)
            beside = [subprocess.Popen(never_waits) for _ in range(2)]
            try:
                for seed in range(1, options.runs + 1):
                    took, kept_s, report = run(options, folder, program, mpi, seed)
                    counts = {each["function"]: each["samples_on_core"] for each in report["sampled_functions"]}
                    samples = sum(counts.get(name, 0) for name in took)
                    if samples == 0:
                        sys.exit("truth: there are no samples; `tactus info` says why")
                    said = []
                    for name, seconds in took.items():
                        share = seconds / sum(took.values())
                        low, high = interval(counts.get(name, 0) / samples, samples)
                        held += low <= share <= high
                        all_of_them += 1
                        said.append(f"{name} {100 * share:.1f} % in {100 * low:.1f} .. {100 * high:.1f}")
                    differs = report["time"]["without_core_s"] / kept_s - 1
                    worst = max(worst, abs(differs))
                    print(f"{mpi} {seed}: {', '.join(said)}; without a core {report['time']['without_core_s']:.3f} s, "
                          f"schedstat {kept_s:.3f} s ({100 * differs:+.1f} %)", flush=True)
            finally:
                for process in beside:
                    process.kill()
                    process.wait()
    print(f"{held} of {all_of_them} intervals hold the truth; time without a core differs by at most "
          f"{100 * worst:.1f} %")


main()
