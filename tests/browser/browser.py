#!/usr/bin/python3
"""What `tactus view` shows in a real browser is what the other commands say.   browser.py CASE --tactus FILE --build
FOLDER

look      LAMMPS on 4 ranks with the mouse: to a single call, along a message, search, matrix, every tab, the address
compare   two traces side by side: their numbers, beside each other and by themselves
keys      the same without a mouse: what the page says aloud is what the dump has
names     names that would be markup, are not UTF-8, or do not end are shown as text
refused   who may ask the server, and how much
no_core   ranks that share a core, and the hatching where they had none
killed    the trace of a job that was killed and recovered, and the calls that it was inside of

Screenshots are in BUILD/tests/browser/screenshots.
"""
import argparse
import json
import pathlib
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "tests"), str(root / "tests" / "browser")]
import refused  # noqa: E402
from harness import expect, skip  # noqa: E402
from serving import browse, lacking, lammps, served, tactus, trace_of, truth  # noqa: E402


def look_case(options, folder):
    trace = lammps(options, folder)
    with served(options, trace) as (_, address):
        browse(options, "look", address, [truth(options, trace)])


def compare_case(options, folder):
    traces = [lammps(options, folder, ranks, f"melt{ranks}") for ranks in (4, 2)]
    with served(options, *traces) as (_, address):
        browse(options, "compare", address, [truth(options, trace) for trace in traces])


def keys_case(options, folder):
    trace = lammps(options, folder)
    with served(options, trace) as (_, address):
        browse(options, "keys", address, [truth(options, trace)])


def names_case(options, folder):
    made = trace_of(options, folder, [options.build / "tests" / "browser" / "odd_names"], 2)
    trace = made.rename(folder / "<img src=x onerror=alert(3)> \udcff.tactus")
    with served(options, trace) as (_, address):
        browse(options, "names", address, [truth(options, trace)])


def refused_case(options, folder):
    with served(options, lammps(options, folder)) as (process, address):
        refused.check(process, address)


def killed_case(options, folder):
    trace = trace_of(options, folder, [options.build / "tests" / "browser" / "killed"], 3, status=None)
    tactus(options, "recover", trace, status=None)
    known = truth(options, trace, status=None)
    expect(known["calls"], "what was recovered has calls")
    with served(options, trace) as (_, address):
        browse(options, "killed", address, [known])


def no_core_case(options, folder):
    trace = trace_of(options, folder, [options.build / "tests" / "browser" / "one_core"], 3)
    known = truth(options, trace)
    known["timeline"] = json.loads(tactus(options, "timeline", "--json", trace))
    with served(options, trace) as (_, address):
        browse(options, "no_core", address, [known])


cases = {name[:-5]: one for name, one in list(globals().items()) if name.endswith("_case")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=sorted(cases))
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--build", required=True, type=lambda word: pathlib.Path(word).resolve())
    options = parser.parse_args()
    if why := "" if options.case == "refused" else lacking():
        skip(why)
    with tempfile.TemporaryDirectory(prefix="tactus-browser-") as folder:
        cases[options.case](options, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
