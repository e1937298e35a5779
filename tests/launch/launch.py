#!/usr/bin/env python3
"""Tests how `tactus run` brings the tracer into programs that make it hard: those with the runtime of a sanitizer,
those for which something on the command line sets LD_PRELOAD, and those into which nothing can be preloaded. Each is
traced and does what it does untraced, or one line says what took the tracer away.

Usage: launch.py CASE --mpi openmpi|mpich --tactus COMMAND --programs FOLDER
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import expect, failed_run, finish, skip  # noqa: E402

no_leaks = "detect_leaks=0"  # of the MPIs themselves


class Launch:
    def __init__(self, options):
        self.mpi, self.tactus, self.programs = options.mpi, options.tactus, pathlib.Path(options.programs).resolve()
        self.modulecmd = options.modulecmd
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-launch-"))
        self.place, self.runs = self.folder, 0  # each run has a folder of its own in that place

    def program(self, name):
        return str(self.programs / name)

    def untraced(self, parts, options=(), tracer=(), environment=None):
        """Runs a command line whose parts are separated by ':', each a program on one rank."""
        words = list(tracer) + launchers.command_of_parts(self.mpi, parts, options)
        self.runs += 1
        folder = self.place / str(self.runs)
        folder.mkdir()
        outcome = launchers.run(words, folder, {"ASAN_OPTIONS": no_leaks, **(environment or {})})
        if not tracer and launchers.crashed_on_parts(self.mpi, parts, outcome):
            skip("the launcher crashes where two programs are given")
        return outcome

    def traced(self, parts, options=(), environment=None):
        return self.untraced(parts, options, [self.tactus, "run"], environment)

    def traces(self):
        """Returns the traces of the last run."""
        return list((self.place / str(self.runs)).glob("*.tactus"))

    def expect_traced(self, parts, options=()):
        """Runs both ways, and expects the same output, and a trace of all ranks with their calls."""
        untraced = self.untraced(parts, options)
        expect(untraced.status == 0 and "rank 1 got 100" in untraced.stdout, "the program runs untraced", untraced)
        traced = self.traced(parts, options)
        expect((traced.status, traced.stdout) == (untraced.status, untraced.stdout),
               f"{parts}: traced, the ranks say the same", traced)
        traces = self.traces()
        expect(len(traces) == 1, f"{parts}: {len(traces)} traces", traced)
        info = json.loads(launchers.ask([self.tactus, "info", "--json", traces[0]]).stdout)
        expect((info["ranks"], info["calls"]) == (2, 12), f"{parts}: 2 ranks and 12 calls: {info}", traced)

    def expect_reason(self, parts, reason):
        """Expects that the program runs as untraced, and that one line says why there is no trace."""
        untraced, traced = self.untraced(parts), self.traced(parts)
        expect((traced.status, traced.stdout) == (untraced.status, untraced.stdout), "the ranks say the same", traced)
        ours = [line for line in traced.stderr.splitlines() if line.startswith("tactus: ")]
        expect(len(ours) == 1 and re.search(reason, ours[0]), f"one line says {reason}", traced)
        expect(not self.traces(), "there is no trace")

    def script(self, text):
        path = self.folder / "script.sh"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)


def sanitizer(test):
    """A program with the shared runtime of the address sanitizer, alone and beside one without it."""
    sanitized = [test.program("ring_sanitized")]
    test.expect_traced([sanitized, sanitized])
    if pathlib.Path(test.program("ring_clang")).exists():
        test.expect_traced([[test.program("ring_clang")]] * 2)
    # The user preloads the runtime, as for a plugin of a program without it.
    dynamic = launchers.ask(["readelf", "-d", sanitized[0]]).stdout
    runtime = re.search(r"libasan\.so\.\d+", dynamic)
    expect(runtime, f"the program needs the runtime: {dynamic}")
    test.expect_traced([["env", f"LD_PRELOAD={runtime[0]}", test.program("ring")]] * 2)
    test.expect_traced([[test.program("ring")], sanitized])


def own_zstd(test):
    """A program and a library that bring functions with the names of zstd's."""
    test.expect_traced([[test.program("ring_own_zstd"), test.program("own_zstd.so")]] * 2)


def sanitizer_behind_others(test):
    """The program is started by a shell, a script or an `env` that sets the sanitizer's options."""
    program = test.program("ring_sanitized")
    test.expect_traced([["env", f"ASAN_OPTIONS={no_leaks}:exitcode=7", program]] * 2)
    outcome = test.traced([[test.script(f"ASAN_OPTIONS={no_leaks} exec {program}")]] * 2)
    expect(re.search(r"^tactus: .*no trace in .*script\.sh mentions ASAN_OPTIONS", outcome.stderr, re.M),
           "the line says that the script's options end the program", outcome)
    test.expect_traced([["sh", "-c", shlex.quote(program)], [test.script(f"exec {program}")]])


def sanitizer_report(test):
    """The sanitizer finds the same fault, and the job ends with a failure."""
    parts = [[test.program("ring_sanitized"), "overflow"]] * 2
    for run in test.untraced, test.traced:
        outcome = failed_run(test.mpi, lambda run=run: run(parts))
        expect(outcome.status is not None, "the job ends", outcome)
        expect(re.search(r"SUMMARY: AddressSanitizer: heap-buffer-overflow \S*ring.c:\d+ in main", outcome.stderr),
               "the overflow is reported", outcome)


def preload_by_env(test):
    """`env` sets LD_PRELOAD, removes it, or is there for another reason, once or twice."""
    program = test.program("ring")
    test.expect_traced([["env", "A=b", "env", "--unset=B", "LD_PRELOAD=libm.so.6", program]] * 2)
    test.expect_traced([["env", "LD_PRELOAD=libm.so.6", program], ["env", "-u", "LD_PRELOAD", "A=b", program]])


def preload_by_launcher(test):
    """An option of the launcher sets LD_PRELOAD."""
    options = ["-x", "LD_PRELOAD=libm.so.6"] if test.mpi == "openmpi" else ["-genv", "LD_PRELOAD", "libm.so.6"]
    test.expect_traced([[test.program("ring")]] * 2, options)


def preload_by_script(test):
    """A script replaces LD_PRELOAD, and the line names it. Where it keeps what is there, the run is traced."""
    program = test.program("ring")
    replaces, keeps = f"LD_PRELOAD=libm.so.6 exec {program}", f"LD_PRELOAD=$LD_PRELOAD:libm.so.6 exec {program}"
    test.expect_reason([[test.script(replaces)]] * 2, r"no trace in .*script\.sh mentions LD_PRELOAD")
    test.expect_reason([["sh", test.script(replaces)]] * 2, r"no trace in .*script\.sh mentions LD_PRELOAD")
    test.expect_reason([["sh", "-c", replaces]] * 2, r"no trace in .*'LD_PRELOAD=libm.* mentions LD_PRELOAD")
    test.expect_traced([[test.script(keeps)]] * 2)


def static_mpi(test):
    """The program has its MPI from a static library, and is static itself or not: nothing can come between."""
    for name in ("own_mpi", "own_mpi_static"):
        test.expect_reason([[test.program(name)]] * 2, f"{name} has its MPI from a static library.*runs untraced")
    if test.mpi == "mpich":  # Debian has no static Open MPI
        stripped = test.folder / "stripped"
        subprocess.run(["strip", "-o", stripped, test.program("ring_static")], check=True)
        test.expect_reason([[str(stripped)]] * 2, "stripped has its MPI from a static library.*runs untraced")


def static_part(test):
    """One rank of two has its MPI from a static library. Where the command line shows that, nobody is traced. Where a
    script hides it, the other rank waits for that one's tracer in MPI_Init, and then ends the job: it cannot go on,
    because it has begun to make a communicator of all ranks."""
    parts = [[test.program("ring")], [test.program("ring_static")]]
    test.expect_reason(parts, "ring_static has its MPI from a static library.*runs untraced")
    parts[1] = [test.script(f"exec {shlex.quote(test.program('ring_static'))}")]
    traced = test.traced(parts, environment={"VT_INIT_TIMEOUT": "2s"})
    expect(traced.status != 0 and "rank 0 got" not in traced.stdout, "the job is ended before a message", traced)
    expect("waited 2 s in MPI_Init" in traced.stderr and "some rank runs without it" in traced.stderr, "why", traced)


def spawned(test):
    """The processes that MPI_Comm_spawn starts are traced only if the launcher gives them LD_PRELOAD; otherwise the
    screen and the report say that they are missing."""
    parts = [[test.program("spawn")]] * 2
    untraced = test.untraced(parts)
    traced = test.traced(parts)
    expect((traced.status, traced.stdout) == (0, untraced.stdout), "the children say the same", traced)
    missing = r"MPI_Comm_spawn was called: the processes that it started are not in this trace"
    expect(re.search(rf"^  spawned +{missing}", traced.stderr, re.M), "the screen says what is missing", traced)
    trace, = test.traces()
    expect(re.search(rf"^Spawned\n  {missing}", launchers.ask([test.tactus, "report", trace]).stdout, re.M),
           "the report says it")
    as_json = json.loads(launchers.ask([test.tactus, "report", "--json", trace]).stdout)
    expect(re.match(missing, as_json.get("spawned", "")), f"report --json says it: {as_json.get('spawned')}")
    page = test.folder / "page.html"
    launchers.ask([test.tactus, "report", "--html", page, trace])
    expect(re.search(f"<li>{missing}", page.read_text()), "the page says it")
    library = pathlib.Path(test.tactus).resolve().parents[1] / "lib" / f"libtactus-{test.mpi}.so"
    options, environment = (), {}
    if test.mpi == "mpich":
        options = ["-genv", "LD_PRELOAD", str(library)]
    elif launchers.openmpi_version() < 5:
        options = ["-x", f"LD_PRELOAD={library}"]
    else:
        environment = {"LD_PRELOAD": str(library)}
    traced = test.traced(parts, options, environment)
    expect((traced.status, traced.stdout) == (0, untraced.stdout), "traced, the children say the same", traced)
    expect(len(test.traces()) == 2, f"parents and children have a trace each: {test.traces()}", traced)


def odd_folder(test):
    """The commands that the screen suggests can be copied into a shell, whatever the path of the trace is."""
    test.place = test.folder / "it's a $HOME & more"
    test.place.mkdir()
    outcome = test.traced([[test.program("ring")]] * 2, environment={"VT_LOGFILE_NAME": "my ring; 'x'"})
    commands = re.findall(r"^(?:  next      |  in full   ) tactus (.*)$", outcome.stderr, re.M)
    expect(len(commands) == 2, "two commands are suggested", outcome)
    folder = test.place / str(test.runs)
    report = launchers.ask(["sh", "-c", f"cd {shlex.quote(str(folder))} && {test.tactus} {commands[1]}"])
    expect(report.returncode == 0 and "MPI_Sendrecv_replace" in report.stdout, f"{commands[1]} reports: {report}")
    words = shlex.split(commands[0])
    expect(words[0] == "view" and (folder / words[1]).is_dir(), f"{commands[0]} names the trace", outcome)


def odd_title(test):
    """A process may call itself anything: the trace has a name that a terminal shows, and that is not too long."""
    titles = {r"a: b\tc\e[31m\n\xff": "a: b_c_[31m__", "x" + "ö" * 150: "x" + "ö" * 99, "ring: in /var/": "mpi"}
    for title, name in titles.items():
        traced = test.traced([["bash", "-c", f"exec -a $'{title}' {test.program('ring')}"]])
        expect(traced.status == 0, f"{title} runs", traced)
        expect([trace.name for trace in test.traces()] == [f"{name}.tactus"], f"{title}: {test.traces()}", traced)
    traced = test.traced([[test.program("ring")]], environment={"VT_PROGNAME": "my\nprogram"})
    expect([trace.name for trace in test.traces()] == ["my_program.tactus"], f"{test.traces()}", traced)


def other_maker(test):
    """An MPI that others made of MPICH or Open MPI says another name, and is traced like these."""
    library, says, other = {"mpich": ("libmpich.so.12", b"MPICH Version:", b"Intel(R) MPI :"),
                            "openmpi": ("libmpi.so.40", b"Open MPI v", b"FUJITSU  v")}[test.mpi]
    program = test.program("ring")
    found = re.search(rf"{re.escape(library)} => (\S+)", launchers.ask(["ldd", program], check=True).stdout)
    content = pathlib.Path(found[1]).read_bytes()
    expect(says in content, f"{found[1]} says '{says.decode()}'")
    (test.folder / library).write_bytes(content.replace(says, other))
    outcome = test.traced([[program], [program]], environment={"LD_LIBRARY_PATH": str(test.folder)})
    expect(outcome.status == 0 and "runs untraced" not in outcome.stderr and test.traces(), "it is traced", outcome)
    info = json.loads(launchers.ask([test.tactus, "info", "--json", test.traces()[0]], check=True).stdout)
    expect(info["mpi"].startswith(other.decode().split()[0]), f"it was this library: {info['mpi']}")


def flavor(test):
    """VT_MPI_FLAVOR decides which library is preloaded. A wrong choice leaves the program as it is, with one line."""
    parts = [[test.program("ring")], [test.program("ring")]]
    untraced = test.untraced(parts)
    right = test.traced(parts, environment={"VT_MPI_FLAVOR": test.mpi})
    expect((right.status, right.stdout) == (0, untraced.stdout) and test.traces(), "it is traced", right)
    for other in {"openmpi", "mpich", "abi"} - {test.mpi}:
        wrong = test.traced(parts, environment={"VT_MPI_FLAVOR": other})
        expect((wrong.status, wrong.stdout) == (0, untraced.stdout) and not test.traces(), "it runs untraced", wrong)
        expect("this is the collector for" in wrong.stderr, "a line says why", wrong)
    none = test.traced(parts, environment={"VT_MPI_FLAVOR": "ompi"})
    expect(none.status == 2 and "VT_MPI_FLAVOR=ompi is none of openmpi, mpich and abi" in none.stderr, "refused", none)


def module_file(test):
    """With an installed module loaded, programs are traced by no command of ours, and without it they are not."""
    program = test.program("ring")
    prefix = test.folder / "installed"
    build = pathlib.Path(test.tactus).resolve().parents[1]
    launchers.ask(["cmake", "--install", build, "--prefix", prefix], check=True)
    shell = 'eval "$($1 bash $2 tactus/$3)" && shift 3 && exec "$@"'
    for how, traced in (("load", True), ("unload", False)):
        command = ["bash", "-c", shell, "bash", test.modulecmd, how, test.mpi,
                   *launchers.command(test.mpi, 2, [program])]
        outcome = launchers.run(command, test.folder,
                                environment={"MODULEPATH": str(prefix / "share/modulefiles")})
        expect(outcome.status == 0 and "rank 0 got 101" in outcome.stdout, f"module {how}", outcome)
        traces = list(test.folder.glob("*.tactus"))
        expect(len(traces) == traced, f"module {how}: {traces}", outcome)
        for trace in traces:
            calls = json.loads(launchers.ask([test.tactus, "info", "--json", trace], check=True).stdout)["calls"]
            expect(calls == 12, f"{calls} calls of two ranks")
            shutil.rmtree(trace)


def wait_until(condition):
    limit = time.monotonic() + launchers.patience_s
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.1)
    return True


def presets(test):
    """The words of Intel's mpirun choose what is recorded, before the launcher and among its options."""
    everything = {"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Sendrecv_replace", "MPI_Gather", "MPI_Finalize"}
    ends = {"MPI_Init", "MPI_Finalize"}
    ring = [test.program("ring")]

    def recorded(own, launchers_own, program, environment=None):
        outcome = test.untraced([program] * 2, launchers_own, [test.tactus, "run", *own], environment)
        expect(outcome.status == 0 and "rank 1 got 100" in outcome.stdout, f"{own} {launchers_own}", outcome)
        report = json.loads(launchers.ask([test.tactus, "report", "--json", test.traces()[0]]).stdout)
        return {row["name"] for row in report["functions"]}, outcome

    for own, launchers_own, program, environment, expected in (
            ([], [], ring, {}, everything), (["-trace"], [], ring, {}, everything),
            (["-trace-pt2pt"], [], ring, {}, ends | {"MPI_Sendrecv_replace"}),
            ([], ["-trace-collectives"], ring, {}, ends | {"MPI_Gather"}),
            (["--trace-imbalance"], [], ring, {}, ends | {"MPI_Sendrecv_replace", "MPI_Gather"}),
            (["-trace-pt2pt"], [], ring, {"VT_STATE": "MPI:MPI_Comm_size on; MPI:*replace off"},
             ends | {"MPI_Comm_size"}),
            ([], [], [*ring, "-trace-pt2pt"], {}, everything)):  # the last is the program's own word
        found, outcome = recorded(own, launchers_own, program, environment)
        expect(found == expected, f"{own} {launchers_own} {program[1:]} {environment}: {found}", outcome)
    for word, answer in ("-check_mpi", "does not check for errors"), ("-tcollect", "VT_begin and VT_end"):
        found, outcome = recorded([word], [], ring)
        expect(found == everything and outcome.stderr.count(answer) == 1, f"{word} is answered", outcome)


def names_of_traces(test):
    """-o and VT_CURRENT_DIR say where the trace lies, and the screen finds it there."""
    ring = [[test.program("ring")]] * 2
    for own, environment, expected in (
            (["-o", "mine"], {}, "mine.tactus"), (["--output=mine.stf"], {}, "mine.stf.tactus"),
            ([], {"VT_CURRENT_DIR": "inside"}, "inside/ring.tactus"),
            ([], {"VT_CURRENT_DIR": "inside", "VT_LOGFILE_PREFIX": "deeper"}, "inside/deeper/ring.tactus"),
            (["-o", "mine"], {"VT_LOGFILE_PREFIX": "deeper"}, "deeper/mine.tactus")):
        outcome = test.untraced(ring, (), [test.tactus, "run", *own], environment)
        place = test.place / str(test.runs)
        expect((place / expected).is_dir() and f"tactus view {expected}\n" in outcome.stderr, f"{expected}", outcome)
        asked = launchers.ask([test.tactus, "info", str(place / expected).removesuffix(".tactus")])
        expect(asked.returncode == 0 and "ranks     2" in asked.stdout, f"{expected} is found without its end: {asked}")


def ended(test):
    """A job that a signal ended: its trace is brought in order, and tells how it ended and where its ranks were."""
    for number, environment in (signal.SIGTERM, {}), (signal.SIGKILL, {}), (signal.SIGTERM, {"VT_POSTPROC": "off"}):
        test.runs += 1
        folder = test.place / str(test.runs)
        folder.mkdir()
        words = [test.tactus, "run", "-o", "endless", *launchers.command(test.mpi, 2, [test.program("endless")])]
        with open(folder / "screen", "wb") as screen, subprocess.Popen(
                words, cwd=folder, stdin=subprocess.DEVNULL, stdout=screen, stderr=screen,
                env={**os.environ, **environment}, start_new_session=True) as process:
            try:
                inside = "in region solver:inner"
                expect(wait_until(lambda: launchers.ask(
                    [test.tactus, "where", folder / "endless"]).stdout.count(inside) == 2), "where names the region")
                expect(wait_until(lambda: json.loads(launchers.ask(
                    [test.tactus, "info", "--json", folder / "endless"]).stdout)["calls"] > 200),
                    "the ranks go on to call, and wait in each reduction")
                ranks = [pid for pid in launchers.descendants(process.pid)
                         if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "endless"]
                expect(len(ranks) == 2, f"two ranks run: {ranks}")
                for pid in ranks:
                    with contextlib.suppress(ProcessLookupError):  # the launcher may have ended it
                        os.kill(pid, number)
                process.wait(launchers.patience_s)
            finally:
                launchers.end(launchers.descendants(process.pid), process)
        told = (folder / "screen").read_text(errors="replace")
        how = "SIGTERM" if number == signal.SIGTERM else "killed, recovered"
        # A launcher may end the second rank itself when it sees that the first one is dead.
        expect(re.search(r"^  ended +before MPI_Finalize, .*(SIGTERM|killed, recovered|open)", told, re.M),
               f"how it ended: {told}")
        report = json.loads(launchers.ask([test.tactus, "report", "--json", folder / "endless"]).stdout)
        regions = [(region["name"], region["count"], region["unfinished"]) for region in report["regions"]]
        if environment:
            expect("waits" not in report, f"with VT_POSTPROC=off nothing is finished: {told}")
            continue
        # On a busy machine the start may take more of such a short run than its waits do.
        expect(how in told and "MPI_Allreduce" in json.dumps(report["waits"]), f"what took the time: {told}")
        expect(regions == [("solver:inner", 2, 2)], f"{regions}: {told}")


def main():
    parser = argparse.ArgumentParser()
    cases = (sanitizer, sanitizer_behind_others, sanitizer_report, preload_by_env, preload_by_launcher,
             preload_by_script, static_mpi, static_part, spawned, odd_folder, odd_title, own_zstd, presets,
             names_of_traces, ended, other_maker, flavor, module_file)
    parser.add_argument("case", choices=[case.__name__ for case in cases])
    parser.add_argument("--mpi", required=True, choices=sorted(launchers.launcher_words))
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--modulecmd", help="the command of environment modules")
    options = parser.parse_args()
    sys.exit(finish(Launch(options), {case.__name__: case for case in cases}[options.case]))


if __name__ == "__main__":
    main()
