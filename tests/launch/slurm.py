#!/usr/bin/env python3
"""Tests `tactus run srun` in a real Slurm, with MPICH by PMI2 and Open MPI by PMIx. tools/slurm starts this; it is not
part of the other tests. It takes names of cases, and by default runs all of them with both MPIs.
"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import expect, finish  # noqa: E402

build = pathlib.Path(__file__).resolve().parents[2] / "build/release"
kinds = {"mpich": "pmi2", "openmpi": "pmix"}
patience_s = 200  # A time limit is a minute, and Slurm sees it half a minute later.
# Open MPI finds its way between two nodes that are one machine only by this device.
os.environ.update(OMPI_MCA_btl_tcp_if_include="lo", OMPI_MCA_mtl="^psm,ofi")


class Slurm:
    def __init__(self, mpi):
        self.mpi, self.tactus = mpi, str(build / "bin/tactus")
        self.programs = build / "tests/launch" / mpi
        self.ring = str(self.programs / "ring")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-slurm-"))
        self.runs = 0

    def run(self, words, environment=None):
        self.runs += 1
        self.place = self.folder / str(self.runs)
        self.place.mkdir()
        return launchers.run(words, self.place, environment, patience_s)

    def srun(self, options):
        """Returns the words of srun, with the MPI's own kind of start before these options and programs."""
        return ["srun", f"--mpi={kinds[self.mpi]}", *options]

    def expect_trace(self, outcome, what):
        """Expects that the last run printed what `ring` prints, and left a trace of two ranks with their calls."""
        expect(outcome.status == 0 and "rank 1 got 100" in outcome.stdout, f"{what}: it runs", outcome)
        traces = list(self.place.glob("*.tactus"))
        expect(len(traces) == 1, f"{what}: {traces}", outcome)
        info = json.loads(launchers.ask([self.tactus, "info", "--json", traces[0]]).stdout)
        expect((info["ranks"], info["calls"]) == (2, 12), f"{what}: {info}", outcome)
        return traces[0]

    def expect_traced(self, options, environment=None):
        untraced = self.run(self.srun(options), environment)
        expect(untraced.status == 0 and "rank 1 got 100" in untraced.stdout, f"{options}: untraced", untraced)
        outcome = self.run([self.tactus, "run", *self.srun(options)], environment)
        return self.expect_trace(outcome, str(options))


def step(test):
    """On one node, and on two."""
    test.expect_traced(["-n2", test.ring])
    test.expect_traced(["-N2", "-n", "2", "-u", "--cpu-bind=none", test.ring])


def heterogeneous(test):
    """Each part has a node of its own."""
    test.expect_traced(["-n1", test.ring, ":", "-n1", f"--mpi={kinds[test.mpi]}", test.ring, "x"])


def copied(test):
    """With --bcast the program is copied, and no env, and a variable with commas arrives as it is."""
    commas = "MPI:MPI_Init on, MPI:MPI_Finalize on"
    for more in [], ["--export=ALL,LD_PRELOAD=libm.so.6"], ["--export=ALL,'A=1,2'"]:
        name = test.folder / f"copy-{len(more)}-{test.runs}"
        trace = test.expect_traced([f"--bcast={name}", "-n2", *more, test.ring])
        expect(name.read_bytes() == pathlib.Path(test.ring).read_bytes(), f"{name} is the program")
        expect(trace.name == f"{name.name}.tactus", f"the program is the copy: {trace}")
    # Without ALL the rank has what stands in the list alone.
    shows = test.srun([f"--bcast={test.folder}/shows", "-n1", "--export=NONE", "/usr/bin/printenv", "VT_STATE"])
    outcome = test.run([test.tactus, "run", "--mpi", test.mpi, *shows], {"VT_STATE": commas})
    expect(outcome.stdout == commas + "\n", "the commas are there", outcome)


def in_file(test):
    """--multi-prog has its programs in a file."""
    file = test.folder / "both.conf"
    file.write_text(f"# ranks program\n0 {test.ring} a\n1 {test.ring} b\n")
    test.expect_traced(["-n2", "--multi-prog", str(file)])


def batch(test):
    """In the script of a batch job the variables of Slurm name no rank, and srun and the MPI's own launcher work."""
    own = launchers.command(test.mpi, 2, [test.ring])
    starts = {"srun": test.srun(["-n2", test.ring])}
    if test.mpi == "mpich":  # mpirun of Open MPI 4.1 starts its daemons by an srun without --mpi
        starts["mpirun"] = own
    for how, words in starts.items():
        script = test.folder / f"job-{how}"
        script.write_text(f"#!/bin/sh\nenv | grep ^SLURM_PROCID\nexec {test.tactus} run {' '.join(words)}\n")
        outcome = test.run(["sbatch", "--wait", "-n2", "-o", "out", "-e", "err", str(script)])
        printed = [(test.place / name).read_text() for name in ("out", "err")]
        expect("SLURM_PROCID=0" in printed[0], f"{how}: the script has a number: {printed}")
        test.expect_trace(launchers.Outcome(outcome.status, *printed), f"batch {how}")


def canceled(test):
    """scancel ends a job: its trace is brought in order and says how it ended."""
    test.runs += 1
    folder = test.folder / str(test.runs)
    folder.mkdir()
    words = [test.tactus, "run", "-o", "endless", *test.srun(["-n2", "-J", folder.parent.name,
                                                              str(test.programs / "endless")])]
    with open(folder / "screen", "wb") as screen, subprocess.Popen(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=screen, stderr=screen) as process:
        try:
            limit = time.monotonic() + patience_s
            while launchers.ask([test.tactus, "where", folder / "endless"]).stdout.count("solver:inner") < 2:
                expect(time.monotonic() < limit, f"it runs: {(folder / 'screen').read_text()}")
                time.sleep(0.2)
            time.sleep(1)
            launchers.ask(["scancel", "-n", folder.parent.name], check=True)
            process.wait(patience_s)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
    told = (folder / "screen").read_text(errors="replace")
    expect(re.search(r"^  ended +before MPI_Finalize, .*SIGTERM: 2 ranks", told, re.M), f"how it ended: {told}")
    report = json.loads(launchers.ask([test.tactus, "report", "--json", folder / "endless"]).stdout)
    expect([region["unfinished"] for region in report["regions"]] == [2], f"the open region: {report['regions']}")


def limited(test):
    """The time limit of a batch job is two SIGTERM at once, to the ranks and to `tactus run`, which does as ever."""
    endless = " ".join(test.srun(["-n2", str(test.programs / "endless")]))
    script = test.folder / "job-limited"
    script.write_text(f"#!/bin/sh\n{test.tactus} run -o endless {endless}\n")
    outcome = test.run(["sbatch", "--wait", "-t1", "-n2", "-o", "out", str(script)])
    told = (test.place / "out").read_text(errors="replace")
    ended = re.search(r"^  ended +before MPI_Finalize, (.*)", told, re.M)
    ranks = re.findall(r"(?:SIGTERM|killed, recovered): (\d+) rank", ended[1] if ended else "")
    expect(sum(map(int, ranks)) == 2, f"how it ended: {told}", outcome)


def main():
    cases = {case.__name__: case for case in (step, heterogeneous, copied, in_file, batch, canceled, limited)}
    names = sys.argv[1:] or list(cases)
    failed = 0
    for mpi in kinds:
        for name in names:
            print(f"{mpi} ", end="", flush=True)
            failed += finish(Slurm(mpi), cases[name])
    print(f"{len(names) * len(kinds) - failed} of {len(names) * len(kinds)} passed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
