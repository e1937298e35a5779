#!/usr/bin/env python3
"""Tests what can go wrong around a traced program, one case per test: each ends as named, with one clear line, and the
program runs on.

Usage: faults.py CASE --mpi openmpi|mpich --tactus COMMAND --library LIB.so --other OTHER_MPI_LIB.so --programs FOLDER
[--env N=V ...]
"""
import argparse
import json
import contextlib
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import time

import disks
import endings
import recoveries
import resources
from case import Case, launchers, own_mounts


def half_without_library(case):
    """Only half of an MPMD command line preloads the library: the deadline ends the job, and tactus names the cause."""
    setting = [f"{name}={value}" for name, value in {**case.preload(case.library), "VT_INIT_TIMEOUT": "3s"}.items()]

    def run_two(program, *before):
        parts = [[*before, str(program)], [str(program)]]
        return parts, launchers.run(launchers.command_of_parts(case.mpi, parts), case.folder)

    if launchers.crashed_on_parts(case.mpi, *run_two(case.program("ping"), "env", "A=b")):
        case.skip("the launcher crashes where two programs are given")
    for name, line in [("ping", "some rank runs without it"), ("sessions", "some process runs without it")]:
        if name == "sessions" and not case.program(name).exists():  # Open MPI 4 has none
            continue
        outcome = case.failed_run(case.mpi, lambda name=name: run_two(case.program(name), "env", *setting)[1])
        case.expect(outcome.status is not None, "the job ends", outcome)
        case.one_line(outcome, line)


def not_mpi(case):
    """Programs without MPI run under the preload, with every symbol bound at start."""
    for words in (["/bin/true"], ["/bin/sh", "-c", "echo shell; /bin/echo child"],
                  [sys.executable, "-c", "print(6 * 7)"]):
        plain = subprocess.run(words, capture_output=True, text=True)
        environment = {**os.environ, **case.preload(case.library), "LD_BIND_NOW": "1"}
        traced = launchers.ask(words, env=environment)
        case.expect((plain.returncode, plain.stdout, plain.stderr) == (traced.returncode, traced.stdout, traced.stderr),
                    f"{words[0]} does the same: {plain} {traced}")


def wrong_library(case):
    """The other MPI's library is preloaded: the program runs untraced, every argument untouched, and is told so."""
    plain = launchers.run(launchers.command(case.mpi, 2, [str(case.program("collectives"))]), case.folder)
    outcome = case.by_hand([case.program("collectives")], library=case.other)
    case.expect((outcome.status, outcome.stdout) == (plain.status, plain.stdout), "the program runs as it does alone",
                outcome)
    lines = [line for line in outcome.stderr.splitlines() if "it runs untraced" in line]
    case.expect(len(lines) == 2, "each rank says that it runs untraced", outcome)
    case.expect(not list(case.folder.glob("*.tactus")), "there is no trace")


def no_permission(case):
    """There is no place for the trace: tactus prints one line, and the program runs on."""
    for prefix in ("/proc/nowhere", "/dev/null/x"):
        outcome = case.by_hand([case.program("ping")], VT_LOGFILE_PREFIX=prefix)
        case.expect(outcome.status == 0, "the program runs on", outcome)
        case.one_line(outcome, "the trace cannot be created")
        case.expect(prefix in outcome.stderr and "VT_LOGFILE_PREFIX" in outcome.stderr, "place and advice are named",
                    outcome)


def neighbor(case):
    """An existing trace is never touched."""
    for expected in ("ping.tactus", "ping-2.tactus", "ping-3.tactus"):
        outcome = case.traced([case.program("ping")])
        case.expect(outcome.status == 0 and (case.folder / expected / "manifest.json").exists(), f"{expected} is there",
                    outcome)
        case.expect(expected in outcome.stderr, "its name is said", outcome)


def options(case):
    """tactus reports a mistake in an option once, by name, with what is valid."""
    outcome = case.by_hand([case.program("ping")], VT_LOGFILE_NAMES="x", VT_INIT_TIMEOUT="soon", VT_TIMER="sundial")
    case.expect(outcome.status == 0, "the program runs on", outcome)
    case.one_line(outcome, "did you mean VT_LOGFILE_NAME?")
    case.one_line(outcome, "'soon' is not a time such as 1m+30s")
    case.one_line(outcome, "'sundial' is not CPU, CPU_Norm, TSC")
    config = case.folder / "vt.conf"
    config.write_text('# ours\nlogfile-name "named here"\nTIMER CLOCK_MONOTONIC\n')
    outcome = case.by_hand([case.program("ping")], VT_CONFIG=str(config))
    trace = case.folder / "named here.tactus"
    case.expect(outcome.status == 0 and trace.is_dir(), "the file's options hold", outcome)
    info = case.command("info", "--json", trace)
    case.expect(json.loads(info.stdout)["timer"] == "CLOCK_MONOTONIC", "the timer is the file's", info)
    case.expect(json.loads(info.stdout)["overhead_ns_per_call"] < 5000, "a call is quick", info)
    outcome = case.by_hand([case.program("ping")], VT_TEST_OVERHEAD="20us", VT_LOGFILE_NAME="slow")
    info = case.command("info", "--json", case.folder / "slow.tactus")
    case.expect(outcome.status == 0 and 20_000 <= json.loads(info.stdout)["overhead_ns_per_call"] < 40_000,
                "a slow call is measured as one", info)


def filters(case):
    """What a filter keeps out is missing, counted in all and by channel; nothing else changes."""
    def calls_of(trace):
        report = json.loads(case.command("report", "--json", case.folder / trace).stdout)
        return {row["name"]: row["calls"] for row in report["functions"]}, report["losses"]
    whole = case.by_hand([case.program("ping")], VT_LOGFILE_NAME="whole")
    part = case.by_hand([case.program("ping")], VT_LOGFILE_NAME="part", VT_STATE="MPI:MPI_Send off")
    case.expect(whole.status == part.status == 0 and whole.stdout == part.stdout, "the program is the same", part)
    all_calls, losses = calls_of("whole.tactus")
    sends = all_calls.pop("MPI_Send", 0)
    case.expect(sends > 0 and losses["switched_off"] == 0, f"{sends} sends without a filter, {losses}")
    left, losses = calls_of("part.tactus")
    case.expect(left == all_calls, f"the other calls stay: {left} and not {all_calls}")
    case.expect(losses["switched_off"] == sends, f"{sends} calls counted: {losses}")
    dump = case.command("dump", case.folder / "part.tactus").stdout
    by_channel = sum(int(count) for count in re.findall(r"(\d+) sent to \d+ comm", dump))
    case.expect(by_channel == sends, f"{by_channel} sends by channel, {sends} in all")


def where(case):
    """`tactus where` looks at a hanging job from outside; then the job is killed, and looked at again."""
    spin = [str(case.program("spin")), str(launchers.patience_s)]
    words = launchers.command(case.mpi, 3, spin, case.preload(case.library))
    log = open(case.folder / "log", "w")
    job = subprocess.Popen(words, cwd=case.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                           start_new_session=True)
    trace = case.folder / "spin.tactus"
    outcome = None
    try:
        deadline = time.monotonic() + launchers.patience_s
        while time.monotonic() < deadline:
            time.sleep(0.5)
            outcome = case.command("where", trace)
            if outcome.stdout.count("MPI_Barrier") == 2 and "MPI_Recv" in outcome.stdout:
                break
        text = outcome.stdout
        receiver = next((line for line in text.splitlines() if "MPI_Recv" in line), "")
        case.expect(text.count("MPI_Barrier") == 2 and "tag 77" in receiver and "MPI_COMM_WORLD" in receiver,
                    "every rank's call is shown", outcome)
        ranks = [pid for pid in launchers.descendants(job.pid) if is_named(pid, "spin")]
        case.expect(len(ranks) == 3, f"three ranks run: {ranks}")
        for pid in ranks:
            with contextlib.suppress(ProcessLookupError):  # the launcher ends the others once one is gone
                os.kill(pid, signal.SIGKILL)
        job.wait(timeout=launchers.patience_s)
    finally:
        launchers.end(launchers.descendants(job.pid), job)
    outcome = case.command("where", trace)
    case.expect("MPI_Recv" in outcome.stdout and "dead" in outcome.stdout, "the dead job still shows where it was",
                outcome)
    outcome = case.command("report", trace)
    case.expect("MPI_Init" in outcome.stdout or "ends without an index" in outcome.stdout + outcome.stderr,
                "the cut trace is read and named", outcome)


def is_named(pid, name):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == name
    except OSError:
        return False


def full_disk(case):
    """The trace's file system fills up: the program never notices, and the loss is named and counted."""
    small = case.folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(small)],
                      capture_output=True).returncode != 0:
        case.skip("no tmpfs can be mounted here")
    try:
        outcome = case.by_hand([case.program("many"), "60000"], VT_LOGFILE_PREFIX=str(small))
        case.expect(outcome.status == 0 and outcome.stdout == "many: done\n", "the program runs on", outcome)
        case.expect("is incomplete" in outcome.stderr and "No space left" in outcome.stderr, "the loss is said",
                    outcome)
        info = case.command("info", "--json", small / "many.tactus")
        facts = json.loads(info.stdout)
        case.expect(not facts["finished"] or facts["losses"]["block_not_written"] > 0,
                    "the trace says that it is incomplete", info)
        case.expect(facts["calls"] > 0, "what was written is there", info)
    finally:
        subprocess.run(["umount", str(small)], check=True)


def fork(case):
    """A child of fork, which has our memory but not our threads, goes on without the tracer and does not disturb the
    parent."""
    outcome = case.traced([case.program("forks")])
    case.expect(outcome.status == 0 and "forks: done" in outcome.stdout, "parent and children end well", outcome)
    info = case.command("info", "--json", case.folder / "forks.tactus")
    facts = json.loads(info.stdout)
    case.expect(facts["finished"] and facts["ranks"] == 2, "the parents' trace is whole", info)


def late_rank(case):
    """A rank comes to MPI_Finalize after the others stopped waiting: the manifest is missing, and nothing else."""
    outcome = case.by_hand([case.program("odd_calls"), "late"], VT_FINALIZE_TIMEOUT="1s")
    # UCX under MPICH reports our unfinished reduction as an object not returned, on standard output.
    own = [line for line in outcome.stdout.splitlines() if "UCX  WARN" not in line]
    case.expect(outcome.status == 0 and own == ["late: done"], "the program ends well", outcome)
    case.one_line(outcome, "VT_FINALIZE_TIMEOUT")
    trace = case.folder / "odd_calls.tactus"
    info = case.command("info", "--json", trace)
    case.expect(json.loads(info.stdout)["finished"] and not (trace / "manifest.json").exists(),
                "the rank files are complete", info)


def killed(case):
    """A job is killed in the middle: what was written can be read, and it defines the communicators in it. A slow
    tracer keeps the trace small, however late on a busy machine the job is killed."""
    words = launchers.command(case.mpi, 1, [str(case.program("many")), "100000000"],
                              {**case.preload(case.library), "VT_TEST_OVERHEAD": "5us"})
    trace = case.folder / "many.tactus"

    def calls():
        return json.loads(case.command("info", "--json", trace).stdout or "{}").get("calls", 0)

    with open(case.folder / "log", "w") as log:
        job = subprocess.Popen(words, cwd=case.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                               start_new_session=True)
        try:
            deadline = time.monotonic() + launchers.patience_s
            while calls() <= 1000 and job.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)
        finally:
            launchers.end(launchers.descendants(job.pid), job)
    info = case.command("info", "--json", trace)
    facts = json.loads(info.stdout or "{}")
    case.expect(facts and not facts["finished"] and facts["calls"] > 1000, "a readable, unfinished trace", info)
    report = case.command("report", "--json", trace)
    messages = json.loads(report.stdout)["messages"]
    case.expect(len(messages) == 1 and messages[0]["messages"] > 300, "sender and receiver are known ranks", report)


def file_limit(case):
    """The size of files is limited: our writing raises no SIGXFSZ, and tactus reports the loss."""
    outcome = case.by_hand([case.program("odd_calls"), "file_limit"])
    case.expect(outcome.status == 0 and outcome.stdout == "file_limit: done\n", "the program runs on", outcome)
    case.expect("is incomplete" in outcome.stderr and "File too large" in outcome.stderr, "the loss is said", outcome)


def library_init(case):
    """A library starts MPI behind our back, after a call that we saw: nothing can be written, and nothing breaks."""
    outcome = case.by_hand([case.program("odd_calls"), "library_init"])
    case.expect(outcome.status == 0 and outcome.stdout.count("library_init: done") == 2, "the program runs on", outcome)


def closed_stderr(case):
    """Nobody reads standard error any more: what we say must not end the program."""
    words = launchers.command(case.mpi, 1, [str(case.program("ping"))],
                              {**case.preload(case.library), "VT_VERBOSE": "on", "VT_NONSENSE": "1"})
    shell = " ".join(map(shlex.quote, words[words.index("env"):])) + " 2>&-"
    plain = launchers.run(["sh", "-c", shell], case.folder)
    case.expect(plain.status == 0, "a closed standard error", plain)
    piped = launchers.run(["bash", "-c", shell.replace("2>&-", "2> >(true)") + "; echo status $?"], case.folder)
    case.expect("status 0" in piped.stdout, "a standard error without reader", piped)


cases = (half_without_library, not_mpi, wrong_library, no_permission, neighbor, options, filters, where, full_disk,
         fork, late_rank, killed, file_limit, library_init, closed_stderr)


def main():
    all_cases = {function.__name__: function for module_cases in (cases, endings.cases, recoveries.cases,
                                                                  resources.cases, disks.cases)
                 for function in module_cases}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=all_cases)
    for option in ("--mpi", "--tactus", "--library", "--other", "--programs"):
        parser.add_argument(option, required=True)
    parser.add_argument("--env", action="append", default=[])
    options_given = parser.parse_args()
    own_mounts()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, also by the programs of a test
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    case = Case(options_given)
    all_cases[options_given.case](case)
    case.clean_up()
    print(f"{options_given.case}: as it should be")


if __name__ == "__main__":
    main()
