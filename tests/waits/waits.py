"""Planted problems are named: kind, who, for whom, where, and how much.   waits.py --mpi MPI --tactus FILE --planted
FILE [--seed N] [PROBLEM ...]

Each program loses time in one known way and prints how much it measured itself. tactus must find the same within 5 %,
also when the ranks' clocks are wrong. Without PROBLEM there are all but `clean`, which loses none: beside other
programs it would.
"""
import argparse
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import Failed, expect, on_a_core, seconds_without_core, skip_if_not_judged  # noqa: E402

problems = {  # with ranks
    "late_sender": 2, "late_sender_of_wait": 2, "late_sender_of_probe": 2, "late_receiver": 2,
              "late_receiver_of_waitall": 3,
    "hot_receiver": 4, "wrong_order": 2, "slow_rank_at_barrier": 4, "unneeded_barrier": 3, "imbalanced_loop": 4,
              "slow_host": 4,
    "early_reduce": 3, "late_root": 4, "late_in_scan": 3, "late_in_alltoallv": 3, "late_in_iallreduce": 3,
              "late_neighbor": 4,
    "fence_late": 3, "late_complete": 2, "held_lock": 3, "serialized_io": 4, "chain_of_delays": 4,
              "contention_of_communicators": 3,
    "late_at_the_end": 3, "clean": 2,
}
wrong_clock = "1-63:offset=1ms,ppm=20"


def in_program(text):
    """Returns whether a text names a place in one of the sources of the problems."""
    return re.search(r"(planted\.c|windows\.h):\d", text) is not None


def run(options, folder, problem, ranks, **env):
    """Returns what was planted, the report, and how the run ended."""
    shutil.rmtree(folder / "it.tactus", ignore_errors=True)
    program = [options.planted, problem, str(options.seed)]
    command = launchers.command(options.mpi, ranks, program)
    outcome = launchers.run([options.tactus, "run", *command], folder, {"VT_LOGFILE_NAME": "it", **env})
    expect(outcome.status == 0, f"{problem} ends with {outcome.status}:\n{outcome.stdout}{outcome.stderr}")
    lines = [line.split() for line in outcome.stdout.splitlines()]
    kind, victim, causer, function, causer_function, seconds, root, meeting = next(line[1:] for line in lines
                                                                                   if line[:1] == ["planted"])
    ends = [float(line[2]) for line in lines if line[:1] == ["mark"]]  # these ranks can no longer tell each other
    planted = {"kind": kind, "victim": int(victim), "causer": int(causer), "function": function,
               "causer_function": causer_function,
               "seconds": float(seconds) + sum(max(ends) - end for end in ends), "root": int(root),
               "meeting": float(meeting)}
    report = launchers.ask([options.tactus, "report", "--json", "it.tactus"], cwd=folder, check=True)
    return planted, json.loads(report.stdout), outcome


def holds_anywhere(problem, report):
    """Expects what does not depend on when the ranks had a core."""
    efficiency = report["efficiency"]
    expect(all(0 < value <= 1.000001 for value in efficiency.values()), f"{problem}: {efficiency}")
    product = efficiency["load_balance"] * efficiency["serialisation"] * efficiency["transfer"]
    expect(abs(efficiency["parallel"] - product) < 1e-9, f"{problem}: {efficiency}")
    roots = report["wait_roots"]
    in_all = sum(root["seconds"] for root in roots)
    waited = sum(wait["seconds"] for wait in report["waits"])
    expect(abs(in_all - waited) <= 1e-6 * waited + 1e-9, f"{problem}: of {waited} s of waiting {in_all} s have a root")
    path = sum(rank["critical_path_s"] for rank in report["waiting_ranks"])
    spans = [rank["seconds"] for rank in report["waiting_ranks"]]  # each until the last rank came to MPI_Finalize
    expect(min(spans) - 1e-6 <= path <= max(spans) + 1e-6, f"{problem}: the critical path takes {path} s of {spans}")


def check(options, folder, problem, **env):
    """Returns what was found, or None if ranks without a core were late in a way that might hide it."""
    planted, report, outcome = run(options, folder, problem, problems[problem], **env)
    holds_anywhere(problem, report)
    kind, function, seconds = planted["kind"], planted["function"], planted["seconds"]
    if kind == "none" and seconds > 0.002:  # half of what is worth naming
        return None
    screen = outcome.stderr
    first = report["sentences"]["loss"]  # the screen's finding may be another part of the time, such as MPI_Init
    expect("  finding " in screen, f"{problem}: {screen}")
    in_meetings = [wait for wait in report["waits"]
                   if wait["kind"] == "barrier" and "marks.h:" in wait["place"]["text"]]
    lost_in_meetings = sum(wait["seconds"] for wait in in_meetings)
    as_measured = lost_in_meetings < 1.2 * planted["meeting"]  # the ranks came to the meetings one after the other
    if kind == "none":
        if report["waits"] and report["waits"][0] in in_meetings and as_measured and "no waiting above" not in first:
            return None
        expect("no waiting above" in first and "  cause " not in screen, f"{problem}: is clean: {first}")
        return f"{problem} {report['efficiency']}"
    largest, roots = report["waits"][0], report["wait_roots"]
    places = {wait["place"]["text"]
              for wait in report["waits"]} if problem == "contention_of_communicators" else {largest["place"]["text"]}
    same = [wait for wait in report["waits"] if wait["kind"] == kind and wait["place"]["function"] == function
            and wait["place"]["text"] in places]
    found = sum(wait["seconds"] for wait in same)
    if (largest in in_meetings or lost_in_meetings > found) and as_measured:
        return None
    allowed = min(0.05 * seconds, 0.01 * report["waits_total_s"])
    if allowed < abs(found - seconds) < seconds_without_core(outcome):  # between a mark and the call behind it
        print(f"{problem}: {found} s, planted were {seconds}")
        return None
    wrong_causer = planted["causer"] >= 0 and largest["causer"] != planted["causer"]
    if wrong_causer and seconds_without_core(outcome) > allowed:
        print(f"{problem}: rank {largest['causer']} was later than the planted one")
        return None
    expect(largest in same, f"{problem}: {kind} in {function} is the largest: {report['waits'][:3]}")
    expect(abs(found - seconds) <= allowed, f"{problem}: {found} s, planted were {seconds}, {allowed} s are allowed")
    expect(largest["causer_place"]["function"] == planted["causer_function"], f"{problem}: {largest}")
    expect(kind == "finalize" or in_program(largest["place"]["text"]), f"{problem}: {largest}")
    expect(planted["victim"] < 0 or largest["victim"] == planted["victim"], f"{problem}: the victim: {largest}")
    expect(planted["causer"] < 0 or largest["causer"] == planted["causer"], f"{problem}: the causer: {largest}")
    expect(function in first and (kind == "finalize" or in_program(first)), f"{problem}: the sentence: {first}")
    expect(f"rank {largest['causer']}" in first or planted["causer"] < 0, f"{problem}: the sentence: {first}")
    if "  cause " not in screen:  # not named below 1 %; a busy machine makes a run long
        expect(roots[0]["seconds"] < 0.01 * report["waits_total_s"], f"{problem}: a cause is named: {screen}")
        return None
    comes_from = screen[screen.index("  cause "):].splitlines()[0]
    to_blame = planted["root"] if planted["root"] >= 0 else planted["causer"]
    expect(to_blame < 0 or roots[0]["rank"] == to_blame, f"{problem}: who is to blame: {roots[:2]}")
    named = comes_from.split(",")[0].endswith(f"rank {to_blame}")
    expect(to_blame < 0 or named, f"{problem}: the screen: {comes_from}")
    if problem == "slow_host" and "of host slow" not in first:
        # Ranks of the other host come 7 ms earlier, unless they have no core.
        expect(seconds_without_core(outcome) > 0.007, f"{problem}: the host is named: {first}")
        return None
    return f"{problem} {found:.4f} s of {seconds:.4f} planted; {first.strip()}; {comes_from.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", nargs="*", choices=[[], *problems])
    for name in ("mpi", "tactus", "planted"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-waits-"))
    try:
        for problem in options.problem or [name for name in problems if name != "clean"]:
            right, wrong = ("2-3:host=slow",
                            "2-3:host=slow,offset=1ms,ppm=20") if problem == "slow_host" else ("", wrong_clock)
            for clock in right, wrong:
                env = {"VT_TEST_CLOCK": clock} if clock else {}
                part = f"{problem} with {'wrong' if clock == wrong else 'right'} clocks"
                said = on_a_core(part, "a rank had no core, and was late",
                                 lambda: check(options, folder, problem, **env), fails_alone=problem != "clean")
                if said:
                    print(said, flush=True)
    except Failed as failure:
        print(f"{failure}\nleft in {folder}")
        return 1
    shutil.rmtree(folder)
    skip_if_not_judged()
    return 0


if __name__ == "__main__":
    sys.exit(main())
