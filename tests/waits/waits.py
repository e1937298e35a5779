"""Planted problems are named: kind, who, for whom, where, and how much.   waits.py --mpi MPI --tactus FILE --planted FILE [--seed N] [PROBLEM ...]

Each program loses time in one known way and says how much it measured itself. What tactus says must be the same within 5 %,
also when the ranks' clocks are wrong.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402

problems = {  # with ranks; MPICH spins where it waits, so that more than there are cores say little
    "late_sender": 2, "late_sender_of_wait": 2, "late_sender_of_probe": 2, "late_receiver": 2, "late_receiver_of_wait": 2,
    "wrong_order": 2, "slow_rank_at_barrier": 4, "imbalanced_loop": 4, "early_reduce": 3, "late_root": 4, "late_in_scan": 3,
    "late_in_alltoallv": 3, "late_in_iallreduce": 3, "fence_late": 3, "clean": 2,
}
wrong_clock = "1-63:offset=1ms,ppm=20"


class Failed(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failed(message)


def run(options, folder, problem, ranks, **env):
    """What was planted, and the report."""
    shutil.rmtree(folder / "it.tactus", ignore_errors=True)
    command = launchers.command(options.mpi, ranks, [options.planted, problem, str(options.seed)])
    outcome = launchers.run([options.tactus, "run", *command], folder, 100, {"VT_LOGFILE_NAME": "it", **env})
    expect(outcome.status == 0, f"{problem} ends with {outcome.status}:\n{outcome.stdout}{outcome.stderr}")
    planted = next(line.split() for line in outcome.stdout.splitlines() if line.startswith("planted "))
    report = subprocess.run([options.tactus, "report", "--json", "it.tactus"], cwd=folder, capture_output=True, text=True, check=True, timeout=100)
    return planted[1:], json.loads(report.stdout), outcome.stderr


def check(options, folder, problem, **env):
    ranks = problems[problem] if options.mpi == "openmpi" else 2
    (kind, victim, causer, function, causer_function, seconds), report, screen = run(options, folder, problem, ranks, **env)
    efficiency = report["efficiency"]
    expect(all(0 < value <= 1.000001 for value in efficiency.values()), f"{problem}: {efficiency}")
    first = screen[screen.index("  lost "):].splitlines()[0]
    if kind == "none":
        expect("no wait takes" in first, f"{problem}: is clean: {first}")
        return f"{problem} {efficiency}"
    seconds = float(seconds)
    largest = report["waits"][0]
    same = [wait for wait in report["waits"] if wait["kind"] == kind and wait["place"]["function"] == function]
    found = sum(wait["seconds"] for wait in same)
    expect(largest in same, f"{problem}: {kind} in {function} is the largest: {report['waits'][:3]}")
    expect(abs(found - seconds) <= 0.05 * seconds, f"{problem}: {found} s, planted were {seconds}")
    expect(largest["causer_place"]["function"] == causer_function and "planted.c:" in largest["place"]["text"], f"{problem}: {largest}")
    expect(int(victim) < 0 or largest["victim"] == int(victim), f"{problem}: the victim: {largest}")
    expect(int(causer) < 0 or largest["causer"] == int(causer), f"{problem}: the causer: {largest}")
    expect(function in first and f"rank {largest['causer']}" in first and "planted.c:" in first, f"{problem}: the screen: {first}")
    return f"{problem} {found:.4f} s of {seconds:.4f} planted; {first.strip()}"


def check_patiently(*args, **env):
    """On a machine that does other things a rank may be late without being asked to: it may be so once or twice."""
    for attempt in range(3):
        try:
            return check(*args, **env)
        except Failed as failure:
            print(f"attempt {attempt + 1}: {failure}", flush=True)
            last = failure
    raise last


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", nargs="*", choices=[[], *problems])
    for name in ("mpi", "tactus", "planted"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-waits-"))
    try:
        for problem in options.problem or problems:
            for clock in {}, {"VT_TEST_CLOCK": wrong_clock}:
                print(check_patiently(options, folder, problem, **clock), flush=True)
    except Failed as failure:
        print(f"FAILED: {failure}\nleft in {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
