#!/usr/bin/env python3
"""Runs real programs under traced_equals_untraced.py: real_programs.py NAME RANKS MPI [its options].

This file says what each program needs: its input, and which of its figures are timings. NetPIPE hangs on four ranks
with both MPIs even untraced (one pair waits in a barrier that the other does not reach), so it gets only two.
"""
import functools
import os
import pathlib
import re
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
melt = here.parents[1] / "bench" / "melt.lmp"

# Numbers with a point or an exponent, and the blanks before them.
decimals = r"[ \t]*[-+]?(?:\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]\d+)"

timed_lines = {
    "lammps": r"^(?:Loop time|Performance|Total wall time|.*% CPU use|.*create_atoms CPU"
              r"|(?:Pair|Neigh|Comm|Output|Modify|Other) +\|).*$",
    # The number of ping-pongs and the figures of MPI_Wtime follow from the latency, and the node of the single tests
    # from the time of day. PTRANS leaves out its line of CPU time when the clock has not moved.
    "hpcc": r"^(?:.*(?:Current time|Node selected|ping pong pairs|client pings|on the order of|clock ticks).*"
            r"|(?:Use MPI_Wtick|MPI_Wtime granularity|CPU  ).*"
            r"|\w*(?:flops|GUPs|[tT]ime\d?|GBs|GBytes|usec|Copy|Scale|Add|Triad)=.*)$",
}


def lammps(_ranks, _mpi, _folder):
    return (["--normalize", timed_lines["lammps"], "--input", str(melt)], ["lmp", "-in", melt.name, "-log", "none"])


def hpcc(ranks, _mpi, folder):
    rows = {1: 1, 2: 1, 4: 2, 8: 2}[ranks]
    text = (here / "hpccinf.txt").read_text(encoding="utf-8")
    made = pathlib.Path(folder) / "hpccinf.txt"
    made.write_text(text.replace("@P@", str(rows)).replace("@Q@", str(ranks // rows)), encoding="utf-8")
    # HPCC tunes its ping-pongs by their speed, so no two runs make the same calls.
    return (["--same-run", "--normalize", timed_lines["hpcc"], "--normalize", decimals, "--input", str(made),
             "--output", "hpccoutf.txt"], ["hpcc"])


def netpipe(_ranks, mpi, _folder):
    # The number of repeats is fixed here, because NetPIPE would choose it by the speed that it sees.
    program = {"openmpi": "NPopenmpi", "mpich": "NPmpich2"}[mpi]
    # Open MPI 5's launcher at times prints a part of a line of stderr, " 6: 12 bytes", in front of one of stdout.
    part_of_other = r"^ +\d+:.*?(?=Sending output|\d+: [a-z])"
    return (["--any-order", "--normalize", decimals, "--normalize", part_of_other, "--output", "np.out"],
            [program, "-u", "4096", "-n", "30", "-o", "np.out"])


# ScaLAPACK's testers and their inputs. Left out are xdqr (it does not end on four MPICH ranks), xdllt (with fewer sizes
# it does not end on four Open MPI ranks either), the BLACS testers, and all that take longer than ten seconds where
# ranks outnumber cores.
scalapack_inputs = {"xdlu": "LU", "xzlu": "LU", "xdinv": "INV", "xdls": "LS", "xdbrd": "BRD", "xdtrd": "TRD",
                    "xdnep": "NEP"}


scalapack_folder = pathlib.Path("/usr/share/scalapack")


def has_scalapack():
    return scalapack_folder.is_dir()


def scalapack(tester, _ranks, mpi, folder):
    name = scalapack_inputs[tester] + ".dat"
    text = (scalapack_folder / name).read_text(encoding="latin-1")
    # The input has one size of the matrix and its blocks, and all grids of processes.
    text = re.sub(r"^\d+(?=\s+number of (?:problems sizes|NB's|NRHS's|NBRHS's))", "1", text, flags=re.M)
    made = pathlib.Path(folder) / name
    made.write_text(text, encoding="latin-1")
    program = next(pathlib.Path("/usr/lib").glob(f"*/scalapack/{mpi}-tests/{tester}"))
    return (["--normalize", decimals, "--input", str(made)], [str(program)])


programs = {"lammps": lammps, "hpcc": hpcc, "netpipe": netpipe}
programs.update({tester: functools.partial(scalapack, tester) for tester in scalapack_inputs})


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in programs:
        sys.exit(f"usage: real_programs.py {'|'.join(programs)} RANKS MPI [options of traced_equals_untraced.py]")
    name, ranks, mpi = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="real-program-") as folder:
        options, program = programs[name](int(ranks), mpi, folder)
        words = [sys.executable, str(here / "traced_equals_untraced.py"), "--ranks", ranks, "--mpi", mpi]
        status = os.spawnv(os.P_WAIT, sys.executable, words + sys.argv[4:] + options + ["--"] + program)
    sys.exit(status)


if __name__ == "__main__":
    main()
