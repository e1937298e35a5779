"""What the tests of several hosts and clocks share: separate namespaces to run in, the run of `neighbors`, and its
trace.

`enclose` starts the script again in new namespaces. The kernel removes whatever the script makes or starts there
(mounts, networks and processes) when the script ends, however it ends.
"""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402
import launchers  # noqa: E402

ranks = 3
enclosed = "TACTUS_TEST_ENCLOSED"


def enclose(*kinds):
    """Continues in new namespaces of mounts (with a private /dev/shm), of processes, and of the `kinds` (options of
    unshare). Returns None there, or the reason where that is not allowed."""
    if enclosed in os.environ:
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=True)
        return None
    why = "unshare is not installed"
    # A user who is not root may be root in a user namespace.
    for user in ([], ["--map-root-user"]):
        words = ["unshare", *user, *kinds, "--mount", "--pid", "--kill-child", "--mount-proc"]
        if shutil.which("unshare") is None:
            break
        attempt = subprocess.run([*words, "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], capture_output=True, text=True)
        if attempt.returncode == 0:
            os.execvpe("unshare", [*words, sys.executable, *sys.argv], {**os.environ, enclosed: "1"})
        why = attempt.stderr.strip()
    return why


@dataclasses.dataclass
class Reading:
    """The clocks around the call of MPI_Comm_test_inter with this number, which took `within_ns` in all."""
    call: int
    kernel_ns: int
    libc_ns: int
    within_ns: int


@dataclasses.dataclass
class Seen:
    """What `neighbors` prints about a rank."""
    host: str
    sharing: int
    begin: Reading
    end: Reading

    def ppm(self):
        """Returns by how much the C library's clock ran faster than the kernel's."""
        return fast_ppm(self.end.libc_ns - self.begin.libc_ns, self.end.kernel_ns - self.begin.kernel_ns)

    def doubt_ppm(self):
        """Returns how far such a rate may be from the truth: the clocks were not read at one instant."""
        within_ns = (self.begin.within_ns + self.end.within_ns) / 2
        return within_ns / (self.end.kernel_ns - self.begin.kernel_ns) * 1e6


def fast_ppm(clock, true):
    return (clock / true - 1) * 1e6


reading = r"call (\d+) kernel_ns (\d+) libc_ns (\d+) within_ns (\d+)"
seen_line = re.compile(rf"^rank (\d+) host (\S+) sharing (\d+) begin {reading} end {reading}$", re.M)


class Runs:
    def __init__(self, options):
        self.mpi, self.tactus = options.mpi, options.tactus
        self.program = str(pathlib.Path(options.programs) / self.mpi / "neighbors")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-hosts-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    expect = staticmethod(harness.expect)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def run(self, words, environment=None):
        """Runs `neighbors`, and returns what it prints about its ranks."""
        # This also keeps the MPIs' own files apart from those of other users and of other hosts with these names.
        outcome = launchers.run(words, self.folder, {"TMPDIR": str(self.folder), **(environment or {})})
        self.expect(outcome.status is not None, f"ends in time: {' '.join(words)}", outcome)
        seen = {}
        for match in seen_line.finditer(outcome.stdout):
            numbers = [int(text) for text in match.groups()[3:]]
            seen[int(match[1])] = Seen(match[2], int(match[3]), Reading(*numbers[:4]), Reading(*numbers[4:]))
        self.expect(outcome.status == 0 and "all as it should be" in outcome.stdout
                    and sorted(seen) == list(range(ranks)), f"runs in order: {' '.join(words)}", outcome)
        return seen

    def traced(self, words, environment=None):
        """Does the same under `tactus run`, and returns what `neighbors` prints and the trace."""
        trace = self.folder / "neighbors.tactus"
        seen = self.run([self.tactus, "run", *words], {"VT_LOGFILE_NAME": trace.name, **(environment or {})})
        self.expect(trace.is_dir(), f"there is a trace: {sorted(self.folder.iterdir())}")
        return seen, trace

    def command(self, *words):
        done = launchers.ask([self.tactus, *words], cwd=self.folder)
        return launchers.Outcome(done.returncode, done.stdout, done.stderr)

    def check_whole(self, trace, hosts):
        """Expects that the trace has all ranks of all `hosts`, in the order of the ranks, and lacks nothing."""
        outcome = self.command("info", "--json", trace)
        self.expect(outcome.status == 0, "tactus info finds no fault", outcome)
        facts = json.loads(outcome.stdout)
        self.expect(facts["ranks"] == ranks and facts["rank_files"] == ranks, "every rank is there", outcome)
        self.expect(facts["hosts"] == hosts, f"the hosts are {hosts}", outcome)
        self.expect(facts["finished"] and facts["manifest"] == "agrees", "the trace is finished", outcome)
        self.expect(not any(facts["losses"].values()) and not facts["problems"], "nothing is lost", outcome)
        return facts

    def expect_order(self, trace, clocks):
        """Expects that no message arrives before it was sent, once clocks are refined and corrected, and that nothing
        had to be moved further for that than the stated bounds of the clocks allow. By the rounds of measurement alone
        a few may, because a message takes a microsecond, and rounds are known within several."""
        outcome = self.command("report", trace, "--json")
        self.expect(outcome.status == 0, "tactus report finds no fault", outcome)
        clock = json.loads(outcome.stdout)["clock"]
        count = clock["reversed"]
        print(f"of {clock['messages']} messages, so many arrive before they were sent: {count}")
        self.expect(count["corrected"] == 0, f"corrected, no message arrives before it was sent: {count}")
        most_ns = 1000 + 4 * max(one["half_width_worst_ns"] for one in clocks["ranks"])  # both ends, some in a row
        print(f"the correction moved no event by more than {clock['max_move_ns']:.0f} ns, of {most_ns:.0f} allowed")
        self.expect(clock["messages"] > 0 and clock["max_move_ns"] <= most_ns, f"events stay near: {clock}")

    def clocks(self, trace):
        """Returns what `tactus clocks` prints."""
        outcome = self.command("clocks", trace, "--json")
        self.expect(outcome.status == 0, "tactus clocks finds no fault", outcome)
        facts = json.loads(outcome.stdout)
        self.expect([one["rank"] for one in facts["ranks"]] == list(range(ranks)), "a line a rank", outcome)
        return facts
