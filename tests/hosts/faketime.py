#!/usr/bin/env python3
"""Tests clocks that another tool makes wrong: libfaketime gives each rank of `neighbors` a different rate, also of
CLOCK_MONOTONIC, and nobody tells tactus. The ranks run untraced, then traced.

libfaketime replaces clock_gettime in the ranks, while the kernel, asked directly, tells the true time. So `neighbors`
knows how wrong each rank's clock is. The raw trace must be as wrong, and `tactus clocks` must find it out alone.
"""
import argparse
import pathlib
import re

import runs
from harness import skip  # runs has put its folder on the path

# By how much each rank's clock is fast. No crystal is off by a 10,000th more, and less cannot be seen in a run of 2 s.
rates_ppm = [0, 50, -200]
tolerance_ppm = 2

# A rate takes effect only after an offset, and with an offset CLOCK_MONOTONIC starts where CLOCK_REALTIME is.
slowed = """\
#!/bin/sh
# The program under the clock of its rank. Behind what is loaded first already: the tracer.
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
%s
*) echo "no rank is known" >&2; exit 1 ;;
esac
unset DONT_FAKE_MONOTONIC FAKETIME_DONT_FAKE_MONOTONIC FAKETIME_SHARED
export FAKETIME LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}%s"
exec "$@"
"""


def find_library():
    """Returns the library for programs with threads, since both MPIs have threads."""
    found = sorted(pathlib.Path("/usr/lib").glob("**/faketime/libfaketimeMT.so.1"))
    if not found:
        skip("libfaketime is not installed; tools/install --test brings it")
    return found[0]


def expect_rates(test, whose, measured, doubts_ppm):
    """`doubts_ppm`: how far each measured rate may be from the truth, since other work disturbed the measurement."""
    print(f"{whose}: " + ", ".join(f"rank {rank} {ppm:+.3f} ppm (within {doubt:.3f})"
                                   for rank, (ppm, doubt) in enumerate(zip(measured, doubts_ppm, strict=True))))
    for rank, (ppm, doubt, wanted) in enumerate(zip(measured, doubts_ppm, rates_ppm, strict=True)):
        test.expect(abs(ppm - wanted) < tolerance_ppm + doubt,
                    f"{whose}: the clock of rank {rank} is fast by {wanted} ppm, not {ppm:.3f} within {doubt:.3f}")


def seen_rates(seen):
    """Returns the rates that the ranks saw, and how far these may be from the truth."""
    in_order = [seen[rank] for rank in range(runs.ranks)]
    return [one.ppm() for one in in_order], [one.doubt_ppm() for one in in_order]


def rates_in_trace(test, trace, seen):
    """Compares the times in the trace with the kernel's of the same calls."""
    rates = []
    for rank, one in sorted(seen.items()):
        outcome = test.command("dump", trace, "--fit", "raw", "--rank", rank, "--function", "MPI_Comm_test_inter")
        calls = [int(s) * 1_000_000_000 + int(ns) for s, ns in re.findall(r"^ *(-?\d+)\.(\d{9}) rank", outcome.stdout,
                                                                          re.M)]
        test.expect(outcome.status == 0 and len(calls) > one.end.call, "the marked calls are in the trace", outcome)
        rates.append(runs.fast_ppm(calls[one.end.call] - calls[one.begin.call],
                                   one.end.kernel_ns - one.begin.kernel_ns))
    return rates


def drift_doubt_ppm(rounds):
    """Returns how far a drift may be from the truth, since the rounds that tell it are off by up to their bounds. The
    reference has no rounds, and no doubt."""
    kept = [one for one in rounds if not one["rejected"]]
    if not kept:
        return 0
    return (kept[0]["bound_ns"] + kept[-1]["bound_ns"]) / (kept[-1]["time_s"] - kept[0]["time_s"]) / 1e3


def check_clocks(test, trace):
    """The drift is what corrects a rank's clock against rank 0's, which is right: a fast clock has a negative drift."""
    clocks = test.clocks(trace)
    expect_rates(test, "tactus clocks", [-one["drift_ppm"] for one in clocks["ranks"]],
                 [drift_doubt_ppm(one["rounds"]) for one in clocks["ranks"]])
    test.expect(clocks["reversed"]["raw"] > 0, f"uncorrected, messages arrive before they were sent: {clocks}")
    test.expect_order(trace, clocks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--mpi", "--tactus", "--programs"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    library = find_library()
    # libfaketime keeps something in /dev/shm, and a killed rank leaves it. It stays where enclose() is not allowed.
    runs.enclose()
    with runs.Runs(options) as test:
        cases = [f'{rank}) FAKETIME="+0 x{1 + ppm / 1e6:.6f}" ;;' for rank, ppm in enumerate(rates_ppm)]
        wrapper = test.script("slowed", slowed % ("\n".join(cases), library))
        words = runs.launchers.command(options.mpi, runs.ranks, [wrapper, test.program])
        seen = test.run(words)
        expect_rates(test, "untraced", *seen_rates(seen))
        seen, trace = test.traced(words, {"VT_TIMER": "CLOCK_MONOTONIC", "VT_SYNCED_HOST": "off"})
        expect_rates(test, "traced", *seen_rates(seen))
        facts = test.check_whole(trace, [seen[0].host])
        test.expect(facts["timer"] == "CLOCK_MONOTONIC", f"the timer is the one asked for: {facts['timer']}")
        expect_rates(test, "in the trace", rates_in_trace(test, trace, seen), seen_rates(seen)[1])
        check_clocks(test, trace)
    print("wrong clocks: as it should be")


if __name__ == "__main__":
    main()
