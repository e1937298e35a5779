"""Tests what tactus finds of clocks that VT_TEST_CLOCK makes wrong.   clocks.py CASE --mpi MPI --tactus FILE --truth
FILE --programs FOLDER

The truth is known, since all ranks run on one machine; `clock_truth` compares. What is tested holds on a busy machine,
too: who is measured against whom, and that no clock is further from the truth than the round trips of its measurements
allow. How many nanoseconds that is depends on the machine: bench/clocks prints them, and tests/unit/clocksync tests the
methods on simulated clocks.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402
import launchers  # noqa: E402
from harness import expect  # noqa: E402
from true_clocks import TrueClocks  # noqa: E402


class Test:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-clocks-"))
        self.true_clocks = TrueClocks(options.tactus, options.truth)

    def run(self, name, words, ranks=2, env=None, complete=True):
        """Makes a traced run. If the run is not to be `complete`, each launcher complains in its own way."""
        shutil.rmtree(self.trace(name), ignore_errors=True)
        program = [str(pathlib.Path(self.options.programs) / words[0]), *map(str, words[1:])]
        command = [self.options.tactus, "run", *launchers.command(self.options.mpi, ranks, program)]
        outcome = launchers.run(command, self.folder, {"VT_LOGFILE_NAME": name, **(env or {})})
        expect(outcome.status == 0 or not complete and outcome.status is not None,
               f"{name} ends with {outcome.status}:\n{outcome.stdout}{outcome.stderr}")
        return outcome

    def trace(self, name):
        return self.folder / f"{name}.tactus"

    def clocks(self, name):
        return self.true_clocks.stated(self.trace(name))

    def truth(self, name, *words):
        return self.true_clocks.truth(self.trace(name), *words)

    def within(self, name, *more):
        self.true_clocks.within(self.trace(name), *more)


def constant(test):
    """Offset and drift are found from two rounds."""
    for name, clock in ("ahead", "1:offset=1ms,ppm=20"), ("behind", "1:offset=-1ms,ppm=-20"):
        test.run(name, ["timesync", 3, 2], env={"VT_TEST_CLOCK": clock})
        test.within(name)
        one = test.clocks(name)["ranks"][1]
        sign = 1 if name == "ahead" else -1
        first, last = one["rounds"][0], one["rounds"][-1]
        uncertain_ns = first["bound_ns"] + last["bound_ns"]
        # The offset is of some moment of the run, in which the clock drifted away from what it was at first.
        drifted_ns = 20e3 * (last["time_s"] - first["time_s"])
        expect(abs(one["offset_ns"] + sign * 1e6) < drifted_ns + uncertain_ns + 1000, f"what mends the offset: {one}")
        expect(abs(one["drift_ppm"] + sign * 20) < 0.5 + 20 * uncertain_ns / drifted_ns, f"what mends the drift: {one}")


def sine(test):
    """A clock wanders by 20 us; it is fitted with all rounds of a run and with every fourth. A line is 14 us off."""
    test.run("sine", ["timesync", 20, 25], env={"VT_TEST_CLOCK": "1:sine=20us/40s"})
    for every, curved_ns in (1, 1500), (4, 6000):
        test.within("sine", curved_ns, ("--fit", "interval", "--every", every))
        test.truth("sine", "--fit", "itac", "--every", every)


def control(test):
    """Right clocks stay as they are."""
    test.run("shared", ["timesync", 1, 4])
    expect(test.truth("shared")["all"]["max_ns"] == 0, "ranks of a host share their clock")
    expect([one["relation"] for one in test.clocks("shared")["ranks"]] == ["reference", "shared"], "which is found out")
    test.run("apart", ["timesync", 1, 4], env={"VT_SYNCED_HOST": "off"})
    test.within("apart")
    test.run("cluster", ["timesync", 1, 4], env={"VT_SYNCED_CLUSTER": "on"})
    expect(test.truth("cluster")["all"]["max_ns"] == 0, "nothing is measured, nothing changed")
    test.run("dates", ["timesync", 1, 4], env={"VT_SYNCED_CLUSTER": "on", "VT_TEST_CLOCK": "1:host=b,offset=100ms"})
    one = test.clocks("dates")["ranks"][1]
    expect([note["name"] for note in one["notes"]] == ["no_round"] and not one["rounds"],
           f"another host's date is all there is: {one}")
    expect(abs(test.truth("dates", "--fit", "measured")["1"]["max_ns"] - 1e8) < 1e7, "and it is taken as it is")
    expect(test.truth("dates")["1"]["max_ns"] < 1e7, "until messages say better")


def hosts(test):
    """Tests who is measured against whom."""
    clock = "0-1:host=a;2-3:host=b,offset=3ms"
    test.run("hosts", ["timesync", 1, 4], ranks=4, env={"VT_TEST_CLOCK": clock})
    ranks = test.clocks("hosts")["ranks"]
    expect([(one["relation"], one["master"]) for one in ranks] ==
           [("reference", 0), ("shared", 0), ("measured", 0), ("shared", 2)], f"two hosts: {ranks}")
    test.within("hosts")
    test.run("odd", ["timesync", 1, 4], ranks=3, env={"VT_TEST_CLOCK": "1:offset=1ms"})
    ranks = test.clocks("odd")["ranks"]
    expect([one["relation"] for one in ranks] == ["reference", "measured", "shared"],
           f"an odd clock on the host: {ranks}")
    moments_s = iter((1, 4, 16, 64))

    def late():
        goes_wrong_s = next(moments_s)
        test.run("late", ["timesync", goes_wrong_s + 1, 6], env={"VT_TEST_CLOCK": f"1:slew=100ppm@{goes_wrong_s}s"})
        one = test.clocks("late")["ranks"][1]
        return one if not one["rounds"] or one["rounds"][0]["time_s"] < goes_wrong_s else None

    one = harness.on_a_core("late", "MPI_Init measured the clock after it went wrong", late, tries=4)
    expect(one is None or any(note["name"] == "own_clock" for note in one["notes"]),
           f"a clock that leaves its host's: {one}")


def tree(test):
    """Tests topologies other than a star."""
    test.run("tree", ["timesync", 1, 3], ranks=6,
             env={"VT_TEST_CLOCK": "*:offset=1ms;3:ppm=50;5:offset=-2ms", "VT_SYNCED_HOST": "off",
                  "VT_SYNC_TOPOLOGY": "tree"})
    ranks = test.clocks("tree")["ranks"]
    expect([one["level"] for one in ranks] == [0, 1, 1, 2, 1, 2], f"log2 steps: {ranks}")
    expect([one["master"] for one in ranks] == [0, 0, 0, 1, 0, 1], f"masters: {ranks}")
    test.within("tree")


def barrier(test):
    """Tests VT_SYNC_MAX_DURATION=0."""
    test.run("barrier", ["timesync", 1, 4], env={"VT_TEST_CLOCK": "1:offset=1ms", "VT_SYNC_MAX_DURATION": "0"})
    test.within("barrier")


def period(test):
    """Tests rounds inside collectives."""
    test.run("period", ["timesync", 3, 2], env={"VT_TEST_CLOCK": "1:offset=1ms", "VT_SYNC_PERIOD": "200ms"})
    rounds = test.clocks("period")["ranks"][1]["rounds"]
    periodic = sum(one["reason"] == "period" and not one["rejected"] for one in rounds)
    expect(3 <= periodic <= 16, f"3 s make about 13 rounds: {periodic}")
    separate = {"VT_SYNC_PERIOD": "200ms", "VT_SYNCED_HOST": "off", "VT_SYNC_TOPOLOGY": "tree"}
    test.run("threads", ["timesync", 3, 3, "threads"], ranks=4, env=separate)
    rounds = test.clocks("threads")["ranks"][3]["rounds"]
    periodic = sum(one["reason"] == "period" and not one["rejected"] for one in rounds)
    # There are 8 threads, on 2 cores perhaps; how long each round takes depends on the machine.
    expect(1 <= periodic <= 16, f"3 s make at most 15 rounds, beside another thread and down a tree: {periodic}")
    test.run("never", ["timesync", 1, 2], env={"VT_TEST_CLOCK": "1:offset=1ms", "VT_SYNC_PERIOD": "off"})
    rounds = [one for one in test.clocks("never")["ranks"][1]["rounds"] if not one["rejected"]]
    expect(len(rounds) == 2, "only at the start and the end")


def meetings(test):
    """Tests VT_timesync where not all come at once."""
    env = {"VT_SYNC_MAX_DURATION": "1s", "VT_SYNCED_HOST": "off"}
    said = test.run("late-1", ["meeting", "late", 1, 1.6], ranks=3, env=env).stderr
    expect("rank 0 has waited 1 s in VT_timesync: rank 1 did not call it" in said, f"rank 1 is named: {said}")
    said = test.run("late-0", ["meeting", "late", 0, 1.6], ranks=3, env=env).stderr
    expect("rank 1 has waited 1 s in VT_timesync for rank 0" in said, f"rank 0 is named: {said}")
    said = test.run("one-clock", ["meeting", "late", 0, 1.6], ranks=3, env={"VT_SYNC_MAX_DURATION": "1s"}).stderr
    expect("rank 1 has waited" in said and "rank 2" not in said, f"one of those that share a clock speaks: {said}")
    said = test.run("punctual", ["meeting", "late", 0, 0], ranks=3, env={**env, "VT_SYNC_MAX_DURATION": "30s"}).stderr
    expect("has waited" not in said, f"nobody waits: {said}")
    test.run("outside", ["meeting", "outside"], ranks=2)
    test.run("closed", ["meeting", "closed"], ranks=3, env={"VT_SYNC_PERIOD": "50ms", "VT_SYNCED_HOST": "off"})
    if test.options.mpi == "openmpi":  # Debian's MPICH cannot spawn
        test.run("spawn", ["meeting", "spawn"], ranks=1)


def killed(test):
    """A job that was killed has its first rounds. A launcher may end a rank when another one left: its file is cut."""
    def run(name, rounds):
        env = {"VT_TEST_CLOCK": "1:offset=1ms,ppm=20", "VT_POSTPROC": "off"}
        test.run(name, ["timesync", 1, rounds, "exit"], env=env, complete=False)
        subprocess.run([test.options.tactus, "recover", test.trace(name)], check=True, timeout=launchers.patience_s,
                       stdout=subprocess.DEVNULL)
    run("exit", 4)
    clocks = test.clocks("exit")
    rounds = {one["number"] for one in clocks["ranks"][1]["rounds"]}  # a round whose pings were bad has another try
    expect(not clocks["stored"] and rounds == {0, 1, 2}, f"rounds without the last: {clocks}")
    test.within("exit", 0, ("--fit", "interval"))
    run("one", 2)
    one = test.clocks("one")["ranks"][1]
    expect(any(note["name"] == "one_round" for note in one["notes"]), f"one round is named: {one}")


cases = {case.__name__: case for case in (constant, sine, control, hosts, tree, barrier, period, meetings, killed)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=cases)
    for name in "mpi", "tactus", "truth", "programs":
        parser.add_argument(f"--{name}", required=True)
    test = Test(parser.parse_args())
    return harness.finish(test, cases[test.options.case])


sys.exit(main())
