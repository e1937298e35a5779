"""What the tests written in Python share: how a case says that something is wrong, how a case is run, and the one place
where a run is made again.

`expect` raises Failed, which ends a test as failed with its message, wherever it is not caught. `finish` runs one of a
script's cases. `by_chance` is for what an MPI itself, or the kernel, does by chance, and for nothing else: a test of
ours that fails now and then is wrong.
"""
import shutil


class Failed(SystemExit):
    """Something is not as it should be. Uncaught, it ends the script with status 1 and its message on stderr."""


def expect(condition, message, outcome=None):
    """`outcome`: a run whose status and texts are told beside the message."""
    if condition:
        return
    told = ""
    if outcome is not None:
        told = f"\nstatus {outcome.status}\n--- stdout\n{outcome.stdout}\n--- stderr\n{outcome.stderr}"
    raise Failed(f"FAILED: {message}{told}")


def by_chance(what, tries, run):
    """Calls `run` until it gives something true, `tries` times at most, and returns that. `what` says which behavior of
    the MPI or of the kernel makes a run useless (None is what `run` gives then); an expectation that is not met is
    never tried again."""
    for _ in range(tries):
        result = run()
        if result:
            return result
        print(f"another run, since by chance {what}", flush=True)
    raise Failed(f"FAILED: {tries} times in a row {what}")


def finish(test, case):
    """Runs a case; its folder goes when it passed, and is named when not."""
    try:
        case(test)
    except Failed as failure:
        print(f"{failure}\nleft in {test.folder}")
        return 1
    shutil.rmtree(test.folder, ignore_errors=True)
    print(f"{case.__name__}: as it should be")
    return 0
