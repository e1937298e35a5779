#!/usr/bin/env python3
"""Tests the plugin with a host that acts like NCCL (nccl_host), in each sequence, by each version of the interface that
a release of NCCL chooses or adapts to. Every operation that the host told of must be in the trace once, with the exact
times of the GPU, as complete as it was told, and on the CPU's clock within the bounds of its record. Only what the host
did wrong on purpose may be counted as dropped or invalid. "recover" kills the host instead, "static" has the plugin
linked in, "storm" is about memory."""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import Failed, expect, on_a_core, skip, skip_if_not_judged  # noqa: E402

# Pairs of a release of NCCL and the newest version of the plugin that it is to see.
CORES = [("2.26", 6), ("2.27", 6), ("2.28", 6), ("2.29", 6), ("2.30", 6), ("2.30", 5), ("2.30", 4), ("2.30", 3),
         ("2.28", 4)]
overrun = ("kernel_race", "mask_changes")  # stamps are written over in these
OPERATIONS = {"many": 20_000, "graph": 100}  # of sequences that take long
FEW = {"many": 5_000, "graph": 100}          # with a sanitizer


class Run:
    def __init__(self, build, folder, operations):
        self.bin = build / "bin"
        self.operations = operations
        self.plugin = build / "lib/libnccl-profiler-tactus.so"
        self.folder = pathlib.Path(folder)
        self.number = 0

    def host(self, sequence, *how, **more):
        """Returns what the host counted, the trace, and what nccl_check says of it (None without a trace). Threads that
        have no core for long lose something, which is counted: the plugin's thread events, NCCL's own thread stamps.
        What such a thread tells of an operation that was given up meanwhile counts as invalid. Where stamps are to be
        overwritten before NCCL reads them, it may be too slow for that. What is told more than 0.1 s after a
        communicator's end comes too late: the operation is stored as cut."""
        def attempt():
            host, trace, seen = self.host_once(sequence, *how, **more)
            stamped = host["plugin_version"] > 3 and sequence not in overrun
            lost = seen is not None and sequence != "many" and (
                seen("lost nccl_dropped") or stamped and (seen("overrun") or seen("stretched")))
            too_slow = sequence == "kernel_race" and host["plugin_version"] > 3 and seen("truly overrun") == 0
            too_late = sequence == "in_flight" and stamped and seen("exact") < seen("truly full")
            given_up = (seen is not None and (sequence == "many" or ("VT_NCCL_EVENTS", "all") in more.get("env", ()))
                        and seen("lost nccl_invalid") > host["invalid"])
            return None if lost or too_slow or too_late or given_up else (host, trace, seen)
        result = on_a_core(" ".join(map(str, (sequence, *how))), "a thread had no core for long", attempt)
        skip_if_not_judged()
        return result

    def host_once(self, sequence, core="2.30", newest=6, options=(), env=(), plugin=None, host="nccl_host"):
        if sequence == "forked":  # the child lacks the threads whose stacks point to memory: no leak
            env = [*env, ("ASAN_OPTIONS", os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")]
        self.number += 1
        name = f"{sequence}-{self.number}"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("VT_")}
        environment |= {"NCCL_PROFILER_PLUGIN": str(plugin or self.plugin), "VT_TACTUS_RUN": name,
                        "VT_LOGFILE_NAME": name, "VT_LOGFILE_PREFIX": str(self.folder)} | dict(env)
        truth = self.folder / f"truth-{self.number}"
        if sequence in self.operations and "--operations" not in options:
            options = ("--operations", str(self.operations[sequence]), *options)
        command = [self.bin / host, sequence, "--core", core, "--newest-version", str(newest), "--truth", truth,
                   *options]
        done = launchers.ask(command, env=environment)
        expect(done.returncode == 0, f"the host ended with {done.returncode}: {done.stderr[-2000:]}")
        self.said = done.stderr
        trace = self.folder / f"{name}.tactus"
        return json.loads(done.stdout), trace, self.check(trace, truth) if trace.exists() else None

    def check(self, trace, truth):
        truths = sorted(self.folder.glob(truth.name + "*"))
        done = launchers.ask([self.bin / "nccl_check", trace, *truths])
        expect(done.returncode == 0, f"nccl_check: {done.stderr[-2000:]}")
        seen = json.loads(done.stdout)
        return lambda name: seen.get(name, 0)


def holds(sequence, core, host, seen, version):
    """Expects what holds for all sequences but those made to violate it."""
    invalid, dropped = seen("lost nccl_invalid"), seen("lost nccl_dropped")
    nameless = version == 3 and core != "2.26"  # newer NCCLs do not tell version 3 which communicator it is
    expect(seen("finished"), "the trace is not finished")
    expect(invalid == host["invalid"], f"{invalid} invalid callbacks, {host['invalid']} were made")
    if sequence == "many":
        expect(nameless or dropped == seen("missing"),
               f"{dropped} calls were dropped, {seen('missing')} operations are missing")
    if nameless:
        recorded = seen("kind coll") + seen("kind p2p")
        expect(recorded == seen("truth") or sequence in ("init_failure", "mask_changes", "many"),
               f"{recorded} of {seen('truth')} operations")
    elif sequence not in ("init_failure", "mask_changes", "many"):
        expect(seen("missing") == 0, f"{seen('missing')} operations are missing")
    expect(nameless or seen("matched") > 0 or sequence == "init_failure", "nothing was recorded")
    # Where threads wait for cores all the time, a launch that NCCL does not tell is now and then later than assumed.
    expect(seen("outside") <= (3 if sequence == "many" else 0), f"{seen('outside')} operations are not where they say")
    if version == 3:
        expect(seen("with stamps") == 0 and seen("host times") > 0 or sequence == "init_failure",
               "times of version 3 are the host's")
        return
    # The first stamp of a kernel whose stamps were overwritten may be stored before that can be known.
    lies = 5 if sequence == "kernel_race" else 0
    expect(seen("with stamps") - seen("exact") <= lies,
           f"{seen('with stamps') - seen('exact')} operations have wrong times")
    expect(seen("exact") >= seen("truly full"),
           f"{seen('truly full')} operations were told in full, {seen('exact')} are exact")
    if sequence in overrun:
        expect(seen("overrun") > 0, "no overrun was noticed")


def group_names(sequence, seen, version):
    if sequence == "all_to_all" and version >= 4:
        expect(seen("group AlltoAll") == 60, f"{seen('group AlltoAll')} all-to-alls")
        if version >= 5:
            expect(seen("group Gather") == 30 and seen("group Scatter") == 30, "gathers and scatters")
    if sequence == "grouped_p2p":
        expect(seen("group SendRecv") == 100, f"{seen('group SendRecv')} groups of sends and receives")


def in_full(sequence, host, seen, version):
    """Expects what VT_NCCL_EVENTS=all adds."""
    starts = host["callbacks"]["start"]
    for event, kind in {"ProxyOp": "proxy_op", "ProxyStep": "proxy_step", "NetPlugin": "net", "CollApi": "coll_api",
                        "P2pApi": "p2p_api",
                        "GroupApi": "group_api", "KernelLaunch": "kernel_launch", "CeColl": "copy_coll"}.items():
        expect(seen(f"kind {kind}") == starts.get(event, 0)
               or sequence in ("mask_changes", "many", "init_failure", "in_flight"),
               f"{starts.get(event, 0)} {event}, {seen(f'kind {kind}')} are in the trace")
    if sequence == "pxn":
        expect(seen("foreign") == 100, f"{seen('foreign')} pieces of work for other processes")
    if sequence == "coll_net":
        expect(seen("cut") == starts["ProxyOp"], "work of CollNet never ends")


def run_sequence(run, sequence, cores):
    for core, newest in cores:
        try:
            host, _, seen = run.host(sequence, core, newest)
            version = host["plugin_version"]
            if seen is None:  # its communicator's only init failed in a way that unloads the plugin for good
                expect(sequence == "init_failure", "there is no trace")
                continue
            holds(sequence, core, host, seen, version)
            group_names(sequence, seen, version)
            host, _, seen = run.host(sequence, core, newest, env=[("VT_NCCL_EVENTS", "all")])
            expect(seen("lost nccl_invalid") == host["invalid"],
                   f"with all events: {seen('lost nccl_invalid')} invalid callbacks")
            in_full(sequence, host, seen, version)
        except Failed as problem:
            raise Failed(f"NCCL {core}, versions up to {newest}: {problem}") from None
        print(f"NCCL {core}, version {version}: {seen('records')} records")


def cpu_seconds(process):
    """How long the threads of a process have had a core, which does not depend on how many want one."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def killed(run, sequence, seconds, **env):
    """Kills a host that has worked for so many seconds, and returns what is recovered from its lanes."""
    name = f"killed-{sequence}-{seconds}"
    environment = os.environ | {"NCCL_PROFILER_PLUGIN": str(run.plugin), "VT_TACTUS_RUN": name, "VT_LOGFILE_NAME": name,
                                "VT_LOGFILE_PREFIX": str(run.folder)} | env
    host = subprocess.Popen([run.bin / "nccl_host", sequence, "--operations", "1000000"], env=environment,
                            stdout=subprocess.DEVNULL)
    while cpu_seconds(host.pid) < seconds and host.poll() is None:
        time.sleep(0.1)
    host.send_signal(signal.SIGKILL)
    host.wait()
    trace = run.folder / f"{name}.tactus"
    done = launchers.ask([run.bin / "tactus", "recover", trace])
    expect(done.returncode == 0, done.stderr + done.stdout)
    seen = run.check(trace, run.folder / "no-truth")
    expect(seen("finished"), "the trace is not finished")
    return seen


def expect_recovered(run, sequence, kind, **env):
    """Expects what a killed host had recorded until shortly before. The thread that records shares the cores with those
    that work, so a host that was killed before it had recorded enough works twice as long the next time."""
    for seconds in (2, 4, 8, 16, 32, 64):
        recovered = killed(run, sequence, seconds, **env)(f"kind {kind}")
        if recovered > 1000:
            return
    raise Failed(f"{recovered} records of {kind} of a killed process")


def recover(run):
    """The host is killed in the middle: what was recorded until shortly before is there."""
    expect_recovered(run, "graph", "coll")


def windows(run):
    """With VT_TIME_WINDOWS nothing outside is recorded, and no operation by half."""
    host, _, seen = run.host("steady", env={"VT_TIME_WINDOWS": "0.5:1.5"}.items())
    calls = seen("kind coll_api")
    expect(0 < calls < host["operations"], f"{calls} of {host['operations']} calls in the window")
    expect(calls == seen("kind coll") == seen("kind group_api") == seen("kind kernel_launch"), "operations in halves")
    expect(seen("exact") == seen("kind coll"), "operations without their kernels")


def nothing(run):
    """Wrong options are reported through NCCL's logger and stop nothing. Without a trace nothing is recorded."""
    host, trace, seen = run.host("init_all", env={"VT_NCCL_EVENTS": "wrong"}.items())
    expect(seen("exact") == host["operations"], "the default is in force")
    host, trace, seen = run.host("init_all", env={"VT_LOGFILE_PREFIX": "/proc/nowhere"}.items())
    expect(seen is None, "a trace in /proc")
    expect(host["callbacks"]["start"] == {}, "NCCL is asked for events that nobody takes")


def linked_in(run):
    """Tests NCCL_PROFILER_PLUGIN=STATIC_PLUGIN with the archive in the program."""
    host, _, seen = run.host("init_all", plugin="STATIC_PLUGIN", host="nccl_host_static")
    expect(host["plugin_version"] == 6, f"version {host['plugin_version']} was found")
    holds("init_all", "2.30", host, seen, 6)


def cupti(run, few):
    """VT_NCCL_CUPTI records each launch's kernel, and no other, when it ran (nccl_check). What CUPTI lost or got wrong
    is counted. Where CUPTI is missing, or tells nothing of launches, everything else is recorded."""
    fake = run.bin.parent / "tests/nccl/libfake_cupti.so"
    if not fake.exists():
        skip("CUPTI's headers were not found when this was built")

    def traced(sequence, mode="", core="2.30", newest=6, options=(), events=None):
        """Returns how many launches there are that CUPTI knows, and what nccl_check saw."""
        environment = {"VT_NCCL_CUPTI": "on", "FAKE_CUPTI": str(fake), "FAKE_CUPTI_MODE": mode, "FAKE_NCCL_DEBUG": "1"}
        host, _, seen = run.host(sequence, core, newest, options,
                                 (environment | ({"VT_NCCL_EVENTS": events} if events else {})).items())
        holds(sequence, core, host, seen, host["plugin_version"])
        captured = 2 if sequence == "graph" else 0
        launches, kernels = seen("kind kernel_launch") - captured, seen("kind kernel")
        expect(seen("kernels outside") == 0 or mode == "early",
               f"{sequence}: {seen('kernels outside')} kernels are not where they ran")
        recorded = "not recorded by CUPTI" not in run.said
        expect(seen("lost nccl_kernels") == (launches - kernels if recorded else 0),
               f"{sequence}: {kernels} kernels of {launches} launches, {seen('lost nccl_kernels')} are counted as lost")
        return launches, seen

    def without(why, **how):
        _, seen = traced("init_all", **how)
        expect(seen("kind kernel") == 0 and why in run.said, f"said was: {run.said}")

    for sequence, options in (("init_all", ()), ("init_all", ("--operations", "500" if few else "5000")),
                              ("grouped_p2p", ()), ("split", ()), ("non_blocking", ()),
                              ("graph", ()), ("kernel_race", ()), ("forked", ()), ("many", ()),
                              ("processes", ("--processes", "3"))):
        launches, seen = traced(sequence, options=options)
        lost = launches - seen("kind kernel")
        expect(launches > 0 and lost == 0 or sequence == "many",
               f"{sequence}: {lost} of {launches} launches have no kernel")
        expect(seen("with kernel") >= (1 if sequence == "graph" else seen("matched") - lost),
               f"{sequence}: {seen('with kernel')} operations have one")
        expect(seen("kernels drawn") == seen("kind kernel"), f"{sequence}: {seen('kernels drawn')} kernels are drawn")
    for mode in ("lose", "impossible"):
        launches, seen = traced("init_all", mode)
        expect(0 < seen("kind kernel") < launches, f"{mode}: {seen('kind kernel')} kernels of {launches} launches")
    launches, seen = traced("init_all", "early")
    expect(seen("kind kernel") == launches, f"early: {seen('kind kernel')} kernels of {launches} launches")
    expect_recovered(run, "init_all", "kernel", VT_NCCL_CUPTI="on", FAKE_CUPTI=str(fake), FAKE_CUPTI_MODE="hold")
    host, _, seen = run.host("init_all", env={"FAKE_CUPTI": str(fake)}.items())
    expect(seen("kind kernel_launch") > 0 and seen("kind kernel") == seen("lost nccl_kernels") == 0,
           "it is off by default")
    without("MULTIPLE_SUBSCRIBERS", mode="refuse")
    without("NCCL before 2.28", newest=4)
    without("lacks api", events="coll,kernel")


def host_itself(run):
    """Tests the host itself with a plugin that shares nothing with ours and checks each call: the host keeps NCCL's
    rules, with as many stale handles as it says."""
    plugins = run.bin.parent / "tests/nccl"
    sequences = subprocess.run([run.bin / "nccl_host", "--list"], capture_output=True, text=True,
                               check=True).stdout.split()
    for core, newest in [("2.26", 6), ("2.27", 6), ("2.28", 6), ("2.30", 6), ("2.30", 4)]:
        for sequence in sequences:
            command = [run.bin / "nccl_host", sequence, "--core", core, "--newest-version", str(newest), "--operations",
                       "40"]
            environment = os.environ | {"NCCL_PROFILER_PLUGIN": str(plugins / "libprobe_plugin.so")}
            done = launchers.ask(command, env=environment)
            expect(done.returncode == 0, f"{sequence} of {core} ends with {done.returncode}: {done.stderr[-1000:]}")
            told = [line.split() for line in done.stderr.splitlines() if line.startswith("probe: ")]
            expect(told and all(words[words.index("broken") + 1] == "0" for words in told),
                   f"{sequence} of {core}: {done.stderr}")
            dead = sum(int(words[words.index("dead") + 1]) for words in told)
            expect(dead == json.loads(done.stdout)["invalid"],
                   f"{sequence} of {core}: {dead} calls about what had ended")
    failing = {"EMPTY_PLUGIN_FAILS": "1", "EMPTY_PLUGIN_HANDLES": "1"}.items()
    host, _, _ = run.host("init_failure", plugin=plugins / "libempty_plugin.so", options=["--plugin-fails"],
                          env=failing)
    expect(host["init_errors"] > 0, "a plugin's failing init is noticed")


def storm(run, operations):
    """Memory is bounded, however many events there are. The host keeps no truth here, because that would grow."""
    sizes = []
    for count in (operations // 3, operations):
        name = f"storm-{count}"
        environment = os.environ | {"NCCL_PROFILER_PLUGIN": str(run.plugin), "VT_TACTUS_RUN": name,
                                    "VT_LOGFILE_NAME": name, "VT_LOGFILE_PREFIX": str(run.folder)}
        begin = time.monotonic()
        host = subprocess.Popen([run.bin / "nccl_host", "many", "--operations", str(count)], env=environment,
                                stdout=subprocess.PIPE)
        told = json.loads(host.stdout.read())
        _, status, usage = os.wait4(host.pid, 0)
        expect(status == 0, f"the host ended with {status}")
        seen = run.check(run.folder / f"{name}.tactus", run.folder / "no-truth")
        sizes.append(usage.ru_maxrss)
        print(f"{count} operations, "
              f"{sum(sum(told['callbacks'][what].values()) for what in ('start', 'stop', 'state'))} callbacks in "
              f"{time.monotonic() - begin:.1f} s: {sizes[-1] / 1024:.0f} MiB at most, {seen('lost nccl_dropped')} "
              f"calls dropped")
        expect(seen("lost nccl_dropped") + seen("kind coll") == told["operations"],
               "operations that are neither there nor dropped")
    expect(sizes[1] < sizes[0] * 1.5, f"memory grew from {sizes[0]} to {sizes[1]} KiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--few", action="store_true", help="only two releases of NCCL, and fewer operations")
    parser.add_argument("--operations", type=int, default=6_000_000, help="of storm")
    options = parser.parse_args()
    others = {"cupti": lambda run: cupti(run, options.few), "host": host_itself, "recover": recover,
              "windows": windows, "nothing": nothing, "static": linked_in,
              "storm": lambda run: storm(run, options.operations)}
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options.build.resolve(), folder, FEW if options.few else OPERATIONS)
        try:
            if options.case in others:
                others[options.case](run)
            else:
                run_sequence(run, options.case, [("2.30", 6), ("2.28", 4)] if options.few else CORES)
        except Failed as problem:
            print(f"{options.case}: {problem}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
