#!/usr/bin/env python3
"""How programs for Intel's collector are linked and started: by each name of its library, without an MPI, and with
libVT preloaded. Each is built here, since a linker's options are what is tested.
Usage: links.py --mpi NAME --tactus COMMAND --compiler MPICC"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import launchers  # noqa: E402
from harness import expect  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--mpi", required=True)
parser.add_argument("--tactus", required=True)
parser.add_argument("--compiler", required=True)
options = parser.parse_args()
lib = pathlib.Path(options.tactus).resolve().parent.parent / "lib"


def build(folder, library, *flags, compiler=options.compiler):
    program = folder / f"alone{library.removeprefix(':')}{len(flags)}"
    subprocess.run([compiler, here / "alone.c", "-I", here.parents[1] / "api", *flags, "-L", lib,
                    f"-l{library}", f"-Wl,-rpath,{lib}", "-o", program], check=True)
    return program


def run(folder, program, tracer=(), environment=None):
    words = [*tracer, *launchers.command(options.mpi, 2, [str(program)], exported=environment or {})]
    outcome = launchers.run(words, folder, environment or {})
    expect(outcome.status == 0 and sorted(outcome.stdout.splitlines()) == ["rank 0", "rank 1"],
           f"{program.name} {environment}", outcome)
    return outcome


def expect_regions(folder, name, ranks, outcome):
    """Expects a region of each rank in the trace."""
    report = launchers.ask([options.tactus, "report", "--json", folder / f"{name}.tactus"])
    regions = {region["name"]: region["count"] for region in json.loads(report.stdout)["regions"]}
    expect(regions == {"alone:step": ranks}, f"{name}: {regions}", outcome)


def traced(folder, program, name):
    """Runs the program traced, and expects both regions in the trace."""
    outcome = run(folder, program, [options.tactus, "run", "-o", name])
    expect_regions(folder, name, 2, outcome)
    return outcome


def traced_without_mpi(folder):
    """Runs a program that was built and is started without an MPI. Only with libVTcs is it traced."""
    for library, ranks in ("VTcs", 1), ("VT", 0):
        program = build(folder, library, compiler="cc")
        outcome = launchers.run([options.tactus, "run", "-o", f"single{library}", program], folder, {})
        expect((outcome.status, outcome.stdout) == (0, "rank 0\n"), f"{library} without MPI", outcome)
        if ranks != 0:
            expect_regions(folder, f"single{library}", ranks, outcome)
        else:
            expect("is linked with no MPI" in outcome.stderr, "libVT without MPI", outcome)


def main():
    with tempfile.TemporaryDirectory(prefix="tactus-links-") as home:
        folder = pathlib.Path(home)
        alone = build(folder, "VT", "-Wl,--as-needed")
        needed = subprocess.run(["readelf", "-d", alone], capture_output=True, text=True, check=True).stdout
        expect("libVT.so" in needed and "libmpi" not in needed, f"the linker drops the MPI: {needed}")
        run(folder, alone)
        traced(folder, alone, "alone")
        traced_without_mpi(folder)
        inside = build(folder, ":libVT.a", "-Wl,--as-needed")  # the functions lie in the program
        run(folder, inside)
        traced(folder, inside, "inside")
        exported = traced(folder, build(folder, ":libVT.a", "-Wl,--as-needed", "-rdynamic"), "exported")
        expect("are not recorded" not in exported.stderr, "libVT.a in a program that exports it", exported)
        for library in ":libVT.a", "VTnull", "VTcs", "VTfs", "VTim":
            traced(folder, build(folder, library, "-DWITH_MPI"), library.strip(":"))
        checks = traced(folder, build(folder, "VTmc", "-DWITH_MPI", "-Wl,--no-as-needed"), "VTmc")
        expect(checks.stderr.count("linked with libVTmc: tactus does not check for errors") == 1, "checks", checks)
        program = build(folder, "VT", "-DWITH_MPI")
        preloaded = run(folder, program, environment={"LD_PRELOAD": str(lib / "libVT.so")})
        expect(preloaded.stderr.count("names libVT, which records nothing") == 1, "libVT preloaded", preloaded)
        ours = f"{lib / 'libVT.so'} {lib}/libtactus-{options.mpi}.so"
        hidden = run(folder, program, environment={"LD_PRELOAD": ours, "VT_LOGFILE_NAME": "hidden"})
        expect(hidden.stderr.count("calls of VT.h are not recorded") == 1, "libVT in front of the tracer", hidden)
    print("all links are right")


main()
