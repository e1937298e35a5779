#!/usr/bin/env python3
"""Runs a program untraced, under the counting library and traced; exits 1 unless the tracer changed nothing and lost
nothing.

It compares the exit status, what was printed (minus what --normalize removes), what the traced run adds on stderr (only
the tracer's own lines are allowed), and the exact number of calls of every function over all ranks. A program whose
calls differ from run to run even untraced (--same-run) is counted and traced in one run, with the counting library
before the tracer. In the traced run messages have headers. In the run that is counted and traced they have none, as by
default; TACTUS_LONG=1 adds such a run of the other programs. Each run has its own fresh folder. Runs without the
tracer are shared by all builds (shared_runs.py).
"""
import argparse
import collections
import difflib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
import shared_runs  # noqa: E402
from harness import by_chance, skip  # noqa: E402

with_headers = {"VT_PIGGYBACK": "on", "VT_PIGGYBACK_COLLECTIVES": "on"}
libmpi = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
counting_in_front = pathlib.Path(__file__).resolve().with_name("counting_in_front.sh")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tactus", required=True, help="the command; `none`: the untraced and counting runs only")
    parser.add_argument("--mpi", required=True, choices=sorted(launchers.launcher_words))
    parser.add_argument("--ranks", required=True, type=int)
    oracle = parser.add_mutually_exclusive_group(required=True)
    oracle.add_argument("--counting", help="the counting library of this MPI")
    oracle.add_argument("--counts-itself", action="store_true",
                        help="the program counts its calls, in any language, and"
                        " writes them where and as the counting library would")
    parser.add_argument("--late-mpi", action="store_true", help="the program opens libmpi late and locally, where the"
                        " counting library cannot find it: loaded behind that in the counting run")
    parser.add_argument("--same-run", action="store_true", help="count in the traced run: no two make the same calls")
    parser.add_argument("--any-order", action="store_true", help="several ranks print: the order of lines is chance")
    parser.add_argument("--without-counts", action="store_true", help="ranks are killed, so no count is to be had")
    parser.add_argument("--without-trace", action="store_true", help="the tracer need not see a call of this program")
    parser.add_argument("--may-fail-untraced", action="store_true", help="skipped where the untraced run fails: this is"
                        " more than some MPI can do")
    parser.add_argument("--status", default="0", help="the exit status the runs must have, or `fails`: any but 0, where"
                        " the launcher's race with its dying ranks decides")

    def several(name, metavar, text):
        parser.add_argument(name, action="append", default=[], metavar=metavar, help=text)
    several("--normalize", "REGEX", "removed before output is compared")
    several("--input", "FILE[:NAME]", "copied into each run's folder")
    several("--output", "NAME", "a file that the program writes, compared like what it prints")
    several("--env", "NAME=VALUE", "set for the ranks of the traced runs")
    parser.add_argument("--in-front", metavar="LIBRARY", help="of another tool, preloaded before the tracer")
    parser.add_argument("--shared", metavar="FOLDER", help="where runs without the tracer are kept for all builds")
    parser.add_argument("program", nargs="+", help="after --: the program and its arguments")
    return parser.parse_args()


def run_in(folder, options, words):
    """Runs in a new folder; returns the outcome, with the text of the output files appended to what was printed."""
    def attempt():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for item in options.input:
            source, _, name = item.partition(":")
            shutil.copy(source, folder / (name or pathlib.Path(source).name))
        outcome = launchers.run(words, folder)
        told_1 = options.status not in ("0", "1", "fails") and outcome.status == 1
        told_0 = options.status == "fails" and outcome.status == 0 and "BAD TERMINATION" not in outcome.stdout
        another = told_1 and "EXIT CODE: 1\n" in outcome.stdout or told_0 or ucx_failure in outcome.stderr
        return None if another and options.mpi.endswith("mpich") else outcome
    outcome = by_chance("MPICH's launcher tells 0 or 1 and not the program's status, or UCX ends a rank", 10, attempt)
    for name in options.output:
        path = folder / name
        content = path.read_text(errors="replace") if path.exists() else "(not written)"
        outcome.stdout += f"--- {name}\n{content}"
    return outcome


fault_words = r"tactus|Sanitizer|runtime error|[Ss]egmentation|[Aa]ssert|SIG[A-Z]{3}"

# UCX 1.18 ended 4 of 24 untraced runs of random_program with MPICH 4.2.1 with it.
ucx_failure = "Assertion `worker->inprogress++ == 0' failed"

# MPICH's launcher reports a failed job on stdout, with process ids and whichever rank came first.
mpich_failure = (r"^=+\n= +BAD TERMINATION(?:.|\n)*?^=+\n"
                 r"YOUR APPLICATION TERMINATED.*(?:\nThis typically refers.*\n.*)?$")


def normalized(text, patterns):
    for pattern in [mpich_failure] + patterns:
        text = re.sub(pattern, "", text, flags=re.M)
    return [line for line in text.replace("\0", "").splitlines() if line.strip()]  # prterun prints one


def counted(folder):
    """Returns the number of calls by function over all ranks, as the counting library saw them."""
    total = collections.Counter()
    for path in folder.glob("counts.*"):
        for line in path.read_text().splitlines():
            name, calls = line.split()
            total[name] += int(calls)
    return total


def answer(options, *words):
    """Returns what `tactus` prints when it is called with these words."""
    outcome = launchers.ask([options.tactus, *words])
    if outcome.returncode != 0:
        raise SystemExit(f"FAIL: tactus {words[0]} ends with {outcome.returncode}: {outcome.stderr.strip()}")
    return outcome.stdout


def traced_calls(options, folder):
    """Returns the number of calls by function over all ranks, as `tactus report` tells them. What killed ranks left in
    memory is brought in first, since such a rank may not have written a single block."""
    traces = sorted(folder.glob("*.tactus"))
    if len(traces) != 1:
        raise SystemExit(f"FAIL: {len(traces)} traces in the traced run's folder, expected one")
    if options.without_counts:
        answer(options, "recover", str(traces[0]))
    report = answer(options, "report", "--json", str(traces[0]))
    total = collections.Counter()
    for function in json.loads(report)["functions"]:
        total[function["name"]] += function["calls"]
    return total


def show(outcome):
    for title, text in (("stdout", outcome.stdout), ("stderr", outcome.stderr)):
        if text.strip():
            print(f"--- {title}\n{text[-4000:].rstrip()}")


def status_faults(status, title, expected):
    if status is None:
        return [f"the {title} run did not end in time"]
    if status == 0 if expected == "fails" else status != int(expected):
        return [f"the {title} run ends with status {status}, expected: {expected}"]
    return []


def compare_status(untraced, other, title, expected):
    return status_faults(untraced.status, "untraced", expected) + status_faults(other.status, title, expected)


def compare_output(options, untraced, other, title):
    before, after = (normalized(run.stdout, options.normalize) for run in (untraced, other))
    if options.any_order:
        before, after = sorted(before), sorted(after)
    difference = list(difflib.unified_diff(before, after, "untraced", title, lineterm="", n=1))
    return [f"the {title} run prints something else:"] + difference[:60] if difference else []


def others_lines(stderr):
    """Leaves out the tracer's own lines: those that begin with "tactus:", and the screen at the end, which is the
    indented lines after such a line."""
    ours = False
    for line in stderr.replace("\0", "").splitlines():  # prterun prints one behind its last line
        ours = line.startswith("tactus:") or (ours and line.startswith("  "))
        if not ours:
            yield line


def compare_stderr(untraced, traced, expected_status):
    """Expects nothing new but the tracer's own lines. When a job is meant to fail, what its launcher says depends on
    the rank that it hears of first. Then only what sounds like a fault of the tracer is wrong."""
    def masked(line):
        # Vector instructions of the program raise that flag for what a register happens to hold.
        line = line.replace(" IEEE_DENORMAL", "")
        return re.sub(r"[\s.#]+", " ", re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", line)).strip()
    known = {masked(line) for line in untraced.stderr.splitlines()} | {""}
    new = [line for line in others_lines(traced.stderr) if masked(line) not in known]
    if expected_status != "0":
        new = [line for line in new if re.search(fault_words, line)]
    return [f"the traced run has new lines on stderr: {line}" for line in new[:20]]


def compare_counts(expected, seen):
    if not expected:
        return ["nothing was counted: is the program linked to this MPI, or does it not count itself?"]
    rows = []
    for name in sorted(expected.keys() | seen.keys()):
        if expected[name] != seen[name]:
            rows.append(f"  {name:32} {expected[name]:>12} {seen[name]:>12} {seen[name] - expected[name]:>+10}")
    title = f"calls differ:\n  {'function':32} {'counted':>12} {'traced':>12} {'difference':>10}"
    return [title] + rows if rows else []


class Comparison:
    """The runs of one program, each in a folder below `home`, and what is wrong with them."""

    def __init__(self, options, home):
        self.options, self.home, self.faults, self.last, self.calls = options, home, [], None, 0
        self.shared = shared_runs.SharedRuns(options.shared)
        self.untraced, _ = self.without_tracer("untraced", [], {})

    def run(self, title, program, environment, traced_with=None):
        """Runs a program untraced, or traced with these options."""
        options, exported, tracer = self.options, {}, []
        if traced_with is not None:
            # A sanitizer's runtime and its options are only for the library under test.
            exported = {**traced_with, **dict(item.split("=", 1) for item in options.env)}
            tracer = [options.tactus, "run"]
            if program[0] == str(counting_in_front) and options.mpi.startswith("abi_"):
                tracer += ["--mpi", "abi"]  # which a script does not show
        words = launchers.command(options.mpi, options.ranks, program, environment, exported)
        return run_in(self.home / title, options, tracer + words)

    def without_tracer(self, title, preload, environment):
        """Makes a run that all builds share; returns its outcome and the calls that a preloaded library counted."""
        options, path = self.options, None
        if options.shared:
            path = self.shared.path(options.mpi, options.ranks, options.program, options.input, options.output, preload)
            if kept := self.shared.get(path):
                return kept[0], collections.Counter(kept[1])
        outcome = self.run(title, options.program, environment)
        calls = counted(self.home / title)
        if path and not status_faults(outcome.status, title, options.status):
            self.shared.put(path, outcome, calls)
        return outcome, calls

    def check(self, title, other):
        self.last = other
        self.faults += compare_status(self.untraced, other, title, self.options.status)
        self.faults += compare_output(self.options, self.untraced, other, title)

    def counting(self):
        """Runs under the counting library alone."""
        folder = self.home / "counting"
        preload = self.options.counting + (":" + libmpi[self.options.mpi] if self.options.late_mpi else "")
        environment = {"LD_PRELOAD": preload, "COUNTING_DIR": str(folder)}
        outcome, calls = self.without_tracer("counting", preload.split(":"), environment)
        self.check("counting", outcome)
        return calls

    def traced(self):
        """Runs under the tracer alone."""
        program, tool = self.options.program, self.options.in_front
        if tool:
            program = [str(counting_in_front), tool, str(self.home / "traced")] + program
        traced = self.run("traced", program, {}, with_headers)
        self.check("traced", traced)
        self.faults += compare_stderr(self.untraced, traced, self.options.status)
        if traced.status is None or self.options.without_trace:
            return None
        seen = traced_calls(self.options, self.home / "traced")
        if not self.options.without_counts:
            return seen
        if not seen:
            self.faults.append("the trace of the killed ranks holds no call")
        return None

    def counted_by_itself(self):
        """Runs under the tracer alone, while the program itself counts."""
        folder = self.home / "counts"
        folder.mkdir()
        traced = self.run("traced", self.options.program, {"COUNTING_DIR": str(folder)}, with_headers)
        self.check("traced", traced)
        self.faults += compare_stderr(self.untraced, traced, self.options.status)
        if traced.status is not None:
            self.compare_calls(counted(folder), traced_calls(self.options, self.home / "traced"))

    def counted_and_traced(self):
        """Runs under both, with the default options. A shell on each rank puts the counting library before the tracer,
        which would come first otherwise."""
        options, folder = self.options, self.home / "both"
        program = [str(counting_in_front), options.counting, str(folder)] + options.program
        both = self.run("both", program, {}, traced_with={})
        self.check("counted and traced", both)
        if both.status is not None:
            self.compare_calls(counted(folder), traced_calls(options, folder))

    def compare_calls(self, expected, seen):
        self.calls = sum(expected.values())
        self.faults += compare_counts(expected, seen)

    def everything(self):
        if self.untraced.status is None:
            self.last = self.untraced
            self.faults.append("the untraced run did not end in time: nothing to compare with")
            return
        faults = status_faults(self.untraced.status, "untraced", self.options.status)
        if faults and self.options.may_fail_untraced:
            skip(faults[0])
        if self.options.counts_itself:
            self.counted_by_itself()
            return
        if self.options.without_trace and self.options.tactus != "none":
            self.traced()
            return
        expected = self.counting()
        if self.options.tactus == "none":
            self.compare_calls(expected, expected)
            return
        seen = None if self.faults else self.traced()
        if self.faults or seen is None:
            return
        if self.options.same_run:
            self.counted_and_traced()
            return
        self.compare_calls(expected, seen)
        if "TACTUS_LONG" in os.environ:
            self.check("defaults", self.run("defaults", self.options.program, {}, traced_with={}))


def main():
    options = parse_arguments()
    if options.counting:
        options.counting = str(pathlib.Path(options.counting).resolve())
        if not pathlib.Path(options.counting).exists():
            sys.exit(f"FAIL: no counting library at {options.counting}: build the target counting_{options.mpi}")
    if "/" in options.program[0]:
        options.program[0] = str(pathlib.Path(options.program[0]).resolve())  # the runs have other folders
    if options.tactus != "none":
        options.tactus = str(pathlib.Path(options.tactus).resolve())
    with tempfile.TemporaryDirectory(prefix="traced-equals-untraced-") as home:
        comparison = Comparison(options, pathlib.Path(home))
        comparison.everything()
    if comparison.faults:
        comparison.shared.forget()
        print("FAIL: " + "\n".join(comparison.faults))
        print("=== untraced")
        show(comparison.untraced)
        print("=== compared with it")
        show(comparison.last)
        sys.exit(1)
    print(f"same status, same output, {comparison.calls} calls"
          + ("" if options.tactus != "none" else " (untraced and counting runs only)"))


if __name__ == "__main__":
    main()
