#!/usr/bin/env python3
"""Kills a traced program at random moments, recovers the trace, and compares it with what the program itself counted.

Usage: kills.py --kills N [--seed S] --mpi openmpi|mpich --tactus COMMAND --library LIB.so --programs FOLDER [--env N=V
...]

Each run has 1, 2 or 4 ranks of `counted` with 1 or 3 threads. One rank or all of them are sent SIGKILL (now and then
SIGTERM, SIGSEGV or SIGABRT), mostly in the first 0.6 s of the calls, otherwise while the program starts or ends. The
launcher must end, no process of the job may be left, and `tactus recover` must find every counted call but one per
thread. The seed of a campaign is printed first, and that of a single kill where it fails: `--only K` repeats the K-th
kill alone.
"""
import argparse
import random
import resource
import signal
import statistics
import sys
import time
from dataclasses import dataclass, field

from case import Case, own_mounts
from counters import Job, check_recovery, finalizing


@dataclass
class Kill:
    """What is done to one run, drawn at random."""
    ranks: int
    threads: int
    moment: str
    delay_s: float
    rounds: int
    number: signal.Signals
    victims: list[int]
    lanes: str

    @classmethod
    def draw(cls, chance):
        ranks = chance.choice((1, 2, 4))
        moment = chance.choices(("running", "starting", "ending"), (70, 15, 15))[0]
        longest = {"running": 0.6, "starting": 0.5, "ending": 0.03}[moment]
        number = chance.choices((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT), (70, 10, 10, 10))[0]
        victims = list(range(ranks)) if chance.random() < 0.5 else [chance.randrange(ranks)]
        return cls(ranks, chance.choice((1, 3)), moment, longest * chance.random() ** 2, chance.randrange(1000, 20000),
                   number, victims, chance.choice(("", "/dev/shm")))

    def start(self, case):
        ending = ("finalize", self.rounds) if self.moment == "ending" else ("run",)
        places = {"VT_FLUSH_PREFIX": self.lanes} if self.lanes else {}
        if case.sanitized:
            # The sanitizer makes an exit of SIGSEGV, and MPICH's launcher waits forever, untraced too, for the other
            # ranks of one that exits before MPI_Init has reached it.
            places["ASAN_OPTIONS"] = f"{case.extra.get('ASAN_OPTIONS', '')}:handle_segv=0"
        # UCX's handler of SIGSEGV allocates memory, and waits forever in a rank that was doing so itself.
        job = Job(case, *ending, ranks=self.ranks, threads=self.threads,
                  launcher_environment={"UCX_HANDLE_ERRORS": "none"}, **places)
        job.poll_s = 0.002
        if self.moment == "starting":
            job.wait_until(lambda pages: all(page.pid for page in pages))
        elif self.moment == "ending":
            job.wait_until(lambda pages: any(page.stage >= finalizing for page in pages))
        else:
            case.expect(job.wait_moving(10), "the program makes calls",
                        None if job.process.poll() is None else job.wait())
        time.sleep(self.delay_s)
        return job


@dataclass
class Campaign:
    failures: int = 0
    launcher_hangs: int = 0
    counted: int = 0
    recovered: int = 0
    worst: int = 0
    seconds_to_end: list = field(default_factory=list)

    def one(self, case, kill):
        job = kill.start(case)
        try:
            killed_ns = job.signal_ranks(kill.victims, kill.number)
            outcome = job.wait()
            # Open MPI's launcher now and then locks itself out in its own end (pmix_rte_finalize), when all ranks are
            # gone.
            alone = job.launcher_alone and case.mpi == "openmpi"
            self.launcher_hangs += alone
            tolerated = alone and self.launcher_hangs == 1
            case.expect(outcome.status is not None or tolerated, "the launcher ends", outcome)
            self.seconds_to_end.append(job.seconds_to_end(killed_ns))
            job.expect_none_left("killed", outcome)
            worst, counted, recovered = check_recovery(job, kill.victims, kill.number == signal.SIGTERM)
        finally:
            job.kill_all()
        self.worst = max(self.worst, worst)
        self.counted += counted
        self.recovered += recovered

    def says(self, kills, mpi):
        median = statistics.median(self.seconds_to_end) if self.seconds_to_end else float("nan")
        return (f"{kills} kills of {mpi} ranks, {self.failures} failed: {self.recovered} of {self.counted} counted "
                f"calls recovered, "
                f"at worst {self.worst} of a thread missing, {median:.2f} s (median) from the kill to the launcher's "
                f"end; "
                f"{self.launcher_hangs} launchers hung without ranks")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--mpi", "--tactus", "--library", "--programs"):
        parser.add_argument(option, required=True)
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--only", type=int, help="the number of one kill of the campaign")
    options = parser.parse_args()
    options.other = None
    own_mounts()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"seed {options.seed}", flush=True)
    campaign = Campaign()
    numbers = range(options.kills) if options.only is None else [options.only]
    for number in numbers:
        kill = Kill.draw(random.Random(f"{options.seed} {number}"))
        case = Case(options)
        try:
            campaign.one(case, kill)
            case.clean_up()
        except SystemExit:
            campaign.failures += 1
            print(f"kill {number}: {kill}, kept in {case.folder}", flush=True)
    print(campaign.says(len(numbers), options.mpi))
    sys.exit(1 if campaign.failures else 0)


if __name__ == "__main__":
    main()
