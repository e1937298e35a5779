"""What the tests written in Python share: how a case reports a failure, how a case is run, how long ranks had no core,
and the only place where a run is repeated.

`expect` raises Failed, which ends the test with its message unless it is caught. `finish` runs a case of a script.
`by_chance` is only for what an MPI itself does by chance, and `on_a_core` for what cannot be judged where a rank had no
core: a test of ours that fails at times is wrong.
"""
import os
import re
import shutil
import sys
import time


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


not_judged = []  # what on_a_core gave up


def on_a_core(part, what, run, tries=10, fails_alone=True):
    """As `repeated`, for runs that are useless because a rank or thread had no core. If all are, this fails, unless
    other programs had much of the processors meanwhile: then nothing can be said of this part of the test, and
    `skip_if_not_judged` will skip the test. `fails_alone`: False where the program itself measured that it came late,
    as it does, too, where a virtual machine gets no core from its host, which cannot be seen from inside."""
    begun, others = time.monotonic(), seconds_of_others()
    result = repeated(f"{part}: {what}", tries, run)
    if not result:
        cores = (seconds_of_others() - others) / (time.monotonic() - begun)
        expect(cores > 0.2 or not fails_alone,
               f"{part}: {tries} times in a row {what}, though others had only {cores:.2f} of a core")
        not_judged.append(part)
    return result


def seconds_of_others():
    """Returns how much processor time all programs had, except for this one and its children that have ended."""
    with open("/proc/stat", encoding="ascii") as counts:
        user, nice, system, _idle, _waiting, irq, soft_irq, stolen, *_ = map(int, counts.readline().split()[1:])
    all_of_them = (user + nice + system + irq + soft_irq + stolen) / os.sysconf("SC_CLK_TCK")
    own = os.times()
    return all_of_them - own.user - own.system - own.children_user - own.children_system


def skip_if_not_judged():
    """Skips the test if something in it could not be judged. All else has passed."""
    if not_judged:
        skip(f"beside what else ran here nothing can be said of {', '.join(not_judged)}")


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
        skip_if_not_judged()
    except Failed as failure:
        print(f"{failure}\nleft in {test.folder}")
        return 1
    except SystemExit:  # skipped
        shutil.rmtree(test.folder, ignore_errors=True)
        raise
    shutil.rmtree(test.folder, ignore_errors=True)
    print(f"{case.__name__}: as it should be")
    return 0
