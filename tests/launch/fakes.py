#!/usr/bin/env python3
"""Tests that `tactus run` finds the programs behind the options of launchers that are not on this machine, and brings
the library into their ranks. The launchers are those of fake_launcher.py; the ranks are real, and so are their traces.

Usage: fakes.py CASE --mpi openmpi|mpich --tactus COMMAND --programs FOLDER
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fake_launcher  # noqa: E402
import launchers  # noqa: E402
from harness import expect, finish  # noqa: E402


class Fakes:
    def __init__(self, options):
        self.mpi, self.tactus = options.mpi, options.tactus
        self.ring = str((pathlib.Path(options.programs) / "ring").resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-fakes-"))
        self.commands = self.folder / "commands"
        self.commands.mkdir()
        fake_launcher.install(self.commands)
        self.runs = 0

    def run(self, line, tracer=()):
        """Runs a line in a folder of its own, in which `ring` is the program. It is also the folder of its traces."""
        self.runs += 1
        self.place = self.folder / str(self.runs)
        self.node = self.place / "node"
        self.node.mkdir(parents=True)
        os.symlink(self.ring, self.place / "ring")
        (self.place / "two.conf").write_text("0 ./ring a\n1 ./ring b\n")
        environment = {"FAKE_MPI": self.mpi, "FAKE_NODE": str(self.node),
                       "PATH": f"{self.commands}:{os.environ['PATH']}"}
        return launchers.run([*tracer, *line.split()], self.place, environment, 100)

    def traced(self, line):
        return self.run(line, [self.tactus, "run"])

    def expect_traced(self, line, copied=()):
        """Expects that the ranks say the same as untraced, a trace of both, and that exactly these files are copied."""
        untraced = self.run(line)
        expect(untraced.status == 0 and "rank 1 got 100" in untraced.stdout, f"{line}: it runs untraced", untraced)
        traced = self.traced(line)
        expect((traced.status, traced.stdout) == (untraced.status, untraced.stdout), f"{line}: traced", traced)
        on_node = sorted(path.name for path in self.node.iterdir())
        expect(on_node == sorted(copied), f"{line}: {on_node} are copied", traced)
        traces = list(self.place.glob("*.tactus"))
        expect(len(traces) == 1, f"{line}: {traces}", traced)
        info = json.loads(launchers.ask([self.tactus, "info", "--json", traces[0]]).stdout)
        expect((info["ranks"], info["calls"]) == (2, 12), f"{line}: {info}", traced)


def aprun(test):
    """aprun copies the program, unless -b says that it shall not."""
    test.expect_traced("aprun -n 2 -N 2 -cc depth -d1 ./ring", ["ring"])
    test.expect_traced("aprun -n2 -e A=b -q ./ring", ["ring"])
    test.expect_traced("aprun -n 1 -j 1 ./ring : -n 1 -ss ./ring x", ["ring"])
    test.expect_traced("aprun -b -n 2 ./ring")
    test.expect_traced("aprun -n 2 env A=b ./ring", ["env"])  # as untraced


def pals(test):
    """The mpiexec and palsrun of PALS do as well."""
    test.expect_traced("mpiexec -n 2 -ppn 2 --cpu-bind depth --env A=b ./ring", ["ring"])
    test.expect_traced("palsrun --np 1 --line-buffer ./ring : --np 1 -l ./ring", ["ring"])
    test.expect_traced("palsrun --no-transfer -n 2 ./ring")
    test.expect_traced("mpiexec --envnone -n 2 -- ./ring", ["ring"])


def flux(test):
    test.expect_traced("flux run -n 2 -t 3 -N1 -o cpu-affinity=per-task --exclusive ./ring")
    test.expect_traced("flux run -xun2 --env=A=b ./ring :")
    test.expect_traced("flux submit --ntasks=2 --watch -- ./ring")


def jsrun(test):
    test.expect_traced("jsrun -n 1 -a2 -c 2 --bind packed:1 -d packed --smpiargs -gpu -E A=b ./ring")
    test.expect_traced("jsrun --nrs=1 -i ./ring : -n1 ./ring")
    test.expect_traced("lrun -n2 -T2 --smt=4 --pack ./ring")


def srun(test):
    """srun copies the program with --bcast, and has programs in a file with --multi-prog."""
    test.expect_traced("srun -n 2 --mpi=pmi2 -lu --cpu-bind=cores --overlap ./ring")
    test.expect_traced("srun --mpi pmix --oom-kill-step -n1 ./ring : --het-group=1 -n 1 ./ring")
    test.expect_traced("srun --bcast=/tmp/x -n2 ./ring", ["ring"])
    test.expect_traced("srun --bcast --export=ALL,'A=1,2' -n2 ./ring", ["ring"])
    test.expect_traced("srun --bcast --export=NONE -n2 ./ring", ["ring"])
    test.expect_traced("srun -n2 -K --multi-prog two.conf")


def intel(test):
    """Intel's mpirun and mpiexec.hydra, with what only these have. -trace is for tactus."""
    mpirun, hydra = test.commands / "intel/mpirun", test.commands / "intel/mpiexec.hydra"
    test.expect_traced(f"{mpirun} -trace -ppn 2 -n 2 -genv A b -s all ./ring")
    test.expect_traced(f"{hydra} -perhost 1 -gtool x:0 -ordered-output -n 1 ./ring : -env A=b -n 1 ./ring")


def mpirun_rsh(test):
    """MVAPICH2's launcher has hosts and variables before the program."""
    test.expect_traced("mpirun_rsh -np 2 -hostfile hosts -export A=b C=d ./ring E=f")
    test.expect_traced("mpirun_rsh --n 2 -ssh localhost localhost A=b LD_PRELOAD=libm.so.6 ./ring")
    test.expect_traced("mpirun_rsh -np 2 -hostfile hosts ring :")


def prte(test):
    """prterun, and an mpirun that executes it, as that of Open MPI 5."""
    five, prterun = test.commands / "five/mpirun", test.commands / "five/prterun"
    test.expect_traced(f"{prterun} --np 2 --map-by :OVERSUBSCRIBE --output-proctable ./ring")
    test.expect_traced(f"{five} -n2 --mapby core --no-ready-msg -x A=b ./ring")
    test.expect_traced(f"{five} -n 1 --stop-on-exec ./ring : -n 1 ./ring")
    test.expect_traced(f"{prterun} -n 2 --preload-binary ./ring", ["ring"])


def refused(test):
    """Options that a launcher does not have are its own matter. A variable that two options would set is not set."""
    for line in "aprun --ntasks 2 ./ring", "flux run --np 2 ./ring", "jsrun --oversubscribe ./ring", "lrun -n 2 ./ring":
        outcome = test.traced(line)
        expect(outcome.status == 1 and "option '" in outcome.stderr, f"{line} is refused", outcome)
    outcome = test.traced("aprun -n 2 -e LD_PRELOAD=libm.so.6 ./ring")
    expect(outcome.status == 0 and "rank 1 got 100" in outcome.stdout, "the program runs", outcome)
    ours = [line for line in outcome.stderr.splitlines() if line.startswith("tactus: ")]
    expect(len(ours) == 1 and "only its option -e" in ours[0] and "runs untraced" in ours[0], "one line", outcome)
    expect(not list(test.place.glob("*.tactus")), "there is no trace")


def main():
    parser = argparse.ArgumentParser()
    cases = {case.__name__: case for case in (aprun, pals, flux, jsrun, srun, intel, mpirun_rsh, prte, refused)}
    parser.add_argument("case", choices=sorted(cases))
    parser.add_argument("--mpi", required=True, choices=sorted(launchers.launcher_words))
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    sys.exit(finish(Fakes(options), cases[options.case]))


if __name__ == "__main__":
    main()
