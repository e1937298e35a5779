"""The disk under a trace fills up, fails, goes away, or shows files late: the program does not notice, and tactus says
what is missing."""
import shutil

from counters import Job, check_degraded, check_recovery, ends


def full_at_every_stage(case):
    """A small disk is full before the directory is made, in the first blocks, or in the last ones."""
    for kib in (20, 60, 120, 200, 300, 450, 600, 1200):
        place = case.small_disk(f"small-{kib}", f"{kib}k")
        job, outcome = ends(case, "finalize", 15000, threads=2, place=place)
        calls, counted = check_degraded(job, outcome, f"a disk of {kib} KiB")
        case.expect(calls < counted / 2 or kib > 200, f"{kib} KiB cannot hold everything: the test fills the disk")


def full_and_killed(case):
    """A job is killed on a full disk. With room again it is recovered; without, the command says what is missing."""
    place = case.small_disk("small", "400k")
    job = Job(case, "run", threads=2, place=place, VT_FLUSH_PREFIX="/dev/shm")
    try:
        case.expect(job.wait_until(lambda pages: sum(sum(page.calls) for page in pages) > 600_000),
                    "enough calls to fill the disk")
        job.signal_ranks((0, 1), 9)
        outcome = job.wait()
    finally:
        job.kill_all()
    full = case.command("recover", job.trace)
    case.expect(full.status == 1 and full.stderr.startswith("tactus: "),
                "without room nothing can be recovered, and that is said", full)
    before = case.facts(job.trace)["calls"]
    case.resize(place, "50m")
    again = case.command("recover", job.trace)
    facts = case.facts(job.trace)
    case.expect(again.status in (0, 1) and facts["finished"] and facts["calls"] >= before > 0,
                f"with room the trace is finished: {facts}", again)
    case.expect_no_lane("recovered", outcome)


def vanished(case):
    """Somebody removes or moves the trace in mid-run: its files are written to the end wherever they are."""
    elsewhere = case.folder / "elsewhere.tactus"
    for how in ("removed", "moved"):
        job = Job(case, "rest", 3000, threads=2)
        try:
            case.expect(job.wait_resting() and job.trace.exists(), "the trace is there in mid-run")
            if how == "removed":
                shutil.rmtree(job.trace)
            else:
                job.trace.rename(elsewhere)
            job.go()
            outcome = job.wait()
        finally:
            job.kill_all()
        check_degraded(job, outcome, f"a trace {how} in mid-run")
        if how == "moved":
            counted, facts = sum(sum(page.calls) for page in job.pages()), case.facts(elsewhere)
            case.expect(facts["finished"] and facts["calls"] >= counted - job.ranks,
                        f"its files are whole where they are now, {counted} calls: {facts}", outcome)


def read_only(case):
    """The trace goes to a read-only place."""
    place = case.small_disk("read-only", "1m", "ro")
    job, outcome = ends(case, "finalize", 1000, threads=2, place=place)
    check_degraded(job, outcome, "a read-only place")
    case.one_line(outcome, "Read-only file system")
    job, outcome = ends(case, "finalize", 1000, threads=2, VT_FLUSH_PREFIX=str(place))
    case.expect(outcome.status == 0 and case.facts(job.trace)["finished"], "lanes go elsewhere", outcome)
    check_recovery(job)


failures = ("mkdir EIO from 1", "open EIO from 1", "open EIO from 2", "open EIO from 3", "open EACCES from 4",
            "pwrite EIO from 1", "pwrite EIO from 2", "pwrite ENOSPC from 4", "pwrite EIO from 9", "pwrite EIO until 7",
            "pwrite EDQUOT from 12; ftruncate EIO from 1", "posix_fallocate ENOSPC from 1",
            "posix_fallocate EIO from 2", "mmap EIO from 1",
            "close EIO from 1", "rename EIO from 1", "unlink EIO from 1", "any EIO from 1", "any EROFS from 15",
            "any EIO from 40")


def bad_disk(*places, rules, rank=""):
    """Returns the environment that makes file calls below these places fail, on one rank or all."""
    return {"FAILING_DISK": rules, "FAILING_DISK_FOLDER": ":".join(map(str, places)),
            **({"FAILING_DISK_RANK": rank} if rank else {})}


def run_on(case, rules, rank=""):
    """Runs with a trace folder on a disk that fails by `rules`."""
    place = case.folder / "disk"
    place.mkdir(exist_ok=True)
    return ends(case, "finalize", 8000, threads=2, place=place, in_front=case.failing_disk,
                **bad_disk(place, rules=rules, rank=rank))


def failing(case):
    """The disk fails at any stage."""
    for rules in failures:
        job, outcome = run_on(case, rules)
        check_degraded(job, outcome, rules)


def failing_on_one_rank(case):
    """One rank's disk fails: the other rank's records are all there."""
    for rules in ("open EIO from 1", "pwrite EIO from 1", "any EIO from 10"):
        job, outcome = run_on(case, rules, rank="1")
        calls, _ = check_degraded(job, outcome, f"on rank 1: {rules}")
        first = sum(job.pages()[0].calls)
        case.expect(calls >= first - 1, f"{rules}: rank 0 has its {first} calls, of {calls}", outcome)


def interrupted(case):
    """EINTR is no error."""
    job, outcome = run_on(case, "pwrite EINTR until 20")
    calls, counted = check_degraded(job, outcome, "interrupted writes")
    case.expect(calls >= counted - job.ranks and "tactus" not in outcome.stderr,
                f"nothing is lost: {calls} of {counted}", outcome)


def late_directory(case):
    """A host sees late what another has written: it tries again, and nothing is lost."""
    for rules in ("open ENOENT until 4", "mkdir ENOENT until 3; open ENOENT until 5", "open ESTALE until 3",
                  "any ENOENT until 1500 ms"):
        job, outcome = run_on(case, rules, rank="1")
        calls, counted = check_degraded(job, outcome, f"rank 1 sees files late, {rules}")
        case.expect(calls >= counted - job.ranks and "tactus" not in outcome.stderr,
                    f"{rules}: nothing is lost: {calls} of {counted}", outcome)


def never_seen(case):
    """One host never sees the directory: it gives up in time, and the others are recorded."""
    job, outcome = run_on(case, "open ENOENT from 1", rank="1")
    check_degraded(job, outcome, "rank 1 never sees the directory")
    case.one_line(outcome, "No such file or directory")


cases = (full_at_every_stage, full_and_killed, vanished, read_only, failing, failing_on_one_rank, interrupted,
         late_directory, never_seen)
