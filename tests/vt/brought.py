#!/usr/bin/env python3
"""What users of Intel's collector bring: sequences of calls and configurations, and what becomes of each. The answers
stand in docs/intel-cases.md, which this compares with what happens; --write writes the page anew.
Usage: brought.py PROGRAM --mpi NAME --tactus COMMAND [--write]; see sequences.c"""
import argparse
import json
import pathlib
import re
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
page = here.parents[1] / "docs" / "intel-cases.md"
sys.path.insert(0, str(here.parent))
import launchers  # noqa: E402
from harness import expect  # noqa: E402

HEAD = """# Cases of Intel's users

What public programs and configuration files for Intel's collector do, each in its smallest form, and what becomes of
it. `tests/vt/brought.py` runs them all on both MPIs and compares with this page; with `--write` it writes the page.

## Sequences of calls

Every sequence runs on one rank, between `MPI_Init` and `MPI_Finalize` unless it says otherwise. `tests/vt/sequences.c`
has their code. Untraced, each call returns VT_OK.

| what the program does | in the trace | what else |
|---|---|---|
"""

CONFIGURATIONS_HEAD = """
## Configurations

Each is a configuration file, or an environment, under which two ranks run three rounds of a step with a barrier.
"Everything" is six regions of each of `solver:step` and `solver:halo`, and ten calls of MPI.

| configuration | in the trace | what tactus says |
|---|---|---|
"""

SEQUENCES = {
    "named_regions": "defines a class and functions, and begins and ends them by handle",
    "noclass_function": "defines a function without a class",
    "own_numbers": "names a number of its own by `VT_symdef`",
    "enter_leave_located": "enters and leaves with a source location",
    "enter_leave_nowhere": "enters and leaves with `VT_NOSCL`",
    "leave_by_state": "gives `VT_leave` the function's handle",
    "enter_with_class": "gives `VT_enter` the class where the source location belongs",
    "end_by_zero": "ends regions by `VT_end(0)`",
    "end_outer": "ends the outer region while the inner one is open",
    "overlapping_timers": "begins a, begins b, ends a, ends b",
    "unordered_timers": "does the same by `VT_begin_unordered` and `VT_end_unordered`",
    "located_once": "names the source location by `VT_thisloc` and `VT_endl`",
    "scopes": "begins and ends a scope",
    "counters": "defines two counters, one with bounds of two ints, and gives one of them a value",
    "own_messages": "logs messages that are not MPI's",
    "comments": "writes a comment into the trace",
    "off_and_on": "switches tracing off for the second of three phases",
    "controlled": "does so by `MPI_Pcontrol` for the first of two phases",
    "never_defined": "begins and ends a handle that nobody defined",
    "never_ended": "leaves a region open",
    "threads": "names a thread and begins a region there",
    "timed": "synchronizes clocks, asks for the time and flushes",
    "versions": "compiles its calls only where `VT_VERSION` is between 2090 and 3101",
    "defined_before_init": "defines its functions before `MPI_Init`",
    "off_before_init": "calls `VT_traceoff` before `MPI_Init`",
    "initialized_twice": "calls `VT_initialize`, `MPI_Init`, `VT_finalize` and `MPI_Finalize`",
    "nothing": "defines functions and never calls them",
}

EVERYTHING = "6 regions `solver:step`, 6 regions `solver:halo`, 10 calls of MPI"

# Lines of a configuration file; a line that begins with VT_ is a variable of the environment instead.
CONFIGURATIONS = [
    [],
    ["LOGFILE-NAME wave.stf"],
    ["LOGFILE-PREFIX traces"],
    ["CURRENT-DIR \"sub\""],
    ["LOGFILE-FORMAT STFSINGLE"],
    ["PROCESS 0 ON", "PROCESS 1:N OFF"],
    ["PROCESS 0:N OFF", "PROCESS 1 ON"],
    ["VT_PROCESS=OFF"],
    ["SYMBOL ** OFF", "SYMBOL MPI_Barrier ON"],
    ["SYMBOL \"MPI_*\" OFF"],
    ["ACTIVITY MPI OFF"],
    ["ACTIVITY solver OFF"],
    ["STATE Application:* OFF", "STATE MPI:* ON"],
    ["STATE solver:halo OFF"],
    ["STATE solver:* FOLD"],
    ["STATISTICS ON"],
    ["STATISTICS ON", "PROCESS 0:N OFF"],
    ["PCTRACE 5"],
    ["PCTRACE 99"],
    ["CHECK ** OFF", "CHECK LOCAL:** ON"],
    ["DEADLOCK-TIMEOUT 10s"],
    ["COUNTER solver:residual OFF"],
    ["COUNTER cpu_usr ON"],
    ["OS-COUNTER-DELAY 1s"],
    ["MEM-BLOCKSIZE 64KB", "MEM-MAXBLOCKS 4096"],
    ["MEM-OVERWRITE ON"],
    ["AUTOFLUSH off"],
    ["FLUSH-PREFIX /tmp", "FLUSH-PID on"],
    ["TIMER gettimeofday"],
    ["TIMER CPU"],
    ["SYNC-PERIOD 1s", "SYNC-MAX-MESSAGES 20"],
    ["VERBOSE 3"],
    ["PROGNAME wave"],
    ["CLUSTER 0:N one"],
    ["VT_ROOT=/opt/itac", "VT_LIB_DIR=/opt/itac/lib", "VT_ADD_LIBS=-ldwarf -lelf"],
    ["VT_LOGFILE_NAMES=wave"],
    ["LOGFILE-NAME"],
    ["SYMBOL MPI_Barrier MAYBE"],
]


def run(options, folder, ranks, sequence, environment, traced):
    """Returns the outcome of a run of the program."""
    words = launchers.command(options.mpi, ranks, [options.program, sequence])
    if traced:
        words = [options.tactus, "run", *words]
    return launchers.run(words, folder, environment)


def said(outcome, folder):
    """Returns the lines of a run's stderr before the closing screen, without what differs from run to run."""
    lines = []
    for line in outcome.stderr.splitlines():
        if re.match(r"tactus: \w+ on \d+ rank", line):
            break
        if line.startswith("tactus: "):
            lines.append(line.removeprefix("tactus: ").replace(f"{folder}/", ""))
    return lines


def number(count, singular, plural):
    return f"{count} {singular if count == 1 else plural}"


def contents(options, folder):
    """Returns in words what the traces below the folder hold, and what they lost."""
    traces = sorted(path for path in folder.rglob("*.tactus") if path.is_dir())
    if not traces:
        return "no trace", []
    expect(len(traces) == 1, f"one trace, not {traces}")
    asked = {command: json.loads(launchers.ask([options.tactus, command, "--json", traces[0]]).stdout)
             for command in ("report", "info")}
    report = asked["report"]
    parts = []
    for region in report["regions"]:
        what = "scope" if region["scope"] else "region"
        parts.append(f"{number(region['count'], what, what + 's')} `{region['name']}`"
                     + (f" ({region['unfinished']} unfinished)" if region["unfinished"] else ""))
    parts += [f"{number(counter['values'], 'value', 'values')} of counter `{counter['name']}`"
              for counter in report["counters"]]
    if report["comments"]:
        parts.append(number(report["comments"], "comment", "comments"))
    parts.append(number(report["calls"], "call of MPI", "calls of MPI"))
    losses = [f"{name} {count}" for name, count in asked["info"]["losses"].items() if count]
    place = str(traces[0].relative_to(folder))
    return ", ".join(parts) + ("" if place == "sequences.tactus" else f"; in `{place}`"), losses


def sequence_row(options, folder, name):
    untraced = run(options, folder, 1, name, {}, traced=False)
    expect((untraced.status, untraced.stdout) == (0, ""), f"{name} untraced", untraced)
    traced = run(options, folder, 1, name, {}, traced=True)
    expect(traced.status == 0, name, traced)
    held, losses = contents(options, folder)
    notes = [f"`{line}`" for line in traced.stdout.splitlines()] + said(traced, folder)
    if losses:
        notes.append("counted: " + ", ".join(losses))
    return [SEQUENCES[name], held, "; ".join(notes)]


def configuration_row(options, folder, lines):
    variables = dict(line.split("=", 1) for line in lines if line.startswith("VT_"))
    file = folder / "vt.conf"
    file.write_text("".join(f"{line}\n" for line in lines if not line.startswith("VT_")))
    traced = run(options, folder, 2, "named_regions", {"VT_CONFIG": str(file), **variables}, traced=True)
    expect((traced.status, traced.stdout) == (0, ""), f"{lines}", traced)
    held, _ = contents(options, folder)
    shown = "<br>".join(f"`{line}`" for line in lines) or "an empty file"
    return [shown, held.replace(EVERYTHING, "everything"), "; ".join(said(traced, folder))]


def table(options, make, cases):
    rows = []
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="tactus-brought-") as home:
            folder = pathlib.Path(home)
            (folder / "sub").mkdir()
            (folder / "traces").mkdir()
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in make(options, folder, case)) + " |\n")
    return "".join(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = (HEAD + table(options, sequence_row, SEQUENCES) + CONFIGURATIONS_HEAD
            + table(options, configuration_row, CONFIGURATIONS))
    if options.write:
        page.write_text(text)
    written = page.read_text()
    differing = [f"- {old}\n+ {new}" for old, new in zip(written.splitlines(), text.splitlines()) if old != new]
    expect(written == text, "docs/intel-cases.md says otherwise:\n" + "\n".join(differing))
    print(f"{len(SEQUENCES)} sequences and {len(CONFIGURATIONS)} configurations do what the page says")


main()
