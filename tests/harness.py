"""What the tests written in Python share: how a case reports a failure, how a case is run, how long ranks had no core,
and the only place where a run is repeated.

`expect` raises Failed, which ends the test with its message unless it is caught. `finish` runs a case of a script.
`by_chance` is only for what an MPI itself does by chance, and `on_a_core` for what a rank without a core makes
unknowable: a test of ours that fails at times is wrong.
"""
import re
import shutil
import sys


class Failed(SystemExit):
    """Reports that an expectation failed. Uncaught, it ends the script with status 1 and its message on stderr."""


def expect(condition, message, outcome=None):
    """Raises Failed unless `condition` is true. `outcome`: a run whose status and output are added to the message."""
    if condition:
        return
    told = ""
    if outcome is not None:
        told = f"\nstatus {outcome.status}\n--- stdout\n{outcome.stdout}\n--- stderr\n{outcome.stderr}"
    raise Failed(f"FAILED: {message}{told}")


skipped = 77  # the exit status that CTest takes for a skipped test


def skip(why):
    """Ends the script: the test cannot run here."""
    print(f"SKIPPED: {why}")
    sys.exit(skipped)


def seconds_without_core(outcome):
    """Returns for how long all ranks together had no core, as the program printed it (tests/mpi/core.h)."""
    return sum(map(float, re.findall(r"^without a core: (\S+) s$", outcome.stderr, re.M)))


def repeated(what, tries, run):
    """Calls `run` until it returns something true, at most `tries` times, and returns that, or else None. `what` names
    the behavior of the MPI or of the kernel that makes a run useless, for which `run` returns None. An expectation that
    fails is never tried again."""
    for _ in range(tries):
        result = run()
        if result:
            return result
        print(f"this run is useless, since by chance {what}", flush=True)
    return None


def by_chance(what, tries, run):
    """As `repeated`. Fails if all runs are useless."""
    result = repeated(what, tries, run)
    expect(result, f"{tries} times in a row {what}")
    return result


def on_a_core(what, run):
    """As `repeated`, where a machine may be too busy to give each rank a core. If 10 runs are useless, the test cannot
    run beside what else runs here, and is skipped."""
    result = repeated(what, 10, run)
    if not result:
        skip(f"10 times in a row {what}")
    return result


def failed_run(mpi, run):
    """Returns the outcome of `run()`, a run that must fail."""
    def attempt():
        outcome = run()
        return outcome if outcome.status != 0 else None
    return by_chance("MPICH 4.2's launcher says 0 although a rank failed (19 of 100 runs)", 8 if mpi == "mpich" else 1,
                     attempt)


def finish(test, case):
    """Runs a case and returns the exit status. The folder of a case that failed is left and named."""
    try:
        case(test)
    except Failed as failure:
        print(f"{failure}\nleft in {test.folder}")
        return 1
    except SystemExit:  # skipped
        shutil.rmtree(test.folder, ignore_errors=True)
        raise
    shutil.rmtree(test.folder, ignore_errors=True)
    print(f"{case.__name__}: as it should be")
    return 0
