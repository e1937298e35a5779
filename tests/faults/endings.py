"""A traced program must end with the same status as untraced and leave nothing behind; its calls must be recovered.
How long the end takes is printed, and decides nothing: tests/faults/kills.py measures it.

Each case runs `counted` untraced and traced, once or more, and compares. Where the launcher's race with its dying ranks
decides on the status, more untraced runs are made until one ends like the traced run.
"""
import signal
import statistics
import time

from counters import Job, check_recovery, finalized

# MPICH, or the UCX below it, has handlers of its own for SIGHUP and SIGUSR1 and goes on.
deadly = {"openmpi": (signal.SIGTERM, signal.SIGINT, signal.SIGHUP), "mpich": (signal.SIGTERM, signal.SIGINT)}
unused = {"openmpi": signal.SIGUSR1, "mpich": signal.SIGUSR2}

# How many untraced runs may be made to find one that ends alike. MPICH's launcher, sent a SIGTERM, ends with status 15
# in a quarter of them, and with 0 otherwise.
most_untraced = 40


def one_end(case, ending, arguments, act, traced, **more):
    """Runs to the end; returns the outcome, the seconds that the end took, and the job."""
    job = Job(case, ending, *arguments, traced=traced, **more)
    try:
        begin = act(job) if act else None
        outcome = job.wait()
        name = f"{ending} {arguments} {'traced' if traced else 'untraced'}"
        case.expect(outcome.status is not None, f"{name} ends", outcome)
        seconds = job.seconds_to_end(begin)
        job.expect_none_left(name, outcome)
    finally:
        job.kill_all()
    return outcome, seconds, job


def done_lines(outcome):
    return outcome.stdout.count("counted: done")


def compare(case, title, ending, *arguments, act=None, times=1, recovery=(None, False), **more):
    """Compares untraced runs with traced ones; returns the outcome and job of the last traced run. `recovery`:
    arguments of Job.expected that say how the ranks ended; None: it is not checked."""
    def untraced():
        outcome, seconds, _ = one_end(case, ending, arguments, act, False, **more)
        plain.append((outcome.status, done_lines(outcome)))
        if case.mpi == "mpich" and ending in ("exit", "_exit"):
            # MPICH's launcher kills the ranks that have not left by then, and gives that status.
            plain.append((int(signal.SIGKILL), 0))
        if case.mpi == "mpich" and outcome.status:
            # Or it gives both, where it kills the others before it has their statuses.
            plain.append((outcome.status | int(signal.SIGKILL), plain[0][1]))
            # Or it gives what it notes for a rank whose socket closed before it had a status: "Hangup (signal 1)",
            # which nobody sent.
            plain.append((1, plain[0][1]))
        plain_s.append(seconds)

    plain, plain_s, traced_s = [], [], []
    untraced()
    for _ in range(times):
        outcome, seconds, job = one_end(case, ending, arguments, act, True, **more)
        while (outcome.status, done_lines(outcome)) not in plain and len(plain) < most_untraced:
            untraced()
        case.expect((outcome.status, done_lines(outcome)) in plain,
                    f"{title}: ends as untraced, with status and lines {plain}", outcome)
        traced_s.append(seconds)
        if recovery:
            check_recovery(job, *recovery)
    before, after = statistics.median(plain_s), statistics.median(traced_s)
    print(f"{title}: status {outcome.status}, the end takes {before:.2f} s untraced, {after:.2f} s traced "
          f"(medians of {len(plain_s)} and {len(traced_s)})", flush=True)
    return outcome, job


def sends(number, ranks=(0,), running_s=0.1):
    """Returns an action that sends a signal to ranks once they make calls."""
    def act(job):
        job.wait_moving()
        time.sleep(running_s)
        return job.signal_ranks(ranks, number)
    return act


def to_launcher(number):
    def act(job):
        job.wait_moving()
        begin = job.note_counts()
        job.process.send_signal(number)
        return begin
    return act


def leaves(case):
    """Ends by exit, _exit without MPI_Finalize, or MPI_Abort, in the first thread or another; and in order."""
    compare(case, "in order", "finalize", 2000, threads=3)
    for ending in ("exit", "_exit", "mpi_abort"):
        for thread in (0, 1):
            compare(case, f"{ending} by thread {thread}", ending, 2000, 1, thread, threads=3,
                    recovery=((1,), ending != "_exit"))
    compare(case, "exit at once", "exit", 0, -1, recovery=(None, True))


def crashes(case):
    """Ends by SIGSEGV in each thread, by abort, and by a rank that dies while the others wait for it."""
    sudden = {"threads": 3, "recovery": ((1,), False)}
    for thread in () if case.sanitized else (0, 1):  # a sanitizer catches it and ends the process in its own way
        compare(case, f"SIGSEGV in thread {thread}", "segv", 2000, 1, thread, **sudden)
    compare(case, "abort", "abort", 2000, 1, 1, **sudden)
    compare(case, "SIGKILL of one rank", "run", act=sends(signal.SIGKILL, (1,)), **sudden)
    _, job = compare(case, "SIGKILL while others wait", "barrier", 2000, 1, ranks=3, recovery=((1,), False))
    dump = case.command("dump", job.trace, "--function", "MPI_Barrier").stdout.splitlines()
    waiting = [line for line in dump if "unfinished" in line and ("rank 0 " in line or "rank 2 " in line)]
    case.expect(len(waiting) == 2, f"who waited is shown inside of MPI_Barrier: {dump}")


def signals(case):
    """Sends signals left at their default, from inside, from outside, and to the launcher as well."""
    for number in deadly[case.mpi]:
        how = {"threads": 3, "recovery": ((1,), number == signal.SIGTERM)}
        compare(case, f"{number.name} raised", f"signal:{number}", 2000, 1, 1, **how)
        compare(case, f"{number.name} to a rank", "run", act=sends(number, (1,)), **how)
    compare(case, "SIGTERM to every rank", "run", act=sends(signal.SIGTERM, (0, 1)), threads=3, recovery=(None, True))
    for number in (signal.SIGTERM, signal.SIGINT):
        compare(case, f"{number.name} to the launcher", "run", act=to_launcher(number), recovery=(None, True))


def term_flushes(case):
    """SIGTERM closes the trace in order by itself: nothing is left to recover."""
    outcome, job = compare(case, "SIGTERM to the only rank", "run", act=sends(signal.SIGTERM), ranks=1, threads=3,
                           recovery=None)
    facts = case.facts(job.trace)
    case.expect(facts["finished"], f"the rank's file is closed: {facts}")
    case.expect(not list(job.trace.glob("lanes/*")), "no lane is left in the trace", outcome)
    case.expect_no_lane("closed in order", outcome)


def handlers(case):
    """An application's own handlers, the signals that it ignores and those of its children stay what they are."""
    free = unused[case.mpi]
    flush = {"VT_FLUSH_SIGNAL": free.name.removeprefix("SIG")}
    for number in (signal.SIGTERM, signal.SIGINT, free):
        for ending in ("own", "own_late"):
            outcome, job = compare(case, f"{ending} handler of {number.name}", f"{ending}:{number}", 2000, 1, **flush)
            case.expect(outcome.status == 0 and job.pages()[1].signals == 1, f"the handler ran once: {job.pages()}",
                        outcome)
    for number in (signal.SIGTERM, signal.SIGHUP, free):
        outcome, _ = compare(case, f"{number.name} ignored", f"ignore:{number}", 2000, 1, threads=2, **flush)
        case.expect(outcome.status == 0, "the program goes on", outcome)
    for number in (signal.SIGTERM, signal.SIGKILL, free):
        outcome, _ = compare(case, f"{number.name} of a child", f"child:{number}", 2000, 0)
        case.expect(outcome.status == 0, "the parent goes on", outcome)


def flush_signal(case):
    """VT_FLUSH_SIGNAL: what was recorded so far is in the file soon after, and the program goes on."""
    free = unused[case.mpi]

    def flushed(job):
        job.wait_resting()
        for _ in range(3):
            job.signal_ranks((0, 1), free)
            counted = sum(sum(page.calls) for page in job.pages())
            job.wait_until(lambda _: case.facts(job.trace)["calls"] >= counted - 6)
            calls = case.facts(job.trace)["calls"]
            case.expect(calls >= counted - 6, f"all but one call a thread are in the file, of {counted} these: {calls}")
        job.go()

    outcome, _, job = one_end(case, "rest", (3000,), flushed, True, threads=3,
                              VT_FLUSH_SIGNAL=free.name.removeprefix("SIG"))
    case.expect(outcome.status == 0 and all(page.stage == finalized for page in job.pages()),
                "the program goes on to its end", outcome)
    check_recovery(job)
    compare(case, f"{free.name} without VT_FLUSH_SIGNAL", "run", act=sends(free, (1,)))
    outcome, _, _ = one_end(case, "finalize", (100,), None, True, VT_FLUSH_SIGNAL="sundown")
    case.expect(outcome.status == 0, "the program runs on", outcome)
    case.one_line(outcome, "'sundown'")


def flush_in_mid_run(case):
    """A flush at any moment takes nothing from a trace, even with quick successions while all threads call."""
    free = unused[case.mpi]

    def many(job):
        job.wait_moving()
        for _ in range(30):
            job.signal_ranks((0, 1), free)
            time.sleep(0.02)
        return job.signal_ranks((0, 1), signal.SIGKILL)

    _, _, job = one_end(case, "run", (), many, True, threads=3, VT_FLUSH_SIGNAL=free.name.removeprefix("SIG"))
    worst, counted, calls = check_recovery(job)
    print(f"{calls} of {counted} calls after 30 flushes, at worst {worst} of a thread missing")


def time_limit(case):
    """The launcher ends the job at its own time limit."""
    how = {"openmpi": {"launcher": ("--timeout", "3")},
           "mpich": {"launcher_environment": {"MPIEXEC_TIMEOUT": "3"}}}[case.mpi]

    def since_moving(job):
        job.wait_moving()
        return job.note_counts()

    compare(case, "the launcher's time limit", "run", act=since_moving, threads=3, recovery=(None, True), **how)


cases = (leaves, crashes, signals, term_flushes, handlers, flush_signal, flush_in_mid_run, time_limit)
