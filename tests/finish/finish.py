"""Traces finished in MPI_Finalize and by `tactus finish`.   finish.py CASE --mpi MPI --tactus FILE --programs FOLDER
--random FILE --own FOLDER --truth FILE

VT_TEST_CLOCK makes the clocks wrong. Whatever the program does, nothing is received before it was sent once the trace
is finished. One process that replays all ranks gives the same, byte for byte, as the ranks that replayed themselves.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("", "preload")]
import harness  # noqa: E402
import launchers  # noqa: E402
import real_programs  # noqa: E402
from harness import expect  # noqa: E402
from true_clocks import TrueClocks  # noqa: E402

wrong_clocks = {
    "offset": "1-63:offset=100s,ppm=20",
    "thermal": "1-63:sine=20us/1s",
    "slew": "1-63:slew=400ppm@0.1s,slew=-300ppm@0.3s",
    "step": "1-63:step=50us@0.2s",
    "hosts": "1:host=b,offset=-2ms,ppm=-15;2-63:host=c,sine=30us/2s",
}

programs = [  # with ranks
    ("ping", 2), ("collectives", 4), ("collectives", 7), ("nonblocking", 4), ("probe", 4), ("communicators", 4),
    ("threads", 2), ("handed_over", 2), ("nonblocking_collectives", 4), ("persistent", 2), ("intercommunicators", 4),
    ("neighbors", 4), ("matched_probe", 2), ("windows", 4), ("requests", 2), ("communicator_makers", 4),
    ("collectives", 16),
]
programs_of_mpi_4 = {"openmpi": [], "mpich": [("partitioned", 2)]}


class Test:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-finish-"))
        self.true_clocks = TrueClocks(options.tactus, options.truth)

    def run(self, words, ranks, complete=True, **env):
        """Returns the trace, and keeps the complaints in `said`."""
        shutil.rmtree(self.folder / "it.tactus", ignore_errors=True)
        command = [self.options.tactus, "run",
                   *launchers.command(self.options.mpi, ranks, [str(word) for word in words])]
        outcome = launchers.run(command, self.folder, {"VT_LOGFILE_NAME": "it", **env})
        expect(not complete or outcome.status == 0,
               f"{words} ends with {outcome.status}:\n{outcome.stdout}{outcome.stderr}")
        self.said = outcome.stderr
        return self.folder / "it.tactus"

    def program(self, name):
        return pathlib.Path(self.options.programs) / name

    def own(self, name):
        return pathlib.Path(self.options.own) / name

    def tactus(self, *words, env=None):
        outcome = launchers.ask([self.options.tactus, *words], env=env)
        expect(outcome.returncode == 0,
               f"tactus {words} ends with {outcome.returncode}: {outcome.stdout}{outcome.stderr}")
        return outcome.stdout

    def clock(self, trace):
        return json.loads(self.tactus("report", "--json", "--time", "corrected", trace))["clock"]

    def in_order(self, trace, what):
        """The ranks finish the trace, and finishing it again in one process changes nothing. Returns what the report
        says of its clock."""
        clock = self.clock(trace)
        expect(clock is not None, f"{what}: is finished")
        expect(clock["reversed"]["corrected"] == 0, f"{what}: nothing is reversed: {clock}")
        expect(clock["in_circles"] == 0, f"{what}: nothing waits for itself: {clock}")
        expect(clock["unmatched"]["incomplete"] == 0, f"{what}: everything is known: {clock}")
        self.stays(trace, what, "one process", [self.options.tactus, "finish", "--threads", "1", trace])
        self.stays(trace, what, "three threads", [self.options.tactus, "finish", "--threads", "3", trace])
        self.tactus("timeline", trace)
        expect(not (trace / "cache").exists(), f"{what}: its time line is in it")
        return clock

    def stays(self, trace, what, who, words):
        before = fingerprints(trace)
        outcome = launchers.run([str(word) for word in words], self.folder)
        expect(outcome.status == 0 and outcome.stdout.count("nothing changed") == 1 and fingerprints(trace) == before,
               f"{what}: {who} says the same: {outcome}")


def fingerprints(trace):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(trace.rglob("*.trace"))}


def chosen(mpi, alone):
    """Returns the programs with their numbers. Where tactus was built for both MPIs, each runs every other program, and
    all of them in `tools/test long`."""
    all_of_them = list(enumerate(programs + programs_of_mpi_4[mpi]))
    if "TACTUS_LONG" in os.environ or alone:
        return all_of_them
    return all_of_them[int(mpi == "mpich")::2]


def clocks(test):
    """Tests every kind of wrong clock and every kind of call."""
    moved = reversed_before = 0
    for index, (name, ranks) in chosen(test.options.mpi, test.options.alone):
        kind = list(wrong_clocks)[index % len(wrong_clocks)]
        clock = test.in_order(test.run([test.program(name)], ranks, VT_TEST_CLOCK=wrong_clocks[kind]),
                              f"{name} on {ranks} ranks, {kind}")
        processes = 2 if ranks > 2 else 3  # fewer than ranks, or more
        test.stays(test.folder / "it.tactus", name, f"{processes} processes",
                   launchers.command(test.options.mpi, processes,
                                     [test.options.tactus, "finish", str(test.folder / "it.tactus")]))
        print(name, ranks, kind, clock["reversed"],
              f"moved {clock['moved']}, by at most {clock['largest_jump_ns']:.0f} ns", flush=True)
        moved += clock["moved"]
        reversed_before += clock["reversed"]["raw"]
    expect(reversed_before > 100, "the clocks were wrong enough")


def right(test):
    """With right clocks nothing moves at all."""
    for name, ranks in (("ping", 2), ("collectives", 4), ("nonblocking", 4), ("threads", 2), ("windows", 4),
                        *programs_of_mpi_4[test.options.mpi]):
        clock = test.in_order(test.run([test.program(name)], ranks), name)
        expect(clock["reversed"]["fitted"] == clock["moved"] == clock["max_move_ns"] == 0,
               f"{name}: nothing moves: {clock}")


def epochs(test):
    """Tests what waits for what with windows. With right clocks nothing is reversed; with wrong ones much is."""
    ranks = 3
    clock = test.in_order(test.run([test.own("epochs"), 100], ranks), "epochs")
    expect(clock["reversed"]["raw"] == clock["moved"] == 0, f"on right clocks: {clock}")
    clock = test.in_order(test.run([test.own("epochs"), 100], ranks, VT_TEST_CLOCK="1-63:offset=100s"),
                          "epochs, wrong clocks")
    expect(clock["reversed"]["raw"] >= 100
           and clock["messages"] == 0 and clock["collective_calls"] == 300 * ranks,
           f"of 100 waiting fences and 100 ends of exposures: {clock}")


def random(test):
    """Random programs whose clocks are aligned by dates alone: many events are reversed."""
    moved = 0
    for first, ranks in (100, 2), (200, 3), (300, 4), (400, 7):
        trace = test.run([test.options.random, first, 12], ranks, VT_TEST_CLOCK=wrong_clocks["offset"],
                         VT_SYNCED_CLUSTER="on")
        clock = test.in_order(trace, f"random programs from {first} on, {ranks} ranks")
        print(ranks, clock["reversed"], clock["unmatched"], f"moved {clock['moved']}", flush=True)
        moved += clock["moved"]
    expect(moved > 10, f"they were in disorder: {moved}")


def campaign(test):
    """Does what the test `random` does, for 600 programs. It takes minutes, so it is not in CTest."""
    moved = reversed_before = 0
    for run in range(50):
        ranks = 2 + run % 4
        kind = list(wrong_clocks)[run % len(wrong_clocks)]
        trace = test.run([test.options.random, 10000 + 100 * run, 12], ranks, VT_TEST_CLOCK=wrong_clocks[kind],
                         VT_SYNCED_CLUSTER="on")
        clock = test.in_order(trace, f"random programs from {10000 + 100 * run} on, {ranks} ranks, {kind}")
        moved += clock["moved"]
        reversed_before += clock["reversed"]["raw"]
    print(f"600 programs: {reversed_before} reversed, {moved} moved")


def later(test):
    """VT_POSTPROC=off or a lack of time leaves it to `tactus finish`. Other parameters repeat the correction, and it
    can be left out again."""
    trace = test.run([test.own("halo"), 1, 0], 2, VT_TEST_CLOCK=wrong_clocks["slew"], VT_POSTPROC_MAX="1ms")
    expect(test.clock(trace) is None and "VT_POSTPROC_MAX is over" in test.said
           and f"`tactus finish {trace}`" in test.said, f"out of time it names what does it: {test.said}")
    expect("finished" in test.tactus("finish", trace), "which does it")
    test.in_order(trace, "without time")
    trace = test.run([test.program("collectives")], 4, VT_TEST_CLOCK=wrong_clocks["slew"], VT_POSTPROC="off")
    expect(test.clock(trace) is None, "it is left for later")
    expect("finished" in test.tactus("finish", trace), "it is finished")
    expect("problems" not in test.tactus("info", trace), "and its manifest holds")
    test.in_order(trace, "finished later")
    environment = {"PATH": "/usr/bin:/bin"}
    test.tactus("finish", trace, env={**environment, "VT_ECLC": "2007"})
    expect(test.clock(trace)["gamma"] == 0.99 and test.clock(trace)["reversed"]["corrected"] == 0,
           "with the parameters of 2007")
    test.tactus("finish", trace, env={**environment, "VT_ECLC_MU": "measured"})
    expect(test.clock(trace)["reversed"]["corrected"] == 0, "with the least times of messages, as measured")
    test.tactus("finish", trace, env={**environment, "VT_ECLC": "off"})
    clock = test.clock(trace)
    expect(clock["moved"] == 0 and clock["reversed"]["corrected"] == clock["reversed"]["refined"],
           f"without a correction: {clock}")
    test.tactus("finish", trace)
    test.in_order(trace, "and with it again")
    compensating = {**environment, "VT_COMPENSATE": "on"}
    expect("nothing changed" not in test.tactus("finish", trace, env=compensating), "the run without the tracer is new")
    expect("nothing changed" in test.tactus("finish", trace, env=compensating), "and it is there")
    expect("problems" not in test.tactus("info", trace), "its manifest holds still")


def killed(test):
    """A job is killed in the middle of its calls, recovered and finished. Its clock comes from the first rounds and the
    messages, and the stated bounds of the clock are true."""
    for words in [test.program("many"), "100000000"], [test.own("halo"), "100", "100"]:
        end_in_the_middle(test, words)


def end_in_the_middle(test, words):
    """A slow tracer keeps the trace small, however late on a busy machine the job is killed: without it a rank makes 13
    million calls a second."""
    command = launchers.command(test.options.mpi, 2, [str(word) for word in words])
    slow = {"VT_TEST_OVERHEAD": "5us"}
    shutil.rmtree(test.folder / "it.tactus", ignore_errors=True)
    outcome = subprocess.Popen([test.options.tactus, "run", *command], cwd=test.folder, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **slow, "VT_LOGFILE_NAME": "it",
                                    "VT_TEST_CLOCK": wrong_clocks["offset"]})
    files = test.folder / "it.tactus" / "ranks"
    until = time.monotonic() + launchers.patience_s
    while len(sizes := [path.stat().st_size for path in files.rglob("*.trace")]) < 2 or sum(sizes) < 20_000:
        expect(time.monotonic() < until, f"both ranks write their traces: {sizes}")
        time.sleep(0.05)
    launchers.end(launchers.descendants(outcome.pid), outcome)
    trace = test.folder / "it.tactus"
    unfinished = launchers.ask([test.options.tactus, "finish", trace])
    expect(unfinished.returncode == 1 and "tactus recover" in unfinished.stderr,
           f"what to do first is said: {unfinished.stderr}")
    launchers.ask([test.options.tactus, "recover", trace])
    test.tactus("finish", trace)
    clock = test.clock(trace)
    print(clock["reversed"], test.true_clocks.within(trace), flush=True)
    expect(clock["reversed"]["corrected"] == 0, f"nothing is reversed: {clock}")


def interrupted(test):
    """`tactus finish` itself was ended while it wrote: the file is sound up to there, and the next run completes it."""
    trace = test.run([test.options.random, 100, 12], 2, VT_TEST_CLOCK=wrong_clocks["offset"], VT_SYNCED_CLUSTER="on",
                     VT_POSTPROC="off")
    files = sorted(trace.rglob("*.trace"))
    before = [path.read_bytes() for path in files]
    test.tactus("finish", trace)
    after = [path.read_bytes() for path in files]
    wanted = test.clock(trace)
    kept = [len(os.path.commonprefix([old, new])) for old, new in zip(before, after)]
    expect(wanted["reversed"]["raw"] > 0 and all(2 * size > len(old) for size, old in zip(kept, before)),
           "it goes on from the index")
    for part in (0, 0.3, 0.6, 0.99):
        for path, size, new in zip(files, kept, after):
            path.write_bytes(new[:size + int(part * (len(new) - size))])
        launchers.ask([test.options.tactus, "finish", trace])
        clock = test.clock(trace)
        expect(clock == wanted, f"ended after {part:.0%} of what it writes, it is made up for: {clock}, not {wanted}")
        test.stays(trace, f"ended after {part:.0%}", "one process",
                   [test.options.tactus, "finish", "--threads", "1", trace])


def real(test):
    """Tests programs that were not written as tests, and many ranks."""
    # MPICH's ranks never give their core away while they wait. The tests' own programs are linked with a remedy
    # (tests/mpi/yielding.c), these are not.
    wanted = ([("xdlu", 4), ("xdls", 4), ("lammps", 4), ("hpcc", 4)] if test.options.mpi == "openmpi" else
              [("xdlu", 2), ("xdls", 2)])
    if test.options.alone and not real_programs.has_scalapack():  # Debian's package of it brings both MPIs
        print("ScaLAPACK's programs are not here")
        wanted = [(name, ranks) for name, ranks in wanted if name not in real_programs.scalapack_inputs]
    for name, ranks in wanted:
        details, command = real_programs.programs[name](ranks, test.options.mpi, test.folder)
        for option, value in zip(details, details[1:]):
            if option == "--input" and pathlib.Path(value).parent != test.folder:
                shutil.copy(value, test.folder)
        show(name, ranks, test.in_order(test.run(command, ranks, VT_TEST_CLOCK=wrong_clocks["hosts"]), name))
    many = 64 if test.options.mpi == "openmpi" else 16
    trace = test.run([test.options.random, 500, 2], many, VT_TEST_CLOCK=wrong_clocks["offset"], VT_SYNCED_CLUSTER="on")
    show("random programs", many, test.in_order(trace, f"{many} ranks"))


def show(name, ranks, clock):
    print(name, ranks, clock["reversed"], clock["unmatched"], f"moved {clock['moved']}", flush=True)


def refined(test):
    """Messages tell where a clock was that wandered by 20 us between two rounds. How well they do where their times are
    known is tested in unit.postproc.replay."""
    trace = test.run([test.own("halo"), 8, 200], 2, VT_TEST_CLOCK="1:offset=1ms,sine=20us/16s")
    clock = test.in_order(trace, "halo")
    fitted, refined = test.true_clocks.truth(trace, "--fit", "interval")["all"], test.true_clocks.within(trace)
    print(clock["reversed"], fitted, refined, flush=True)
    # The medians are compared, since messages take long, and tell little, where ranks had no core.
    expect(refined["median_ns"] * 4 < fitted["median_ns"], f"it is less than a quarter as wrong: {fitted} {refined}")
    expect(clock["reversed"]["refined"] * 10 <= clock["reversed"]["fitted"], f"and so they are in order: {clock}")


cases = {case.__name__: case for case in (clocks, right, epochs, random, campaign, later, killed, interrupted, real,
                                          refined)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=cases)
    parser.add_argument("--alone", action="store_true", help="tactus was built for this MPI alone")
    for name in ("mpi", "tactus", "programs", "random", "own", "truth"):
        parser.add_argument(f"--{name}", required=True)
    test = Test(parser.parse_args())
    if test.options.case in ("clocks", "random"):
        os.environ["VT_COMPENSATE"] = "on"  # which is the same with any number of processes, too
    return harness.finish(test, cases[test.options.case])


if __name__ == "__main__":
    sys.exit(main())
