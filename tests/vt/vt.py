#!/usr/bin/env python3
"""Runs one of the programs beside this file plain (linked with libVT alone) and traced, on two ranks, and compares its
trace with expected.txt. The programs check what the functions return.
Usage: vt.py PROGRAM MODE --mpi NAME --tactus COMMAND [--env NAME=VALUE]..."""
import argparse
import collections
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402

ranks = 2


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("mode", nargs="?", default="")
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--env", action="append", default=[])
    return parser.parse_args()


def start(options, folder, traced):
    program = [str(options.program.resolve())] + ([options.mode] if options.mode else [])
    exported = dict(item.split("=", 1) for item in options.env) if traced else {}
    words = launchers.command(options.mpi, ranks, program, exported=exported)
    folder.mkdir()
    return launchers.run(([options.tactus, "run"] if traced else []) + words, folder)


def expected_lines(name):
    text = pathlib.Path(__file__).with_name("expected.txt").read_text()
    return sorted(re.search(rf"^= {name}\n((?:[^=].*\n)*)", text, re.M).group(1).splitlines())


def tactus(options, *words):
    done = launchers.ask([options.tactus, *words])
    if done.returncode not in ((0, 1) if options.mode == "killed" else (0,)):
        raise SystemExit(f"FAIL: tactus {words[0]} ends with {done.returncode}: {done.stderr}")
    return done.stdout


def summary(report):
    lines = []
    for region in report["regions"]:
        line = f"region {region['name']} {region['count']}" + (" scope" if region["scope"] else "")
        lines.append(line + (f" unfinished {region['unfinished']}" if region["unfinished"] else ""))
    for counter in report["counters"]:
        lines.append(f"counter {counter['name']} {counter['values']} {counter['min']:.12g} {counter['max']:.12g}")
    if report["comments"]:
        lines.append(f"comments {report['comments']}")
    lines += [f"loss {name} {count}" for name, count in report["losses"].items() if count
              and name != "lane_unprotected"]
    return sorted(lines)


def check_times(report):
    """A region's exclusive time and its MPI time fit into it, and all MPI time is no more than there is."""
    faults = []
    for region in report["regions"]:
        if region["own_s"] + region["mpi_s"] > region["time_s"] * 1.000001 or region["min_s"] > region["max_s"]:
            faults.append(f"the times of {region['name']} do not add up: {region}")
        if region["name"] == "solver:step" and not 0 < region["mpi_s"] <= report["mpi_s"]:
            faults.append(f"solver:step has no MPI time: {region}")
    return faults


def check_order(text):
    """The lines of a lane are ordered by time, and the call or region that is entered last is left first."""
    faults, stacks, times = [], collections.defaultdict(list), {}
    for line in text.splitlines():
        time, rank, lane, what = re.fullmatch(r"([\d.]+) rank (\d+) lane (\d+)  (.*)", line).groups()
        key = rank, lane
        if float(time) < times.get(key, 0):
            faults.append(f"not in the order of time: {line}")
        times[key] = float(time)
        if match := re.fullmatch(r"enter (.*)", what):
            stacks[key].append(match.group(1))
        match = re.match(r"(?:collective )?exit (region .*?|MPI_\w+)(?:  .*| comm .*)?$", what)
        if not match:
            continue
        while stacks[key] and "unfinished" in what and stacks[key][-1] != match.group(1):
            stacks[key].pop()
        if stacks[key][-1:] != [match.group(1)]:
            if not re.search(r"(Application|habits):[ab]$", match.group(1)):  # scopes
                faults.append(f"left, but not what was entered last: {line}")
        elif stacks[key]:
            stacks[key].pop()
    return faults[:10]


def check_trace(options, folder):
    traces = list(folder.glob("*.tactus"))
    if len(traces) != 1:
        return [f"{len(traces)} traces, expected one"]
    report = json.loads(tactus(options, "report", "--json", traces[0]))
    if options.program.name == "crowd":  # each of its threads has been in the region 1000 times; chance adds to that
        beats = sum(region["count"] for region in report["regions"])
        return check_times(report) if beats >= 3000 * ranks and not report["problems"] else [
            f"{beats} beats, expected {3000 * ranks}: {report['regions']} {report['problems']}"]
    expected, seen = expected_lines(options.program.name), summary(report)
    if options.mode == "killed":  # losses are only told at the end of a run
        expected = [line for line in expected if not line.startswith("loss")]
    faults = [f"the trace lacks: {line}" for line in expected if line not in seen]
    faults += [f"the trace has: {line}" for line in seen if line not in expected]
    faults += check_times(report)
    if options.program.name != "regions":  # its scopes cross everything
        faults += check_order(tactus(options, "dump", "--events", traces[0]))
    lines = tactus(options, "dump", traces[0])
    if options.program.name == "regions":
        for text in ("region solver:deep:sum", "at regions.c:10 to regions.c:20", "counter Application:real 0.25 m/s",
                     'comment "half way, ä"', 'is thread 7 "worker"', "note symbol #2 solver:step"):
            if text not in lines:
                faults.append(f"tactus dump does not say: {text}")
    tactus(options, "info", traces[0])
    return faults


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="tactus-vt-") as home:
        plain = start(options, pathlib.Path(home) / "plain", traced=False)
        traced = start(options, pathlib.Path(home) / "traced", traced=True)
        faults = []
        for name, outcome in (("plain", plain), ("traced", traced)):
            if (options.mode, name) == ("killed", "traced"):
                continue  # MPICH's launcher may tell 0 of it
            if outcome.status != 0:
                faults.append(f"the {name} run ends with {outcome.status}:\n{outcome.stdout}{outcome.stderr}")
            elif outcome.stdout != "done\n":
                faults.append(f"the {name} run prints: {outcome.stdout}")
        faults = faults or check_trace(options, pathlib.Path(home) / "traced")
    print("\n".join(faults) or "as expected")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
