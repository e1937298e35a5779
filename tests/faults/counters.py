"""Starts the program `counted`, reads its counters, and compares a trace with them.

A `Job` is a run of the program. Its pages hold what each thread of each rank counted (struct Page of counted.c).
`recorded` returns the calls of a trace by rank and lane, and `shortage` says how many are missing.
"""
import collections
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import time
from dataclasses import dataclass

from case import lane_folders, launchers

page_bytes, counter_bytes, most_threads = 4096, 64, 63
starting, running, finalizing, finalized = 1, 2, 3, 4  # enum Stage
quiet_ucx = {"UCX_DEBUG_SIGNO": "0"}  # else UCX, under Open MPI 5, too, handles SIGHUP, and the program goes on
marker = "TACTUS_FAULT_JOB"  # in the environment of every process of a job, so that those still there are found


@dataclass
class Page:
    """A rank's page. `calls` has the counts by thread now, `at_end` those when some rank began to end itself."""
    pid: int
    end_ns: int
    stage: int
    signals: int
    go: int
    peak_kib: int
    calls: list[int]
    at_end: list[int]


def is_rank(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "counted"
    except OSError:
        return False


def send(pids, number):
    """Sends the signal to those of these processes that still run."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has just ended


class Job:
    number = 0
    poll_s = 0.01  # how often its counters are read while something is awaited

    def __init__(self, case, ending, *arguments, ranks=2, threads=1, traced=True, launcher=(),
                 launcher_environment=None, wrapper=(), in_front=None, place=None, **environment):
        """`wrapper` starts a rank, `in_front` is preloaded before the tracer, and the trace goes to `place`."""
        Job.number += 1
        self.case, self.ranks, self.threads, self.place = case, ranks, threads, place or case.folder
        self.file = case.folder / f"counters-{Job.number}"
        self.file.write_bytes(bytes(page_bytes * ranks))
        self.name = f"{case.folder.name}-{Job.number}"
        words = [*wrapper, str(case.program("counted")), str(self.file), str(threads), ending, *map(str, arguments)]
        if traced:
            library = f"{in_front}:{case.library}" if in_front else case.library
            environment = {**case.preload(library), "VT_LOGFILE_PREFIX": str(self.place), "VT_LOGFILE_NAME": self.name,
                           **environment}
        command = launchers.command(case.mpi, ranks, words, environment)
        command[1:1] = launcher
        self.paths = [case.folder / f"{self.name}.{stream}" for stream in ("stdout", "stderr")]
        with open(self.paths[0], "wb") as out, open(self.paths[1], "wb") as err:
            self.process = subprocess.Popen(command, cwd=case.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            start_new_session=True,
                                            env={**os.environ, **quiet_ucx, **(launcher_environment or {}),
                                                 marker: self.name})
        self.ended_ns = 0
        self.launcher_alone = False  # the launcher did not end, though its ranks had
        self.then = None

    @property
    def trace(self):
        return self.place / f"{self.name}.tactus"

    def pages(self):
        content = self.file.read_bytes()
        return [self._page(content[rank * page_bytes:(rank + 1) * page_bytes]) for rank in range(self.ranks)]

    def _page(self, content):
        counters = [struct.unpack_from("QQ", content, counter_bytes * (1 + thread)) for thread in range(self.threads)]
        return Page(*struct.unpack_from("qqqqqq", content), [calls for calls, _ in counters],
                    [at_end for _, at_end in counters])

    def wait_until(self, condition, seconds=launchers.patience_s):
        """Waits until `condition(pages)`. Returns false when the job ends earlier or the time is up."""
        deadline = time.monotonic() + seconds
        while not condition(self.pages()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                return False
            time.sleep(self.poll_s)
        return True

    def wait_resting(self):
        """Waits until no more calls are counted."""
        def rest(pages):
            calls = [page.calls for page in pages]
            time.sleep(0.05)
            return all(min(counts) > 0 for counts in calls) and calls == [page.calls for page in self.pages()]
        return self.wait_until(rest)

    def go(self):
        with open(self.file, "r+b") as file:
            for rank in range(self.ranks):
                file.seek(rank * page_bytes + 32)
                file.write(struct.pack("q", 1))

    def wait_moving(self, calls=100):
        return self.wait_until(lambda pages: all(min(page.calls) > calls for page in pages))

    def wait(self, seconds=launchers.patience_s):
        """Returns the outcome. A job that does not end has its stacks printed, is killed, and has the status None."""
        try:
            status = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
            self.launcher_alone = not any(is_rank(pid) for pid in self.survivors())
            launchers.print_stacks(launchers.descendants(self.process.pid))
            self.kill_all()
        self.ended_ns = time.monotonic_ns()
        return launchers.Outcome(status, *(path.read_bytes().decode(errors="replace") for path in self.paths))

    def kill_all(self):
        launchers.end(launchers.descendants(self.process.pid) + self.survivors(), self.process)

    def signal_ranks(self, ranks, number):
        """Sends the signal to those of these ranks that still run, and returns the time in ns. The launcher, which ends
        all other ranks as soon as one is dead, notices nothing before all of these have the signal."""
        there = set(self.survivors())
        pages = self.pages()
        pids = [page.pid for rank, page in enumerate(pages) if rank in ranks and page.pid in there]
        others = sorted(there - {page.pid for page in pages}) if len(pids) > 1 else []
        send(others, signal.SIGSTOP)
        begin = self.note_counts()
        send(pids, number)
        send(others, signal.SIGCONT)
        return begin

    def note_counts(self):
        """Remembers the counts before the job is ended from outside, and returns the time in ns."""
        self.then = [page.calls for page in self.pages()]
        return time.monotonic_ns()

    def expected(self, ended=None, flushes=False):
        """Returns how many calls of each thread of each rank the trace must have. Where a rank ended in order or was
        killed, that is all it counted. Where it flushes at its end, its threads may go on for a moment, so it is what
        was counted when the end began. `ended` are the ranks that were ended (None: all). The launcher then ends the
        others: Open MPI's by SIGTERM, MPICH's by SIGKILL."""
        pages = self.pages()
        then = self.then or [page.at_end for page in pages]

        def late(rank):
            return flushes if ended is None or rank in ended else self.case.mpi == "openmpi"
        return [then[rank] if late(rank) else page.calls for rank, page in enumerate(pages)]

    def seconds_to_end(self, since_ns=None):
        """Returns the time from when a rank began to end itself, or from `since_ns`, to the launcher's end."""
        begin = since_ns or min((page.end_ns for page in self.pages() if page.end_ns), default=self.ended_ns)
        return 1e-9 * (self.ended_ns - begin)

    def survivors(self):
        """Returns the processes of this job, including those that a dead launcher left."""
        wanted = f"{marker}={self.name}".encode()
        found = []
        for environment in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if wanted in environment.read_bytes().split(b"\0"):
                    found.append(int(environment.parent.name))
            except OSError:
                continue  # it has ended, or is another user's
        return found

    def zombies(self):
        """Returns the ranks that have ended and whose parent has not waited for them."""
        found = []
        for page in self.pages():
            try:
                fields = pathlib.Path(f"/proc/{page.pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] == "Z" and fields[1] != "1":
                found.append(page.pid)
        return found

    def left_running(self, seconds=launchers.patience_s):
        """Returns the processes of the job that are still there some time after the launcher's end."""
        deadline = time.monotonic() + seconds
        while (left := self.survivors() + self.zombies()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def expect_none_left(self, title, outcome):
        left = self.left_running()
        self.case.expect(not left, f"{title}: no process is left: {left}", outcome)


def ends(case, *arguments, **more):
    """Runs `counted` to its end, and leaves no process of it."""
    job = Job(case, *arguments, **more)
    try:
        return job, job.wait()
    finally:
        job.kill_all()


line_form = re.compile(r"^\s*\S+\s+rank (\d+)\s+lane (\d+)\s+(MPI_\w+)(.*)$")
folded_form = re.compile(r"\b(\d+) times\b")


@dataclass
class Recorded:
    """The calls of a trace: counts of returned calls by (rank, lane), and open calls as (rank, lane, function)."""
    calls: collections.Counter
    unfinished: list
    out_of_order: list


def reported(case, trace):
    """Returns what `tactus report` prints, which has read every record."""
    outcome = case.command("report", "--json", trace)
    case.expect(outcome.status in (0, 1) and outcome.stdout, "tactus report ends in order", outcome)
    return json.loads(outcome.stdout)


def recorded(case, trace):
    """Counts by lane with `tactus dump`, or only by rank with `tactus report` when a dump would be too long."""
    most = 200_000
    if case.facts(trace).get("calls", 0) <= most:
        return dumped(case, trace)
    rows = reported(case, trace)["ranks"]
    return Recorded(collections.Counter({(row["rank"], 0): row["calls"] for row in rows}), [], [])


def dumped(case, trace):
    result = Recorded(collections.Counter(), [], [])
    last_tag = {}
    with subprocess.Popen([case.tactus, "dump", str(trace)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as dump:
        for line in dump.stdout:
            found = line_form.match(line)
            if found is None:
                continue
            where = (int(found[1]), int(found[2]))
            if "unfinished" in found[4]:
                result.unfinished.append((*where, found[3]))
                continue
            folded = folded_form.search(found[4])
            result.calls[where] += int(folded[1]) if folded else 1
            if found[3] == "MPI_Send":
                tag = int(found[4].split(" tag ")[1].split()[0])
                if where in last_tag and tag != (last_tag[where] + 1) % 32768:
                    result.out_of_order.append(f"rank {where[0]} lane {where[1]}: MPI_Send with tag {tag} after "
                                               f"{last_tag[where]}")
                last_tag[where] = tag
    return result


def shortage(found, expected):
    """Returns how many calls the worst thread lacks, and the calls expected and recorded in all. Where calls are known
    by rank alone, the first is how many the worst rank lacks beyond one per thread, plus one."""
    worst = wanted = calls = 0
    by_lane = any(lane > 0 for _, lane in found.calls)
    for rank, counts in enumerate(expected):
        here = [found.calls[rank, lane] for lane in range(len(counts))]
        missing = [count - got for count, got in zip(counts, here)] if by_lane else [sum(counts) - len(counts)
                                                                                     + 1 - sum(here)]
        worst = max(worst, *missing)
        wanted += sum(counts)
        calls += sum(here)
    return worst, wanted, calls


def check_recovery(job, ended=None, flushes=False):
    """After a death, `tactus recover` must put everything into the trace that was counted (Job.expected). Returns what
    `shortage` does."""
    case, pages, expected = job.case, job.pages(), job.expected(ended, flushes)
    outcome = case.command("recover", job.trace)
    everybody_started = all(page.calls[0] > 0 for page in pages)
    if not everybody_started and (not job.trace.exists() or outcome.status == 1):
        return 0, 0, 0  # it was killed inside MPI_Init, before every rank had a file
    case.expect(outcome.status == 0, "tactus recover has everything", outcome)
    found = recorded(case, job.trace)
    worst, wanted, calls = shortage(found, expected)
    case.expect(worst <= 1, f"at most one call a thread is missing, and not {worst}: {expected} {found}", outcome)
    case.expect(not found.out_of_order, f"no record is lost or twice there: {found.out_of_order[:5]}", outcome)
    case.expect(calls <= sum(sum(page.calls) + 2 * len(page.calls) for page in pages),
                f"{calls} calls are not more than counted: {pages}", outcome)
    facts = case.facts(job.trace)
    case.expect(facts.get("finished") and (job.trace / "manifest.json").exists(), f"the trace is finished: {facts}",
                outcome)
    case.expect(facts["calls"] >= calls, f"tactus info counts what tactus dump shows, {calls}: {facts}")
    again = case.command("recover", job.trace)
    case.expect(again.status == 0 and "nothing to" in again.stdout + again.stderr,
                "a second time there is nothing to do", again)
    case.expect(not list(job.trace.glob("lanes/*")), "no lane is left in the trace", outcome)
    case.expect_no_lane("recovered", outcome)
    return worst, wanted, calls


def check_degraded(job, outcome, title):
    """After a run that lacked something and ended in order: the program did not notice, and tactus says what lacks.

    Returns how many calls are in the trace and how many were counted, after `tactus recover` where that is possible.
    """
    case = job.case
    case.expect(outcome.status == 0 and outcome.stdout.count("counted: done") == 1,
                f"{title}: the program ends as untraced", outcome)
    job.expect_none_left(title, outcome)
    counted, calls, whole = sum(sum(page.calls) for page in job.pages()), 0, False
    facts = case.facts(job.trace) if job.trace.exists() else {}
    if facts:
        whole = facts["finished"] and (job.trace / "manifest.json").exists()
        recovery = case.command("recover", job.trace)
        case.expect(recovery.status in (0, 1), f"{title}: tactus recover ends in order", recovery)
        if recovery.status == 0:
            case.expect_no_lane(title, recovery)
        case.lanes_before |= lane_folders()  # what could not be recovered stays, and the next run is not to blame
        calls = reported(case, job.trace)["calls"]
        case.expect(calls <= counted, f"{title}: {calls} calls are not more than the {counted} counted", outcome)
    if not facts:
        case.expect_no_lane(f"{title}: there is no trace", outcome)
    missing = counted - job.ranks - calls  # MPI_Finalize returns after the end of the trace
    said = [line for line in outcome.stderr.splitlines() if line.startswith("tactus: ")
            or "cannot be preloaded" in line]
    case.expect(said or (whole and missing <= 0), f"{title}: that {missing} calls are missing is said: {facts}",
                outcome)
    named = not facts or not facts["finished"] or sum(facts["losses"].values()) > 0
    case.expect(named or missing <= 0, f"{title}: the trace names what is missing, {missing} calls: {facts}", outcome)
    print(f"{title}: {calls} of {counted} calls; {said[0] if said else 'nothing to say'}", flush=True)
    return calls, counted
