"""Tests `tactus recover` beside its main use: what it lists, what it leaves alone, and that it may itself be killed."""
import os
import random
import shutil
import signal
import subprocess
import time

from case import launchers
from counters import Job, check_recovery, dumped, recorded, shortage


def killed_job(case, **more):
    """Returns a job that was killed while it made calls."""
    job = Job(case, "run", **{"threads": 2, **more})
    try:
        case.expect(job.wait_moving(10_000), "the program makes calls")
        job.signal_ranks(range(job.ranks), signal.SIGKILL)
        outcome = job.wait()
        case.expect(outcome.status is not None, "the job ends", outcome)
    finally:
        job.kill_all()
    return job


def recover_list(case):
    """The lanes of dead and of living jobs are found where lanes may be, and named with the job that left them."""
    elsewhere = case.folder / "lanes"
    elsewhere.mkdir()
    case.expect(case.command("recover", "--list").status == 0, "nothing to list is no fault")
    dead, dead_elsewhere = killed_job(case, VT_FLUSH_PREFIX="/dev/shm"), killed_job(case,
                                                                                    VT_FLUSH_PREFIX=str(elsewhere))
    living = Job(case, "run", VT_FLUSH_PREFIX="/dev/shm")
    try:
        living.wait_moving()
        outcome = case.command("recover", "--list", elsewhere)
    finally:
        living.kill_all()
    case.expect(outcome.status == 0, "the list is made", outcome)
    for job in (dead, dead_elsewhere):
        named = [line for line in outcome.stdout.splitlines() if str(job.trace) in line]
        case.expect(len(named) == 1 and "dead" in named[0], f"the processes of {job.name} are dead", outcome)
    case.expect(outcome.stdout.count("processes run") == 1, "one job is still running", outcome)
    case.expect("/dev/shm/tactus-" in outcome.stdout and f"{elsewhere}/tactus-" in outcome.stdout,
                "the places are named", outcome)
    for job in (dead, dead_elsewhere, living):
        case.command("recover", job.trace)
    outcome = case.command("recover", "--list", elsewhere)
    case.expect(outcome.status == 0 and "tactus-fault-" not in outcome.stdout.replace(str(case.folder), ""),
                "after the recoveries there are none", outcome)


def recover_keeps(case):
    """Whatever recovery changes or uses up is kept beside the trace, and a line per rank says what was done."""
    job = killed_job(case, ranks=3)
    outcome = case.command("recover", job.trace)
    lines = [line for line in outcome.stdout.splitlines() if "rank " in line]
    case.expect(outcome.status == 0 and all(any(f"rank {rank}" in line for line in lines) for rank in range(3)),
                "a line a rank", outcome)
    kept = [path.name for path in (job.trace / "before-recover").rglob("*.lane")]
    case.expect(len(kept) == 9, f"the lanes are kept: {kept}", outcome)
    check_recovery(job)


def recover_living(case):
    """A job that still runs is left alone: its trace is whole in the end."""
    job = Job(case, "rest", 5000, threads=2)
    try:
        case.expect(job.wait_resting(), "the program makes calls")
        outcome = case.command("recover", job.trace)
        case.expect(outcome.status == 1 and "still runs" in outcome.stderr, "it says that the job is running", outcome)
        job.go()
        outcome = job.wait()
    finally:
        job.kill_all()
    case.expect(outcome.status == 0, "the job ends well", outcome)
    check_recovery(job)


def recover_killed(case):
    """The command is itself killed at any moment; started again, it recovers everything."""
    job = killed_job(case, threads=3)
    for attempt in range(15):
        with subprocess.Popen([case.tactus, "recover", str(job.trace)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(0.001 * attempt * random.random())
            process.kill()
    check_recovery(job)


def recover_cut(case):
    """Lanes are cut short or are no lanes: what is there is taken, and the command reports the rest."""
    job = killed_job(case, ranks=1, threads=3)
    lanes = sorted(job.trace.glob("lanes/*.lane"))
    case.expect(len(lanes) == 4, f"three lanes and that of samples: {lanes}")
    os.truncate(lanes[1], lanes[1].stat().st_size // 2)
    lanes[2].write_bytes(b"no lane at all" * 1000)
    outcome = case.command("recover", job.trace)
    case.expect(outcome.status == 1 and outcome.stderr.startswith("tactus: "), "that not all is there is said", outcome)
    first = dumped(case, job.trace).calls[0, 0]
    case.expect(first >= job.pages()[0].calls[0] - 1, f"the whole lane is recovered: {first} of {job.pages()}", outcome)


def recover_nothing(case):
    """What is no trace stays what it is."""
    folder = case.folder / "mine"
    folder.mkdir()
    (folder / "file").write_text("mine")
    for what in (folder, folder / "file", folder / "nowhere"):
        outcome = case.command("recover", what)
        case.expect(outcome.status == 1 and outcome.stderr.startswith("tactus: ") and outcome.stderr.count("\n") == 1,
                    f"{what} is no trace", outcome)
    case.expect([path.name for path in folder.rglob("*")] == ["file"], f"nothing is changed in {folder}")


def recover_manifest(case):
    """A trace that only lacks its manifest gets one; files that were closed in order are not touched."""
    job = Job(case, "finalize", 3000, ranks=2)
    outcome = job.wait()
    case.expect(outcome.status == 0, "the program ends well", outcome)
    (job.trace / "manifest.json").unlink()
    before = {path: path.read_bytes() for path in job.trace.rglob("*.trace")}
    outcome = case.command("recover", job.trace)
    case.expect(outcome.status == 0 and (job.trace / "manifest.json").exists(), "the manifest is written again",
                outcome)
    case.expect(before == {path: path.read_bytes() for path in job.trace.rglob("ranks/**/*.trace")},
                "rank files that were closed do not change", outcome)
    worst, _, _ = shortage(recorded(case, job.trace), job.expected())
    case.expect(worst <= 1, f"everything is there, but for {worst}")


def recover_together(case):
    """Several commands run at once, each started a little later: one does the work, the others step back or find it
    done, and nothing is lost."""
    job = killed_job(case, threads=3)
    started = []
    for _ in range(12):
        started.append(subprocess.Popen([case.tactus, "recover", str(job.trace)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL))
        time.sleep(0.004)
    statuses = [process.wait(timeout=launchers.patience_s) for process in started]
    case.expect(0 in statuses and set(statuses) <= {0, 1}, f"one of them recovers the trace: {statuses}")
    check_recovery(job)


def recover_copy(case):
    """A copy of a trace does not take the lanes that the original needs."""
    job = killed_job(case)
    copy = case.folder / "copy.tactus"
    shutil.copytree(job.trace, copy, ignore=shutil.ignore_patterns("lanes"))
    outcome = case.command("recover", copy)
    case.expect(outcome.status == 1 and outcome.stderr.startswith("tactus: "), "that its lanes are missing is said",
                outcome)
    check_recovery(job)


cases = (recover_list, recover_keeps, recover_living, recover_killed, recover_cut, recover_nothing, recover_manifest,
         recover_together, recover_copy)
