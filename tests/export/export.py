#!/usr/bin/python3
"""What other tools read from a trace must agree with the trace.   export.py CASE --mpi MPI --tactus FILE --build FOLDER

otf2       an archive has the trace's calls, messages, bytes, collectives, regions and counters; time never runs back
again      with raw times, exported, imported and exported again is the same archive; what was imported can be finished
perfetto   slices, counters and flows by protoc, and by the field numbers that docs/exports.md lists
frames     pandas frames add up to the report
region     `with tactus.region(...)` of a Python program is in its trace, and does nothing untraced
eztrace    what EZTrace traced becomes a trace that can be finished
tools      archives as Score-P, TAU, lo2s and Extrae write them: what is not imported is counted by kind
foreign    an archive of another tool in which threads end requests of other threads becomes a trace that has them all
damaged    archives with bytes changed are refused, or become traces that can be read
mistakes   an output that exists or cannot be written, an input that is no archive or was cut
"""
import argparse
import collections
import csv
import filecmp
import io
import json
import math
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "tests"), str(root / "tests" / "export"), str(root / "api/python")]
import launchers  # noqa: E402
from archives import counted, printed  # noqa: E402
from harness import expect  # noqa: E402

programs = {"nonblocking": 3, "collectives": 4, "communicators": 4, "threads": 2, "regions": 2, "persistent": 2,
            "nonblocking_collectives": 3, "intercommunicators": 3, "other_threads": 2}


def tactus(options, *words, status=0):
    done = launchers.ask([options.tactus, *words])
    expect(done.returncode == status,
           f"tactus {' '.join(map(str, words))} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def report(options, trace):
    return json.loads(tactus(options, "report", "--json", trace).stdout)


def program(options, name):
    return options.build / "tests" / ("vt" if name == "regions" else "mpi") / options.mpi / name


def trace_of(options, folder, words, ranks, **variables):
    """Runs a program traced, and returns its trace, it.tactus."""
    shutil.rmtree(folder / "it.tactus", ignore_errors=True)
    command = launchers.command(options.mpi, ranks, [str(word) for word in words])
    outcome = launchers.run([options.tactus, "run", *command], folder, {"VT_LOGFILE_NAME": "it", **variables})
    expect(outcome.status == 0, f"{words} traced", outcome)
    return folder / "it.tactus"


def traces(options, folder):
    for name, ranks in programs.items():
        clock = {"VT_TEST_CLOCK": "1-63:offset=1ms,ppm=20"} if name == "nonblocking" else {}
        yield name, trace_of(options, folder, [program(options, name)], ranks, **clock)


def fresh(path):
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    return path


def dumped(options, trace):
    """Returns the same from `tactus dump --events`."""
    kinds = collections.Counter()
    for line in tactus(options, "dump", "--events", trace).stdout.splitlines():
        what = re.match(r"\S+ rank \d+ lane \d+  (?:MPI_\w+_init )?(collective exit|receive "
                        r"posted|send|receive|counter)\b", line)
        if what and "MPI_PROC_NULL" not in line:
            kinds[what[1]] += 1
    return kinds


def otf2_case(options, folder):
    for name, trace in traces(options, folder):
        archive = fresh(folder / "archive")
        tactus(options, "export", "--otf2", trace, archive)
        kinds, calls, moved = counted(archive)
        known, dump = report(options, trace), dumped(options, trace)
        expected = {row["name"]: row["calls"] for row in known["functions"]}
        expected.update({row["name"]: row["count"] for row in known["regions"] if not row["scope"]})
        expect(dict(calls) == expected, f"{name}: calls {calls}, the report has {expected}")
        expect(kinds["Enter"] == kinds["Leave"], f"{name}: {kinds}")
        sends, receives = kinds["MpiSend"] + kinds["MpiIsend"], kinds["MpiRecv"] + kinds["MpiIrecv"]
        expect(sends == dump["send"] == sum(row["messages"] for row in known["messages"]), f"{name}: {kinds}, {dump}")
        expect(receives == dump["receive"], f"{name}: {kinds}, {dump}")
        neighbors = [row for row in known["functions"] if "Neighbor" in row["name"]]
        for way in ("sent", "received"):
            by_report = sum(row[f"{way}_bytes"] for row in known["functions"]) - sum(row[f"{way}_bytes"]
                                                                                     for row in neighbors)
            expect(moved[way] == by_report, f"{name}: {moved[way]} bytes {way}, the report has {by_report}")
        collectives = sum(row["calls"] for row in known["collectives"]) - sum(row["calls"] for row in neighbors)
        ended = kinds["MpiCollectiveEnd"] + kinds["NonBlockingCollectiveComplete"]
        expect(ended >= collectives and kinds["MpiCollectiveBegin"] == kinds["MpiCollectiveEnd"],
               f"{name}: {kinds}, {collectives}")
        rows = csv.DictReader(io.StringIO(tactus(options, "export", "--csv=stretches", trace, "-").stdout))
        of_threads = sum(3 if row["without_core_s"] else 2 for row in rows)
        expect(kinds["Metric"] == of_threads + sum(row["values"] for row in known["counters"]),
               f"{name}: {kinds}, {of_threads} values of stretches")
        tactus(options, "export", "--otf2", "--time", "compensated", trace, fresh(archive))
        expect(counted(archive)[0] == kinds, f"{name}: the same events with compensated times")
        print(f"{name}: {sum(kinds.values())} events, {sends} sends, {receives} receives, {moved['sent']} bytes sent")


def again_case(options, folder):
    first, second, imported = folder / "first", folder / "second", folder / "imported.tactus"
    for name, trace in traces(options, folder):
        tactus(options, "export", "--otf2", "--time", "raw", trace, fresh(first))
        tactus(options, "import", "--otf2", "--clocks", "ranks", first, fresh(imported))
        tactus(options, "export", "--otf2", "--time", "raw", imported, fresh(second))
        for words in [], ["-G"]:
            expect(printed(first, *words) == printed(second, *words),
                   f"{name}: the same archive again: otf2-print {words}")
        events = sorted(path.name for path in (first / "traces").glob("*.evt"))
        same, other, _ = filecmp.cmpfiles(first / "traces", second / "traces", events, shallow=False)
        expect(events and len(same) == len(events), f"{name}: {other} differ")
        tactus(options, "finish", imported)
        ours, theirs = report(options, trace), report(options, imported)
        expect(theirs["clock"]["reversed"]["corrected"] == 0, f"{name}: {theirs['clock']}")
        whole = sum(theirs["clock"]["unmatched"].values()) == 0
        expect(whole or "threads" in name, f"{name}: without a counterpart {theirs['clock']['unmatched']}")
        for row, other in zip(sorted(ours["functions"], key=lambda row: row["name"]),
                              sorted(theirs["functions"], key=lambda row: row["name"])):
            keys = ["name", "calls", "failed"] + ([] if "Neighbor" in row["name"] else ["sent_bytes", "received_bytes"])
            expect([row[key] for key in keys] == [other[key] for key in keys], f"{name}: {row} became {other}")
        if name == "collectives":
            mine, other = (sum(wait["seconds"] for wait in one["waits"]) for one in (ours, theirs))
            expect(abs(mine - other) <= 0.05 * mine + 1e-4, f"{name}: waits of {mine} s became {other} s")
        print(f"{name}: {len(events)} locations are the same, {theirs['clock']['reversed']} reversed")


def field_numbers():
    """Returns the field numbers that docs/exports.md lists, by message and name."""
    rows = re.findall(r"^\| `(\w+)\.(\w+)` \| (\d+) \|", (root / "docs" / "exports.md").read_text(), re.M)
    return {(message, field): int(number) for message, field, number in rows}


def decoded(path):
    """Decodes the file with protoc, and returns its text as nested lists of (number, value)."""
    with open(path, "rb") as source:
        text = launchers.ask(["protoc", "--decode_raw"], stdin=source, check=True).stdout
    stack = [[]]
    for line in text.splitlines():
        opened, closed = re.fullmatch(r"\s*(\d+) \{", line), line.strip() == "}"
        if opened:
            stack[-1].append((int(opened[1]), []))
            stack.append(stack[-1][-1][1])
        elif closed:
            stack.pop()
        else:
            number, value = re.fullmatch(r"\s*(\d+): (.*)", line).groups()
            stack[-1].append((int(number), value))
    return stack[0]


def only(message, number):
    return [value for key, value in message if key == number]


# Counter tracks of what the operating system counted for threads.
counters_of_threads = "on a core", "without a core", "page faults"


def perfetto_case(options, folder):
    fields = field_numbers()
    expect(len(fields) > 25, f"docs/exports.md lists the fields: {fields}")
    header = (root / "postproc" / "export" / "perfetto_fields.hpp").read_text()
    in_code = sorted(int(number) for number in re.findall(r"constexpr std::uint32_t \w+ = (\d+);", header))
    expect(in_code == sorted(fields.values()),
           f"docs/exports.md lists {sorted(fields.values())}, the code has {in_code}")
    for name, trace in traces(options, folder):
        out = fresh(folder / "out.perfetto")
        tactus(options, "export", "--perfetto", trace, out)
        known = report(options, trace)
        packets = [packet for number, packet in decoded(out) if number == fields["Trace", "packet"]]
        tracks = [track for packet in packets for track in only(packet, fields["TracePacket", "track_descriptor"])]
        events = [event for packet in packets for event in only(packet, fields["TracePacket", "track_event"])]
        processes = [track for track in tracks if only(track, fields["TrackDescriptor", "process"])]
        threads = [track for track in tracks if only(track, fields["TrackDescriptor", "thread"])]
        expect(len(processes) == len(known["ranks"]), f"{name}: {len(processes)} processes")
        threads = [track for track in threads if "thread without calls" not in str(track)]
        expect(len(threads) == sum(row["threads"] for row in known["ranks"]), f"{name}: {len(threads)} threads")
        kinds = collections.Counter(only(event, fields["TrackEvent", "type"])[0] for event in events)
        begun = tactus(options, "export", "--csv=events", trace, "-").stdout.splitlines()
        spans = sum(1 for line in begun if re.match(r"\d+,\d+,(call|region|scope),", line))
        expect(kinds["1"] == kinds["2"] == spans, f"{name}: {kinds}, {spans} calls and regions")
        own = {only(track, fields["TrackDescriptor", "uuid"])[0] for track in tracks
               if only(track, fields["TrackDescriptor", "name"]) in [[f'"{one}"'] for one in counters_of_threads]}
        values = [event for event in events if only(event, fields["TrackEvent", "type"])[0] == "4"]
        of_own = sum(1 for event in values if only(event, fields["TrackEvent", "track_uuid"])[0] in own)
        expect(len(values) - of_own == sum(row["values"] for row in known["counters"]), f"{name}: {kinds}, {of_own}")
        stretches = tactus(options, "export", "--csv=stretches", trace, "-").stdout.count("\n") - 1
        expect(of_own >= 2 * (stretches > 0), f"{name}: {of_own} values of {stretches} stretches")
        seen = [packet for packet in packets if only(packet, fields["TracePacket", "perf_sample"])]
        looks = tactus(options, "export", "--csv=samples", trace, "-").stdout
        looks = len(re.findall(r"^\d+,\d*,\d*,[\d.]+,(?:on_core|in_python|blocked),", looks, re.M))
        expect(len(seen) == looks, f"{name}: {len(seen)} samples, the table has {looks}")
        begins = [flow for event in events for flow in only(event, fields["TrackEvent", "flow_ids"])]
        ends = [flow for event in events for flow in only(event, fields["TrackEvent", "terminating_flow_ids"])]
        messages = tactus(options, "export", "--csv=messages", trace, "-").stdout.count("\n") - 1
        expect(sorted(begins) == sorted(ends) and len(set(begins)) == len(begins) == messages,
               f"{name}: {len(begins)} flows, {messages}")
        times = [only(packet, fields["TracePacket", "timestamp"]) for packet in packets]
        expect(any(times), f"{name}: packets have time stamps")
        print(f"{name}: {len(packets)} packets, {len(begins)} flows, {of_own} values, {len(seen)} samples")


def frames_case(options, folder):
    import tactus as python_tactus
    os.environ["TACTUS"] = options.tactus
    for name, trace in traces(options, folder):
        opened = python_tactus.open(trace)
        known = opened.report()
        events = opened.events()
        calls = events[events.kind == "call"]

        def close(left, right, what):
            expect(abs(left - right) <= 1e-9 + 1e-6 * abs(right), f"{name}: {what}: {left}, the report has {right}")

        for row in known["functions"]:
            mine = calls[calls.name == row["name"]]
            for column, key in ("calls", "calls"), ("sent_bytes", "sent_bytes"), ("received_bytes", "received_bytes"):
                expect(mine[column].sum() == row[key], f"{name}: {row['name']} {column} {mine[column].sum()}: {row}")
            if row["name"] == "MPI_Finalize":  # for the report it lasts until the last rank came to it
                expect(mine.duration_s.sum() <= row["time_s"] + 1e-9, f"{name}: MPI_Finalize: {row}")
            elif not calls.nested.any():
                close(mine.duration_s.sum(), row["time_s"], row["name"])
        messages = opened.messages()
        unpaired = sum(known["clock"]["unmatched"].values())
        expect(len(messages) + unpaired == sum(row["messages"] for row in known["messages"]),
               f"{name}: {len(messages)} messages")
        expect((messages.received_s >= messages.sent_s).all(), f"{name}: a message arrives before it was sent")
        if unpaired == 0:
            expect(messages.bytes.sum() == sum(row["bytes"] for row in known["messages"]), f"{name}: bytes of messages")
        for table, key in ("functions", "functions"), ("places", "places"), ("ranks",
                                                                             "ranks"), ("collectives", "collectives"):
            frame = opened.table(table)
            expect(len(frame) == len(known[key]) and frame.calls.sum() == sum(row["calls"] for row in known[key]),
                   f"{name}: {table}")
        close(opened.waits().seconds.sum(), sum(row["seconds"] for row in known["waits"]), "waits")
        close(opened.waiting_ranks().waited_s.sum(), sum(row["waited_s"] for row in known["waiting_ranks"]),
              "waiting ranks")
        expect(opened.traffic().bytes.sum() == sum(row["bytes"] for row in known["messages"]), f"{name}: traffic")
        expect(len(opened.regions()) == len(known["regions"]) and len(opened.counters()) == len(known["counters"]),
               name)
        expect(len(events[events.kind == "counter"]) == sum(row["values"] for row in known["counters"]), name)
        stretches, samples = opened.stretches(), opened.samples()
        expect((stretches.on_core_s <= stretches.end_s - stretches.begin_s + 1e-3).all(), f"{name}: time on a core")
        seen = samples[samples.state.isin(["on_core", "in_python"])]
        expect(len(seen) >= sum(row["samples_on_core"] for row in known["sampled_functions"]), f"{name}: samples")
        inside = samples[samples.state == "call_ends"].seconds.sum()
        close(inside, sum(row["inside_s"] for row in known["call_paths"]), "samples of calls")
        print(f"{name}: {len(events)} events, {len(messages)} messages, {len(samples)} samples")
    tactus(options, "export", "--csv", trace, fresh(folder / "tables"))
    expect(len(list((folder / "tables").glob("*.csv"))) == 13, "every table in a folder")


solver = """
import sys
sys.path.insert(0, {python!r})
import tactus
@tactus.region("python:outer")
def outer():
    for _ in range(3):
        with tactus.region("solve"):
            MPI.COMM_WORLD.barrier() if MPI else None
MPI = None
if "alone" not in sys.argv:
    from mpi4py import MPI
outer()
print("done")
"""


def region_case(options, folder):
    script = folder / "solver.py"
    script.write_text(solver.format(python=str(root / "api/python")))
    words = ["/usr/bin/python3", str(script)]
    alone = launchers.ask(words + ["alone"])
    expect(alone.returncode == 0 and alone.stdout == "done\n" and not alone.stderr, f"untraced: {alone}")
    known = report(options, trace_of(options, folder, words, 2))
    counts = {row["name"]: row["count"] for row in known["regions"]}
    expect(counts == {"Application:solve": 6, "python:outer": 2}, f"regions {counts}")
    solve = next(row for row in known["regions"] if row["name"] == "Application:solve")
    barrier = next(row for row in known["functions"] if row["name"] == "MPI_Barrier")
    expect(barrier["calls"] == 6 and solve["mpi_s"] > 0, f"{solve}, {barrier}")
    dump = tactus(options, "dump", folder / "it.tactus").stdout
    expect(f"{script}:" in dump, f"regions have their places: {dump[:2000]}")


def eztrace_case(options, folder):
    source = root / "tests" / "export" / "simple.c"
    launchers.ask([f"mpicc.{options.mpi}", "-O1", source, "-o", folder / "simple"], check=True)
    words = ["eztrace", "-t", options.mpi, "-o", str(folder / "ez"), "./simple"]
    outcome = launchers.run(launchers.command(options.mpi, 2, words), folder)
    archive = next(iter(folder.rglob("eztrace_log.otf2")), folder)
    expect(outcome.status == 0 and archive.is_file(), f"EZTrace traces: {list(folder.rglob('*.otf2'))}", outcome)
    trace = folder / "ez.tactus"
    done = tactus(options, "import", "--otf2", archive, trace)
    tactus(options, "finish", trace)
    known = report(options, trace)
    calls = {row["name"]: row["calls"] for row in known["functions"]}
    expected = {"MPI_Send": 10, "MPI_Recv": 10, "MPI_Isend": 10, "MPI_Irecv": 10, "MPI_Wait": 20, "MPI_Barrier": 20,
                "MPI_Allreduce": 2, "MPI_Bcast": 2}
    expect(calls == expected, f"calls {calls}")
    expect(known["clock"]["messages"] >= 10 and known["clock"]["reversed"]["corrected"] == 0, f"{known['clock']}")
    expect(known["clock"]["collective_calls"] == 24, f"{known['clock']}")
    print(f"{done.stderr.strip()}\n{known['clock']['reversed']}")


def mistakes_case(options, folder):
    trace = trace_of(options, folder, [program(options, "collectives")], 2)
    archive = folder / "archive"
    tactus(options, "export", "--otf2", trace, archive)

    def refused(words, text, status=1):
        done = tactus(options, *words, status=status)
        lines = done.stderr.strip().splitlines()
        expect(len(lines) == 1 and text in lines[0] and not done.stdout, f"{words}: {done.stdout}{done.stderr}")

    for form, name in ("--otf2", "archive"), ("--perfetto", "archive"), ("--csv",
                                                                         "archive"), ("--csv=events", "archive"):
        refused(["export", form, trace, folder / name], f"{folder / name}: exists already")
        refused(["export", form, trace, folder / "no" / "such"], "No such file or directory")
        refused(["export", form, folder / "nothing.tactus", folder / "new"], "nothing.tactus")
        expect(not (folder / "new").exists(), "nothing is made of nothing")
    refused(["export", trace, folder / "new"], "required", 2)
    refused(["export", "--csv=bogus", trace, folder / "new"], "bogus", 2)
    refused(["export", "--perfetto", trace, "-"], "standard output", 2)
    if os.geteuid() != 0:
        (folder / "closed").mkdir(mode=0o500)
        refused(["export", "--otf2", trace, folder / "closed" / "new"], "Permission denied")
    full = launchers.ask(f"{options.tactus} export --csv=events {trace} - > /dev/full", shell=True)
    expect(full.returncode == 1 and "No space left" in full.stderr, f"a full disk: {full}")

    out = folder / "imported.tactus"
    refused(["import", "--otf2", folder / "nothing", out], f"{folder / 'nothing'}: does not exist")
    refused(["import", "--otf2", trace, out], "is no OTF2 archive")
    (folder / "text.otf2").write_text("this is no archive\n" * 100)
    refused(["import", "--otf2", folder / "text.otf2", out], "text.otf2: OTF2 says")
    refused(["import", "--otf2", archive, trace], "exists already")
    for name in "traces.otf2", "traces.def", "traces/0.evt":
        for size in 0, 7, 100, (archive / name).stat().st_size - 3:
            cut = fresh(folder / "cut")
            shutil.copytree(archive, cut)
            os.truncate(cut / name, size)
            refused(["import", "--otf2", cut, out], str(cut))
            expect(not out.exists(), f"{name} cut at {size}: nothing is left")
    (cut / "traces" / "0.evt").unlink()
    refused(["import", "--otf2", cut, out], str(cut))


def foreign_case(options, folder):
    import foreign
    for seed in range(6):
        for name, used_again, ticks in ("counted", False, 10), ("handles", True, 10), ("coarse", False, 0.3):
            archive, trace = folder / "archive", folder / "foreign.tactus"
            steps = foreign.made(seed, used_again, messages=40)
            foreign.write(fresh(archive), steps, ticks)
            done = tactus(options, "import", "--otf2", archive, fresh(trace))
            expect(not done.stderr, f"{name}, seed {seed}: {done.stderr}")
            events = tactus(options, "dump", "--events", trace).stdout
            dumped = re.findall(r"^(\S+) rank (\d) lane (\d)  enter ", events, re.M)
            begins = sorted((rank, thread, int(number * ticks))
                            for number, (rank, thread, *_) in enumerate(steps, 1))
            shown = sorted((int(rank), int(thread), round(float(time) * 1e6)) for time, rank, thread in dumped)
            zero = min(begin for _, _, begin in begins) - min(time for _, _, time in shown)
            shown = [(rank, thread, time + zero) for rank, thread, time in shown]
            expect(shown == begins, f"{name}, seed {seed}: calls begin at {shown}, in the archive at {begins}")
            whole = sorted(foreign.requests_of(steps))
            found = sorted(foreign.requests_in(tactus(options, "dump", trace).stdout))
            expect(found == whole, f"{name}, seed {seed}: {found}, the archive has {whole}")
            tactus(options, "finish", trace)
            clock = report(options, trace)["clock"]
            expect(clock["messages"] == 40 and sum(clock["unmatched"].values()) == 0, f"{name}, seed {seed}: {clock}")
    print(f"{len(whole)} requests in each archive")


def tools_case(options, folder):
    """Archives as other tools write them: what a trace can hold is in it, and the rest is counted by kind."""
    import tools
    for name, write in tools.tools.items():
        archive, trace = fresh(folder / "archive"), fresh(folder / "tool.tactus")
        expected = write(archive)
        done = tactus(options, "import", "--otf2", archive, trace)
        counted = done.stderr.split("archive: ")[-1] if done.stderr else ""
        told = {what: int(count) for count, what in re.findall(r"(\d+) ([^;]+?)(?:;|$)", counted, re.M)}
        expect(told == expected["not said"], f"{name}: {told}")
        tactus(options, "finish", trace)
        found = report(options, trace)
        regions = {region["name"].removeprefix("Application:"): region["count"] for region in found["regions"]}
        expect(regions == expected["regions"], f"{name}: {regions}")
        expect(found["calls"] == expected["calls"] and found["clock"]["messages"] == expected["messages"],
               f"{name}: {found['calls']} calls, {found['clock']}")
        for words in ["timeline", trace], ["dump", trace], ["view", trace, "--svg", folder / "tool.svg"]:
            tactus(options, *words)
        print(f"{name}: {expected}")


def spans_case(options, folder):
    """Archives whose events span years: what a trace cannot hold is refused with one line, and never made shorter."""
    import otf2
    year = 365 * 86400

    def imported(name, ticks_a_second, begin, end):
        with otf2.writer.open(str(folder / name), timer_resolution=ticks_a_second) as archive:
            node = archive.definitions.system_tree_node("node")
            group = archive.definitions.location_group("rank 0", system_tree_parent=node)
            writer, region = archive.event_writer("main", group=group), archive.definitions.region("MPI_Barrier")
            writer.enter(begin, region)
            writer.leave(end, region)
        out = folder / f"{name}.tactus"
        return launchers.ask([options.tactus, "import", "--otf2", folder / name, out]), out

    for name, ticks, years in ("coarse", 10**6, 8), ("fine", 10**9, 8), ("short", 10**9, 0):
        done, out = imported(name, ticks, 17 * 10**17, 17 * 10**17 + ticks * (years * year + 1))
        expect(done.returncode == 0 and not done.stderr, f"{years} years: {done}")
        [barrier] = [f for f in report(options, out)["functions"] if f["name"] == "MPI_Barrier"]
        expect(abs(barrier["time_s"] / (years * year + 1) - 1) < 1e-9, f"{years} years: {barrier}")
    for name, ticks, end in ("years_10", 10**6, 10**7 * year), ("years_300", 10**6, 3 * 10**8 * year), (
            "longest", 10**3, 2**64 - 1), ("longest_fine", 10**9, 2**64 - 1):
        done, out = imported(name, ticks, 10, end)
        lines = done.stderr.splitlines()
        expect(done.returncode == 1 and len(lines) == 1 and not done.stdout, f"{name}: {done}")
        away = f"{name}/traces.otf2: rank 0 has events {math.ceil(end / ticks / 31557600)} years away"
        expect(away in lines[0], f"{name}: {lines}")
        expect(not out.exists(), f"{name}: nothing is left")


def damaged_case(options, folder):
    """Archives with some bytes changed: refused with one line, or a trace that can be finished and read; never a
    crash."""
    archive, work, out = folder / "archive", folder / "work", folder / "out.tactus"
    tactus(options, "export", "--otf2", trace_of(options, folder, [program(options, "persistent")], 2), archive)
    files = sorted(path.relative_to(archive) for path in archive.rglob("*") if path.is_file()
                   and path.stat().st_size > 0)
    chance, ended = random.Random(options.seed), collections.Counter()
    for attempt in range(60):
        shutil.copytree(archive, fresh(work))
        changed = work / chance.choice(files)
        content = bytearray(changed.read_bytes())
        for _ in range(chance.choice([1, 1, 2, 8])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        changed.write_bytes(content)
        for words in ["import", "--otf2", work, fresh(out)], ["finish", out], ["report", "--json", out]:
            done = launchers.ask([options.tactus, *words])
            expect(done.returncode in (0, 1),
                   f"seed {options.seed}, attempt {attempt}, {changed.name}: {words} ends with {done.returncode}: "
                   f"{done.stderr}")
            if words[0] == "import":
                expect(done.returncode == 0 or (len(done.stderr.splitlines()) == 1 and not out.exists()),
                       f"{attempt}: {done.stderr}")
            ended[words[0], done.returncode] += 1
            if done.returncode != 0:
                break
    print(dict(ended))


cases = {name[:-5]: one for name, one in list(globals().items()) if name.endswith("_case")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=sorted(cases))
    for name in ("mpi", "tactus"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1, help="of damage")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tactus-export-") as folder:
        cases[options.case](options, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
