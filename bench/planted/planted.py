#!/usr/bin/env python3
"""Counts how often the closing screen and the report of tactus name a problem that was planted.

Each program of problems/ has one problem, and those of healthy/ have none. They are compiled and run traced, one after
the other. README.md says what is counted. Prints a line for each run, and then the sums. Exits with 1 if a program
failed or had no screen; it is no test, so that a problem that nobody names is no failure.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root / "tests"))
import launchers  # noqa: E402

import judging  # noqa: E402

patience_s = 120
busy_machine = 0.1  # cores; other programs that use more disturb a run
# Without -fno-inline a function that is to be named could become a part of its caller.
compiler_options = ["-O2", "-g", "-fno-inline", "-D_GNU_SOURCE", "-w", "-fopenmp", "-pthread", f"-I{here}"]
compilers = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort"}


@dataclass
class Outcome:
    """What tactus said of a run. `others` is the number of cores that other programs used meanwhile."""
    screen: str
    report: str
    facts: dict
    others: float

    def is_disturbed(self):
        return self.others > busy_machine


@dataclass
class Row:
    """How one form of a problem was judged. `clear`: whether the screen says that there is no problem."""
    problem: judging.Problem
    name: str
    screen: judging.Score
    report: judging.Score
    clear: bool


class Failed(Exception):
    """A program could not be compiled, failed, or was not traced."""


def run(words, folder):
    """Runs a command in a session of its own, and returns what it printed on standard output and standard error."""
    variables = {"COLUMNS": "0", "OMPI_MCA_hwloc_base_binding_policy": "none"}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        with subprocess.Popen([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=err, env={**os.environ, **variables}, start_new_session=True) as process:
            try:
                status = process.wait(patience_s)
            except subprocess.TimeoutExpired as late:
                raise Failed(f"{words[0]} took more than {patience_s} s") from late
            finally:
                if process.poll() is None:
                    started = launchers.descendants(process.pid)  # Launchers give ranks groups of their own.
                    os.killpg(process.pid, signal.SIGKILL)
                    launchers.end(started, process)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read())
        if status != 0:
            raise Failed(f"{' '.join(map(str, words))} ended with {status}\n{texts[1]}")
        return texts


def busy_s():
    """Returns for how many seconds all cores were used since the machine started."""
    ticks = [int(number) for number in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return (sum(ticks[:8]) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")  # without idle and iowait


def seconds_of_children():
    times = os.times()
    return times.children_user + times.children_system


def wait_until_quiet(limit_s):
    """Waits until other programs leave the cores alone for a second, but no longer than this."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        before = busy_s()
        time.sleep(1)
        if busy_s() - before <= busy_machine:
            return


def run_traced(options, words, folder, spinner_core):
    """Runs a program traced. Returns its closing screen and the number of cores that other programs used."""
    shutil.rmtree(folder / "planted.tactus", ignore_errors=True)
    wait_until_quiet(options.quiet)
    busy, own, begin = busy_s(), seconds_of_children(), time.monotonic()
    spinner = None
    try:
        if spinner_core is not None:
            spinner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            os.sched_setaffinity(spinner.pid, {spinner_core})
        screen = run([options.tactus, "run", "-o", "planted", *words], folder)[1]
    finally:
        if spinner is not None:
            spinner.kill()
            spinner.wait()
    others = (busy_s() - busy - (seconds_of_children() - own)) / (time.monotonic() - begin)
    if not re.search(r"^tactus: .* \d+ ranks?\b", screen, re.M):
        raise Failed(f"no screen:\n{screen}")
    return screen[screen.find("tactus: "):], others


def outcome_of(options, mpi, source, size, form, spinner_core=None):
    """Compiles a program, runs it traced, and returns its Outcome. A run that others disturbed is repeated."""
    folder = options.keep / "-".join([mpi, source.name, *[form] * bool(form)])
    folder.mkdir(parents=True, exist_ok=True)
    if source.suffix == ".py":
        program = ["/usr/bin/python3", str(source)]
    else:
        program = [str(folder / source.stem)]
        run([f"{compilers[source.suffix]}.{mpi}", *compiler_options, source, "-o", program[0]], folder)
    words = launchers.command(mpi, size, program + ([form] if form else []))
    for _ in range(options.tries):
        screen, others = run_traced(options, words, folder, spinner_core)
        if others <= busy_machine:
            break
    report = run([options.tactus, "report", "planted.tactus"], folder)[0]
    facts = run([options.tactus, "report", "--json", "planted.tactus"], folder)[0]
    for name, text in {"screen.txt": screen, "report.txt": report, "report.json": facts}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Outcome(screen, report, json.loads(facts), others)


def note_on(outcome):
    return f" (other programs used {outcome.others:.1f} cores)" if outcome.is_disturbed() else ""


def run_problem(options, mpi, problem, form):
    core = sorted(os.sched_getaffinity(0))[1] if problem.kind == "foreign" else None
    outcome = outcome_of(options, mpi, here / "problems" / problem.source, problem.size, form, core)
    row = Row(problem, f"{problem.source} {form}".strip(), judging.score_screen(problem, outcome.screen),
              judging.score_report(problem, outcome.report, outcome.facts), judging.is_all_clear(outcome.screen))
    print(f"{row.name:24} screen {row.screen.text():38} report {row.report.text()}"
          f"{' FALSE ALL-CLEAR' if row.clear else ''}{note_on(outcome)}", flush=True)
    return row


def run_healthy(options, mpi, source, size):
    """Returns the name of the program, the alarms on its screen, and whether they are false: they may be true of a run
    that others disturbed."""
    outcome = outcome_of(options, mpi, here / "healthy" / source, size, "")
    found = judging.alarms(outcome.screen)
    false = bool(found) and not outcome.is_disturbed()
    kind = "FALSE ALARM" if false else "alarm" if found else "no alarm"
    print(f"{source:24} {kind}{note_on(outcome)}", *found, sep="\n    ", flush=True)
    return source, found, false


def total(rows, points):
    """Adds up the points of all rows. A problem counts once, with the mean of its forms."""
    forms = {}
    for row in rows:
        forms.setdefault(row.problem.name(), []).append(points(row))
    return f"{sum(sum(values) / len(values) for values in forms.values()):.3g} of {len(forms)}"


def sums(rows, checked):
    return [f"screen {total(rows, lambda row: row.screen.points)}, report {total(rows, lambda row: row.report.points)}",
            f"if functions need not be named: screen {total(rows, lambda row: row.screen.without_function())}, "
            f"report {total(rows, lambda row: row.report.without_function())}",
            f"false all-clears: {sum(row.clear for row in rows)} of {len(rows)} runs",
            f"false alarms: {sum(false for _, _, false in checked)} of {len(checked)} healthy programs; alarms while "
            f"other programs used the cores: {sum(bool(found) > false for _, found, false in checked)}"]


def markdown(results):
    lines = ["# Planted problems", "",
             "`bench/planted/planted.py --write` wrote this page, and `bench/planted/README.md` says what is counted."]
    for mpi, (rows, checked) in results.items():
        lines += ["", f"## {mpi}", "", "| problem | screen | missing | report | missing |", "|---|---|---|---|---|"]
        for row in rows:
            missing = [*row.screen.missing, *["**false all-clear**"] * row.clear]
            lines.append(f"| {row.name} | {row.screen.points:g} | {', '.join(missing)} | {row.report.points:g} | "
                         f"{', '.join(row.report.missing)} |")
        lines += ["", "| healthy program | false alarm |", "|---|---|"]
        lines += [f"| {name} | {'; '.join(found) if false else 'none'} |" for name, found, false in checked]
        lines += ["", *[f"* {line}" for line in sums(rows, checked)]]
    return "\n".join(lines) + "\n"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=["mpich", "openmpi", "both"], default="both")
    parser.add_argument("--tactus", type=pathlib.Path, default=root / "build" / "release" / "bin" / "tactus")
    parser.add_argument("--only", default="", help="only programs whose file and form match this expression")
    parser.add_argument("--quiet", type=float, default=30, metavar="SECONDS",
                        help="how long each run waits for other programs to leave the cores alone")
    parser.add_argument("--tries", type=int, default=3, help="how often a run is made that other programs disturb")
    parser.add_argument("--keep", type=pathlib.Path, help="the folder in which programs, screens and reports are kept")
    parser.add_argument("--write", type=pathlib.Path, help="also write the table there, in Markdown")
    return parser.parse_args()


def attempt(failures, work, *arguments):
    """Returns a list of what `work` returns, which is empty if it failed."""
    try:
        return [work(*arguments)]
    except Failed as failure:
        failures.append(failure)
        print(f"FAILED: {failure}", flush=True)
        return []


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # What was started is ended, too.
    options = parse_arguments()
    options.tactus = options.tactus.resolve()
    results, failures = {}, []
    with tempfile.TemporaryDirectory(prefix="tactus-planted-") as scratch:
        options.keep = (options.keep or pathlib.Path(scratch)).resolve()
        for mpi in ["mpich", "openmpi"] if options.mpi == "both" else [options.mpi]:
            print(f"--- {mpi}")
            rows, checked = results[mpi] = [], []
            for problem, form in [(problem, form) for problem in judging.problems for form in problem.forms]:
                if re.search(options.only, f"{problem.source} {form}") and problem.mpi in ("", mpi):
                    rows += attempt(failures, run_problem, options, mpi, problem, form)
            for source, size in judging.healthy.items():
                if re.search(options.only, source):
                    checked += attempt(failures, run_healthy, options, mpi, source, size)
            print(*[f"{mpi}: {line}" for line in sums(rows, checked)], sep="\n")
    if options.write:
        options.write.write_text(markdown(results), encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
