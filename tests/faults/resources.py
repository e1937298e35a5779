"""Descriptors, memory, room for lanes or the trace's name run short: the program ends as untraced, and the trace says
what it lacks."""
from counters import Job, check_degraded, check_recovery, ends
from disks import bad_disk
from recoveries import killed_job


def limited(limit):
    """Returns the wrapper that starts a rank under a limit of the shell."""
    return ("sh", "-c", f'ulimit {limit}; exec "$0" "$@"')


def runs_untraced(case, *arguments, **more):
    return ends(case, *arguments, traced=False, **more)[1].status == 0


def few_descriptors(case):
    """There are only as many descriptors as the untraced program needs to start, or a few more."""
    low, high = 3, 256
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if runs_untraced(case, "finalize", 500,
                                                   wrapper=limited(f"-n {middle}")) else (middle, high)
    for more in (0, 1, 2, 3, 5, 8):
        limit = limited(f"-n {high + more}")
        # Open MPI looks at how many there are, and may then want more.
        if runs_untraced(case, "finalize", 500, threads=2, wrapper=limit):
            job, outcome = ends(case, "finalize", 500, threads=2, wrapper=limit)
            check_degraded(job, outcome, f"{high + more} descriptors")


def descriptors_used_up(case):
    """The application opens all descriptors it can, from the middle of the run until after MPI_Finalize."""
    job, outcome = ends(case, "finalize", 3000, threads=3, COUNTED_SCARCE="descriptors")
    calls, counted = check_degraded(job, outcome, "no descriptor in mid-run")
    case.expect(calls >= counted - job.ranks, f"{calls} of {counted} calls are there: the rank's file was open before",
                outcome)


def memory_limit(case):
    """From its start on, the program has little more address space than it needs untraced."""
    if case.sanitized:
        case.skip("a sanitizer needs all addresses")
    job, outcome = ends(case, "finalize", 2000, threads=3, traced=False)
    need = max(page.peak_kib for page in job.pages())
    case.expect(outcome.status == 0 and need > 0, "the untraced run tells its need", outcome)
    for more in (256, 1024, 2048, 4096, 8192, 16384, 65536, 262144):
        limit = limited(f"-v {need + more}")
        if runs_untraced(case, "finalize", 2000, threads=3, wrapper=limit):
            job, outcome = ends(case, "finalize", 2000, threads=3, wrapper=limit)
            check_degraded(job, outcome, f"{more} KiB more than the {need} KiB needed")


def memory_in_mid_run(case):
    """From MPI_Init on little address space is left, less with each step."""
    if case.sanitized:
        case.skip("a sanitizer needs all addresses")
    tried = 0
    for left in (65536, 16384, 4096):  # with less, the tracer's one try may take what the program's next thread needs
        scarce = {"COUNTED_SCARCE": f"memory:{left}"}
        if runs_untraced(case, "finalize", 3000, threads=3, **scarce):
            job, outcome = ends(case, "finalize", 3000, threads=3, **scarce)
            check_degraded(job, outcome, f"{left} KiB left")
            tried += 1
    case.expect(tried > 0, "the untraced program runs with some of these limits")


def two_jobs(case):
    """Jobs want the same name at the same moment: each gets a whole trace to itself."""
    jobs = [Job(case, "finalize", 2000 + 500 * number, VT_LOGFILE_NAME="same") for number in range(3)]
    try:
        outcomes = [job.wait() for job in jobs]
    finally:
        for job in jobs:
            job.kill_all()
    for outcome in outcomes:
        case.expect(outcome.status == 0 and "tactus" not in outcome.stderr, "each job ends well", outcome)
    traces = sorted(case.folder.glob("same*.tactus"))
    case.expect([trace.name for trace in traces] == ["same-2.tactus", "same-3.tactus", "same.tactus"],
                f"three traces: {traces}")
    recorded = sorted(case.facts(trace)["calls"] for trace in traces)
    counted = [sum(sum(page.calls) for page in job.pages()) for job in jobs]
    case.expect(recorded == counted, f"each has the calls of one job: {recorded} and {counted}")
    case.expect(all(case.facts(trace)["finished"] for trace in traces), "each is finished")


def no_room_for_lanes(case):
    """The place for lanes is too small from the start, or for later threads, whose lanes then lie elsewhere."""
    for size in ("4k", "300k", "600k", "1200k", "2500k"):
        place = case.small_disk(f"lanes-{size}", size)
        job, outcome = ends(case, "finalize", 3000, threads=4, VT_FLUSH_PREFIX=str(place))
        case.expect(outcome.status == 0 and "tactus" not in outcome.stderr, f"room of {size}: the program ends well",
                    outcome)
        check_recovery(job)
        case.expect(not list(place.iterdir()), f"nothing is left in {place}")
        job = killed_job(case, threads=4, VT_FLUSH_PREFIX=str(place))
        worst, counted, calls = check_recovery(job)
        case.expect(not list(place.iterdir()), f"nothing is left in {place}")
        print(f"room of {size}, killed: {calls} of {counted} calls, at worst {worst} of a thread missing", flush=True)


def lanes_in_memory(case):
    """There is no room for lanes anywhere: tactus names the loss of protection, and what a kill then takes."""
    for first in (1, 2, 3):
        nowhere = {"in_front": case.failing_disk, **bad_disk(case.folder, "/dev/shm/tactus-", "/tmp/tactus-",
                                                             rules=f"posix_fallocate ENOSPC from {first}")}
        job, outcome = ends(case, "finalize", 3000, threads=3, **nowhere)
        calls, counted = check_degraded(job, outcome, "no room for lanes anywhere")
        unprotected = case.facts(job.trace)["losses"]["lane_unprotected"]
        case.expect(unprotected > 0 and calls >= counted - job.ranks,
                    f"nothing is lost but protection: {unprotected} lanes, {calls} of {counted} calls", outcome)
    job = killed_job(case, threads=3, **nowhere)
    recovery = case.command("recover", job.trace)
    case.expect(recovery.status == 1 and recovery.stderr.startswith("tactus: "), "that not all is there is said",
                recovery)


def no_room_anywhere(case):
    """Neither /dev/shm nor the trace's place has room for lanes; where the MPI itself needs /dev/shm there is none to
    take away."""
    trace_place = case.small_disk("trace", "400k")
    for size in ("400k", "6m"):
        case.resize("/dev/shm", size)
        if not runs_untraced(case, "finalize", 1000, threads=4):
            continue
        job, outcome = ends(case, "finalize", 1000, threads=4, place=trace_place)
        check_degraded(job, outcome, f"/dev/shm of {size}, a trace place of 400k")


cases = (few_descriptors, descriptors_used_up, memory_limit, memory_in_mid_run, two_jobs, no_room_for_lanes,
         lanes_in_memory, no_room_anywhere)
