"""The trace says what a late rank did, in which function, and who called it.

Usage: busy.py CASE --mpi openmpi|mpich --tactus COMMAND --programs FOLDER

Nothing here depends on how busy the machine is: a rank sleeps for at least as long as it asked for, and computes for a
fixed time on a core. Samples on a core are checked only where the kernel allows them, which `tactus info` says.
"""
import argparse
import csv
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import expect, finish, skip  # noqa: E402

busy_s = 2  # busy.c: 20 times 100 ms


class Test:
    def __init__(self, options):
        self.options = options
        self.runs = 0
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-busy-"))

    def run(self, how, program="busy", **environment):
        """Returns the report and the facts of a run, and how it ended."""
        return self.run_command([f"{self.options.programs}/{program}", how], how, **environment)

    def run_command(self, words, how, said="donedone", **environment):
        self.runs += 1
        name = f"run{self.runs}"
        command = launchers.command(self.options.mpi, 2, words)
        outcome = launchers.run([self.options.tactus, "run", *command], self.folder,
                                {"VT_LOGFILE_NAME": name, **environment})
        expect(outcome.status == 0 and "".join(outcome.stdout.split()) == said, f"{how} runs", outcome)
        report, info = (json.loads(launchers.ask([self.options.tactus, what, "--json", name], cwd=self.folder,
                                                 check=True).stdout) for what in ("report", "info"))
        seconds = report["time"]
        parts = sum(part for name, part in seconds.items() if name != "total_s")
        expect(abs(parts - seconds["total_s"]) < 1e-6 * seconds["total_s"], f"the parts are all of the time: {seconds}")
        return report, info, outcome


def late_root(report):
    """Returns what rank 1 did before the barrier."""
    roots = [root for root in report["wait_roots"]
             if root["rank"] == 1 and root["before"]["function"] == "MPI_Barrier"]
    expect(len(roots) == 1, f"rank 1 is late at one place: {report['wait_roots']}")
    return roots[0]


def nap(test):
    """A rank that sleeps is asleep, in the function that calls usleep()."""
    report, _, outcome = test.run("nap")
    root, seconds = late_root(report), report["time"]
    expect(seconds["asleep_s"] >= 0.9 * busy_s, f"it slept for {busy_s} s: {seconds}")
    expect(root["did"]["asleep_s"] + root["did"]["off_core_s"] > root["did"]["on_core_s"], f"{root}")
    functions = {sample["function"] for sample in root["sampled"] if "blocked_in" in sample}
    expect("nap" in functions, f"it slept in nap(): {root['sampled']}")
    expect(len(outcome.stderr.splitlines()) <= 12, "the screen has at most 12 lines", outcome)


def in_turn(test):
    """A thread that is blocked at each look, but went on meanwhile, is seen in each of the functions that it was in."""
    report, _, _ = test.run("in_turn")
    counts = {function["function"]: function["samples_blocked"] for function in report["sampled_functions"]}
    expect(min(counts.get("nap", 0), counts.get("rest", 0)) >= 5, f"it slept in both, a second each: {counts}")


def compute(test):
    """A rank that computes is on a core, in the function that computes."""
    report, info, _ = test.run("compute")
    root, sampling = late_root(report), info["sampling"]
    expect(root["did"]["on_core_s"] > 0, f"{root}")
    expect(root["did"]["asleep_s"] < 0.1 * root["direct_s"], f"it never slept: {root}")
    if sampling["refused"]:
        print(f"the kernel takes no samples: {sampling['refused']}")
        return
    # Of 200 samples those are missing that hit the kernel, and those of the first look at the thread.
    counts = {function["function"]: function["samples_on_core"] for function in report["sampled_functions"]}
    expect(counts.get("compute", 0) >= 20, f"it computed in compute(): {counts}")


def in_python(test):
    """A Python program's functions are known: that which sleeps or computes, and those that call MPI."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        skip(f"the functions of Python {sys.version.split()[0]} are not known")
    script = pathlib.Path(__file__).with_name("busy_in_python.py")
    for how in ("nap", "compute"):
        report, info, outcome = test.run_command([sys.executable, script, how, test.options.mpi], how)
        counts = {function["function"]: function for function in report["sampled_functions"]}
        expect(f"Solver.{how}" in counts, f"it was in Solver.{how}(): {counts}")
        most = counts[f"Solver.{how}"]["samples_blocked" if how == "nap" else "samples_on_core"]
        expect(most >= 8, f"most of the time, of 40 looks: {counts}")
        expect(f"Solver.{how}" in " ".join(outcome.stderr.split()), "the screen names the function", outcome)
        callers = [[caller["function"] for caller in path["callers"]][-3:] for path in report["call_paths"]]
        expect(["Solver.meet", "solve", "<module>"] in callers, f"who called MPI: {report['call_paths']}")


def threads(test):
    """Threads that come and go by hundreds are no trouble."""
    report, info, _ = test.run("threads", VT_SAMPLING="200")
    expect(info["sampling"]["refused"] != "No such process", f"a thread that has ended was not refused: {info}")
    expect(late_root(report)["seconds"] >= 0, "there is a cause")


def fork(test):
    """A child of fork can load libraries, whatever the tracer looks at when it is born."""
    test.run("fork", VT_SAMPLING="200")


def off(test):
    """Without samples the system still says what the rank did."""
    report, info, _ = test.run("nap", VT_SAMPLING="off")
    expect(info["sampling"]["period_s"] == 0 and not report["sampled_functions"], f"{info['sampling']}")
    expect(report["time"]["asleep_s"] >= 0.9 * busy_s, f"{report['time']}")


def paused(test):
    """There are no samples of a thread while it records nothing, nor of one that never calls MPI meanwhile."""
    report, info, _ = test.run("paused")
    if info["sampling"]["refused"]:
        print(f"the kernel takes no samples: {info['sampling']['refused']}")
        return
    counts = {function["function"]: function["samples_on_core"] for function in report["sampled_functions"]}
    expect(counts.get("compute", 0) >= 20 and "hidden" not in counts, f"compute() was recorded alone: {counts}")


def counters(test):
    """Counters come with what the system counts; what the machine does not count is told once, and no more."""
    report, info, outcome = test.run("compute", VT_COUNTER="task_clock on; cycles on; instructions on")
    refused = {counter["name"]: counter["refused"] for counter in info["processor_counters"]}
    expect(set(refused) == {"task_clock", "cycles", "instructions"}, f"{refused}")
    told = [line for line in outcome.stderr.splitlines() if "VT_COUNTER" in line]
    expect(len(told) == any(refused.values()), f"refusals are told once: {refused}", outcome)
    counts = [rank["counts"] for rank in report["ranks"]]
    if refused["cycles"] or refused["instructions"]:
        expect(counts == [None, None], f"{counts}")
    else:
        expect(all(rank["instructions_per_cycle"] > 0.01 for rank in counts), f"{counts}")
    if refused["task_clock"]:
        print(f"the kernel counts nothing: {refused['task_clock']}")
        return
    launchers.ask([test.options.tactus, "export", "--csv=stretches", "run1", "stretches.csv"], cwd=test.folder,
                  check=True)
    with open(test.folder / "stretches.csv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    expect(len(rows) > 20 and all(row["task_clock"] for row in rows), f"each stretch has it: {rows[:3]}")
    # Rank 0 is left out: it gives its core away while it waits, and the counter leaves out the switches.
    computing = [row for row in rows if row["rank"] == "1"]
    on_core_s = sum(float(row["on_core_s"]) for row in computing)
    counted_s = 1e-9 * sum(float(row["task_clock"]) for row in computing)
    expect(0.9 * on_core_s < counted_s < 1.1 * on_core_s, f"{counted_s} s are counted of {on_core_s} s")


def refusals(test):
    """What the kernel refuses to tell is not known, and the report says so with the reason."""
    program = test.options.programs.parents[1] / "mpi" / test.options.mpi / "sampled"
    cases = {"no_samples": "refused to sample threads: Permission denied",
             "no_samples_at_all": "refused to sample threads: Function not implemented",
             "no_own_memory": "which functions called others on 2 ranks (the kernel refused to copy stacks: Operation"}
    may_mount = launchers.ask(["unshare", "--mount", "true"]).returncode == 0
    if test.options.mpi == "openmpi" and may_mount:  # MPICH needs it
        cases["no_proc"] = "whether 2 ranks had cores"
    for case, reason in cases.items():
        said = f"{case}:allasitshouldbeon2ranks"
        report, info, outcome = test.run_command([program, case], case, said)
        expect(reason in report["sentences"]["not_known"], f"{case}: {report['sentences']}", outcome)
        if "samples" in case:
            on_core = [function for function in report["sampled_functions"] if function["samples_on_core"]]
            expect(info["sampling"]["refused"] and not on_core, f"{case}: {info['sampling']} {on_core}")


def callers_of(report, function):
    """Returns the callers of the function that makes calls, of the path with most time in these."""
    paths = [path for path in report["call_paths"] if path["function"] == function]
    expect(paths, f"calls of {function} were sampled: {report['call_paths']}")
    return [caller["function"] for caller in paths[0]["callers"]]


def wrapped(test, program):
    """Waits in wrappers, all in a source file or a library of their own, are told by who called these."""
    report, _, outcome = test.run("", program)
    expect(callers_of(report, "reduce")[:3] == ["sum_of", "solve", "main"], f"{report['call_paths']}")
    expect("MPI_Allreduce at calls.c:8 in reduce, called by solve (wrapped.c:14)" in " ".join(outcome.stderr.split()),
           "the screen names the caller", outcome)


def wrapped_file(test):
    wrapped(test, "wrapped_file")


def wrapped_library(test):
    wrapped(test, "wrapped_library")


def levels(test):
    """VT_PCTRACE chooses levels of the stack, also where nothing else is sampled."""
    report, _, _ = test.run("", "wrapped_file", VT_PCTRACE="0:3", VT_SAMPLING="off")
    expect(callers_of(report, "reduce") == ["sum_of", "solve"], f"{report['call_paths']}")
    report, _, _ = test.run("", "wrapped_file", VT_PCTRACE="2:1")
    expect(callers_of(report, "reduce") == ["solve"], f"{report['call_paths']}")
    report, info, _ = test.run("", "wrapped_file", VT_PCTRACE="off")
    expect(not report["call_paths"] and info["sampling"]["calls"] == 0, f"none: {info['sampling']}")


def main():
    parser = argparse.ArgumentParser()
    cases = {case.__name__: case
             for case in (nap, in_turn, compute, in_python, threads, fork, off, counters, refusals, paused,
                          wrapped_file, wrapped_library, levels)}
    parser.add_argument("case", choices=cases)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    options = parser.parse_args()
    sys.exit(finish(Test(options), cases[options.case]))


if __name__ == "__main__":
    main()
