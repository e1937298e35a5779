"""Compares two ways to know the run without the tracer: as the threads noted it while the program ran, by what
messages and collectives carried, and as computed from the trace.   delays.py CASE --mpi MPI --tactus FILE --programs
FOLDER

VT_TEST_OVERHEAD sets how long the tracer takes, and both ways use the same value, however long a rank that lost its
core really took. So no test depends on the time of this machine.
"""
import argparse
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402
import launchers  # noqa: E402
from harness import expect, on_a_core  # noqa: E402


patterns = ("stencil", "wavefront", "random", "master")
no_core = "a rank had no core in the middle of a wait"
slow = {"VT_PIGGYBACK_COLLECTIVES": "on", "VT_TEST_OVERHEAD": "20us"}


class Test:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-delays-"))

    def run(self, name, program, *arguments, **environment):
        shutil.rmtree(self.folder / f"{name}.tactus", ignore_errors=True)
        words = [self.options.tactus, "run",
                 *launchers.command(self.options.mpi, 2, [f"{self.options.programs}/{program}", *map(str, arguments)])]
        outcome = launchers.run(words, self.folder,
                                {"VT_LOGFILE_NAME": name, "VT_PIGGYBACK": "on", **environment})
        expect(outcome.status == 0, f"{name} ends with {outcome.status}: {outcome.stdout}{outcome.stderr}")
        return outcome

    def command(self, *words):
        done = launchers.ask([self.options.tactus, *words], cwd=self.folder)
        expect(done.returncode == 0, f"tactus {' '.join(words)}: {done.stderr}")
        return done.stdout

    def report(self, name, *words):
        return json.loads(self.command("report", "--json", f"{name}.tactus", *words))

    def marked_s(self, name, time):
        """Returns the seconds between the two marks, by rank."""
        lines = re.findall(r"^(\S+) rank (\d+) ",
                           self.command("dump", f"{name}.tactus", "--function", "MPI_Pcontrol", "--time", time), re.M)
        expect(len(lines) == 4, f"two marks a rank: {lines}")
        return {rank: max(float(s) for s, other in lines if other == rank) - min(float(s) for s, other in lines
                                                                                 if other == rank)
                for _, rank in lines}


def agree(test):
    """Both ways must give the same."""
    for pattern in patterns:
        on_a_core(pattern, no_core, lambda: compared(test, pattern))


def compared(test, pattern):
    """Returns None if the two ways are apart, but by less than the ranks had no core: they treat a pause of another
    rank differently when a rank lost its core in the middle of a wait."""
    lost = harness.seconds_without_core(test.run(pattern, "patterns", pattern, 1000, **slow))
    report = test.report(pattern)
    computed, noted = report["compensated"], report["compensated_noted"]
    expect(computed["unknown"] == 0, f"{pattern}: every other side is known: {computed}")
    receives = noted["receives"]
    expect(receives["clocks"] > 500 and receives["wait"] == receives["nothing"] == 0,
           f"{pattern}: on one host clocks agree: {receives}")
    missing = 0
    for one, other in zip(computed["ranks"], noted["ranks"]):
        saved = one["wall"]["measured_s"] - one["wall"]["compensated_s"]
        between = abs(one["wall"]["compensated_s"] - other["wall"]["compensated_s"])
        print(f"{pattern} rank {one['rank']}: {1e3 * saved:.3f} ms are the tracer's, "
              f"{1e3 * between:.3f} ms between the two, without a core for {1e3 * lost:.3f} ms")
        expect(saved > 0, f"{pattern}: the tracer took something: {one}")
        missing = max(missing, between - 0.05 * saved)
    if pattern == "stencil":  # no rank waits for long here, so a rank takes longer by its own calls: five per step
        marked, left = test.marked_s(pattern, "corrected"), test.marked_s(pattern, "compensated")
        for rank, seconds in marked.items():
            missing = max(missing, 0.9 * 1000 * 5 * 20e-6 - (seconds - left[rank]))
    expect(missing < max(lost, 1e-9), f"{pattern}: both say the same, and find what was asked for: {report}")
    return missing == 0 or None


def choices(test):
    """Tests the options that choose what is kept and what is shown."""
    test.run("off", "patterns", "master", 300, VT_PIGGYBACK="off", VT_TEST_OVERHEAD="20us")
    report = test.report("off")
    expect("compensated" in report and "compensated_noted" not in report, f"computed without headers: {list(report)}")
    expect("compensated" not in test.report("off", "--time", "corrected"), "as measured only")
    test.run("silent", "patterns", "master", 300, VT_DELAYS="off")
    expect("note delayed" not in test.command("dump", "silent.tactus"), "no notes")
    on_a_core("what is shown", no_core, lambda: shown(test))


def shown(test):
    """Tests what is shown. Returns None if a time is not shorter, but by less than the ranks had no core."""
    lost = harness.seconds_without_core(test.run("noted", "patterns", "master", 300, **slow))
    expect("note delayed" in test.command("dump", "noted.tactus"), "notes")
    text = test.command("report", "noted.tactus")
    expect("Without the tracer" in text and "by what the threads noted" in text, f"both are told: {text}")
    whole = max(test.marked_s("noted", "corrected").values())
    longest = 0
    for time in "compensated", "noted":
        times = [float(line.split()[0]) for line in test.command("dump", "noted.tactus", "--time", time, "--rank",
                                                                 "1").splitlines()]
        expect(times == sorted(times), f"{time} times never run back")
        longest = max(longest, *test.marked_s("noted", time).values())
    expect(longest < whole + lost, f"both are shorter than {whole} s: {longest}")
    return longest < whole or None


def other_clocks(test):
    """The clocks of two hosts drift apart. Soon they are not known well enough, and then the time that a receive
    waited decides. In the stencil most receives find their message there. On a busy machine, fewer do."""
    for ppm in 20, -20:
        for pattern, unsigned in ("master", "wait"), ("stencil", "nothing"):
            test.run("hosts", "patterns", pattern, 4000, VT_TEST_CLOCK=f"1:host=b,ppm={ppm}")
            report = test.report("hosts")
            expect("compensated_noted" in report, f"delays were noted: {list(report)}")
            receives = report["compensated_noted"]["receives"]
            print(f"{pattern}, {ppm} ppm: {receives}")
            expect(receives[unsigned] > 0.1 * sum(receives.values()), f"the unsigned rule, counted: {receives}")
            expect(receives["clocks"] < 0.1 * sum(receives.values()), f"clocks are soon unknown: {receives}")


def names(test):
    """Threads send and receive with the same envelope: every receive names the send it took, known by its size."""
    test.run("crowd", "crowd", 200)
    sent, received, note = {}, [], {}
    for line in test.command("dump", "crowd.tactus").splitlines():
        lane = tuple(line.split()[1:5])
        if "note messages" in line:
            note[lane] = line
            continue
        size = re.search(r" bytes (\d+)", line)
        said = note.pop(lane, "")
        if size and "MPI_Isend" in line:
            sent[lane[1], re.search(r"request (\S+)", line)[1]] = size[1]
        elif size and "MPI_Send " in line:
            sent[lane[1], re.search(r"sent (\S+)", said)[1]] = size[1]
        elif size and ("MPI_Recv " in line or "MPI_Wait " in line):
            sender = str(1 - int(lane[1]))
            received.append(((sender, re.search(r"received (\S+)", said)[1]), size[1]))
    expect(len(received) == len(sent) == 2 * 4 * 200, f"all were sent and received: {len(sent)} and {len(received)}")
    expect(len({number for number, _ in received}) == len(received), "no two receives name the same")
    wrong = [(number, size, sent.get(number)) for number, size in received if sent.get(number) != size]
    expect(not wrong, f"each names the one it took: {wrong[:5]}")
    paired = test.report("crowd")["compensated"]
    expect(paired["messages"] >= len(received) and paired["unknown"] == 0, f"and so they are paired: {paired}")


cases = {case.__name__: case for case in (agree, choices, other_clocks, names)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=cases)
    for name in "mpi", "tactus", "programs":
        parser.add_argument(f"--{name}", required=True)
    test = Test(parser.parse_args())
    return harness.finish(test, cases[test.options.case])


if __name__ == "__main__":
    sys.exit(main())
