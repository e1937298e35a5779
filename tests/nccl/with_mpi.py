#!/usr/bin/env python3
"""Tests MPI and NCCL in one program and one trace: each rank's file has both, wrong clocks are corrected for both, and
the rank that comes late to NCCL's collectives is named.   with_mpi.py --mpi MPI --build DIRECTORY"""
import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import expect, on_a_core, skip_if_not_judged  # noqa: E402

ranks, rounds, late_rank, late_us = 4, 20, 2, 5000


def fake_cupti(options):
    return options.build.resolve() / "tests/nccl/libfake_cupti.so"


def run(options, folder, *more, **env):
    """Returns what nccl_check and the report say."""
    binaries = options.build.resolve() / "bin"
    program = [binaries / f"mpi_nccl_{options.mpi}", str(rounds), str(late_rank), str(late_us), "truth", *more]
    command = launchers.command(options.mpi, ranks, program)
    cupti = {"VT_NCCL_CUPTI": "on", "FAKE_CUPTI": str(fake_cupti(options))} if fake_cupti(options).exists() else {}
    outcome = launchers.run([binaries / "tactus", "run", "--nccl", *command], folder,
                            {"VT_LOGFILE_NAME": "it", **cupti, **env})
    expect(outcome.status == 0, f"status {outcome.status}:\n{outcome.stdout}{outcome.stderr}")
    truths = [f"truth.{rank}" for rank in range(ranks)]
    check = launchers.ask([binaries / "nccl_check", "it.tactus", *truths], cwd=folder)
    expect(check.returncode == 0, check.stderr)
    seen = json.loads(check.stdout)
    starts = {}
    for rank in range(ranks):
        for line in (pathlib.Path(folder) / f"truth.{rank}").read_text().splitlines():
            truth = json.loads(line)
            if truth["what"] == "coll":
                starts.setdefault(truth["seq"], []).append(truth["host_start_ns"])
    caused = dict.fromkeys(range(ranks), 0)
    for all_ranks in starts.values():
        caused[all_ranks.index(max(all_ranks))] += sum(max(all_ranks) - one for one in all_ranks)
    seen["truly caused"] = caused
    seen["truly waited"] = 1e-9 * sum(max(all_ranks) - one for all_ranks in starts.values() for one in all_ranks)
    report = launchers.ask([binaries / "tactus", "report", "--json", "it.tactus"], cwd=folder, check=True)
    clocks = launchers.ask([binaries / "tactus", "clocks", "--json", "it.tactus"], cwd=folder, check=True)
    bounds = [measured["bound_ns"] for rank in json.loads(clocks.stdout)["ranks"] for measured in rank["rounds"]
              if not measured["rejected"]]
    seen["clocks us"] = 1e-3 * 2 * max(bounds, default=0)  # how far two ranks' clocks may differ
    return seen, json.loads(report.stdout)


def kept(options, folder, **env):
    """As `run`, or None if events were lost, as they are where the plugin's thread has no core for long."""
    seen, report = run(options, folder, **env)
    return (seen, report) if seen["exact"] == seen["truth"] and seen["lost nccl_dropped"] == 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for clock in ({}, {"VT_TEST_CLOCK": "1-63:offset=1ms,ppm=20"}):
        with tempfile.TemporaryDirectory() as folder:
            judged = on_a_core("with_mpi", "a thread had no core for long", lambda: kept(options, folder, **clock))
        skip_if_not_judged()
        seen, report = judged
        print(json.dumps({key: value for key, value in seen.items() if not key.startswith("lost")}))
        expect(seen["exact"] == seen["truth"] == ranks * rounds, "operations with the GPU's times")
        expect(seen["finished"] and seen["lost nccl_dropped"] == seen["lost nccl_invalid"] == 0, "losses")
        calls = sum(row["calls"] for row in report["functions"] if row["name"] == "MPI_Barrier")
        expect(calls == ranks * rounds, f"{calls} calls of MPI_Barrier")
        if clock:  # each clock alone is a millisecond off
            expect(seen["error us"] > 900, "the clocks were to be wrong")
        # On a machine with fewer cores than ranks, what the GPU said is told late.
        expect(seen["apart us"] < 2 * seen["within us"] + seen["clocks us"] + 100,
               f"ranks are {seen['apart us']} us apart")
        if fake_cupti(options).exists():
            expect(seen["kind kernel"] == seen["kind kernel_launch"] and seen["with kernel"] == seen["truth"],
                   "each operation's kernel")
            expect(not clock or seen["kernel error us"] > 900, "the clocks of kernels were to be wrong")
            expect(seen["kernels apart us"] < seen["clocks us"] + 100,
                   f"kernels of ranks are {seen['kernels apart us']} us apart")
        late = report["nccl"]["late"][0]
        # On a busy machine another rank may be later than the one that means to be, and times are less well known.
        doubt_ns = 1e3 * rounds * (seen["within us"] + seen["clocks us"])
        expect(seen["truly caused"][late["rank"]] + doubt_ns > 0.8 * max(seen["truly caused"].values()),
               f"rank {late['rank']} is said to be late")
        waited = sum(one["caused_s"] for one in report["nccl"]["late"])
        expect(abs(waited - seen["truly waited"]) < 0.1 * seen["truly waited"] + 1e-9 * ranks * doubt_ns,
               f"{waited} s of waiting, {seen['truly waited']} s in truth")
    with tempfile.TemporaryDirectory() as folder:
        seen, _ = run(options, folder, VT_PROCESS="0:N off; 1 on")
        expect(seen["kind coll"] == seen["kind coll_api"] == rounds, "only rank 1 is recorded, in NCCL, too")
    with tempfile.TemporaryDirectory() as folder:
        seen, _ = run(options, folder, "off")
        recorded = ranks * rounds // 4 * 3
        expect(seen["kind coll"] == seen["kind coll_api"] == seen["full"] == recorded,
               f"{seen['kind coll']} of {recorded} before VT_traceoff")
    return 0


if __name__ == "__main__":
    sys.exit(main())
