"""What the fault tests share: a run with its folder, a small file system that it can fill, and the check that nothing
is left.

`own_mounts` starts the script again in a mount namespace, where that is allowed. Nobody else sees what a test mounts
there, and it is gone when the test ends. The test also has its own /dev/shm, so whatever is left there is from it.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402
import launchers  # noqa: E402

in_own_mounts = "TACTUS_OWN_MOUNTS"


def own_mounts():
    if in_own_mounts in os.environ:
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], check=True)
    elif subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"],
                        capture_output=True).returncode == 0:
        os.execvpe("unshare", ["unshare", "--mount", sys.executable, *sys.argv], {**os.environ, in_own_mounts: "1"})


def lane_folders():
    """Returns the folders of lanes that lie outside of traces."""
    return {str(path) for place in ("/dev/shm", "/tmp") for path in pathlib.Path(place).glob("tactus-*")
            if re.fullmatch(r"tactus-\d+", path.name)}


class Case:
    def __init__(self, options):
        self.mpi, self.tactus, self.library, self.other = options.mpi, options.tactus, options.library, options.other
        self.programs = pathlib.Path(options.programs)
        self.failing_disk = self.programs / "libfailing_disk.so"
        self.extra = dict(pair.split("=", 1) for pair in options.env)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-fault-"))
        self.lanes_before = lane_folders()
        self.sanitized = "LD_PRELOAD" in self.extra  # everything takes longer, and addresses cannot be limited

    expect = staticmethod(harness.expect)
    skip = staticmethod(harness.skip)
    failed_run = staticmethod(harness.failed_run)

    def small_disk(self, name, size, *options):
        """Returns a folder on a new tmpfs, which goes when the mount namespace of the test does."""
        if in_own_mounts not in os.environ:
            self.skip("nothing can be mounted here")
        folder = self.folder / name
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]), "tmpfs", str(folder)],
                       check=True)
        return folder

    def resize(self, place, size):
        """Changes the size of a small disk or of the test's own /dev/shm."""
        if in_own_mounts not in os.environ:
            self.skip("nothing can be mounted here")
        subprocess.run(["mount", "-o", f"remount,size={size}", str(place)], check=True)

    def clean_up(self):
        for line in reversed(pathlib.Path("/proc/mounts").read_text().splitlines()):
            if line.split()[1].startswith(f"{self.folder}/"):
                subprocess.run(["umount", line.split()[1]], check=True)
        shutil.rmtree(self.folder)

    def lanes_left(self, seconds=launchers.patience_s):
        """Returns the lanes outside of traces that are new since the test began. Those of other tests soon go."""
        deadline = time.monotonic() + seconds
        while (left := lane_folders() - self.lanes_before) and time.monotonic() < deadline:
            time.sleep(0.05)
        return sorted(left)

    def expect_no_lane(self, title, outcome):
        left = self.lanes_left()
        self.expect(not left, f"{title}: no lane is left: {left}", outcome)

    def preload(self, library):
        """Returns the setting that preloads the library after a sanitizer's runtime, which has to come first."""
        sanitizer = self.extra.get("LD_PRELOAD")
        return {**self.extra, "LD_PRELOAD": f"{sanitizer}:{library}" if sanitizer else str(library)}

    def by_hand(self, program, ranks=2, library=None, **environment):
        words = launchers.command(self.mpi, ranks, [str(word) for word in program],
                                  {**self.preload(library or self.library), **environment})
        return launchers.run(words, self.folder)

    def traced(self, program, ranks=2, **environment):
        words = [self.tactus, "run"] + launchers.command(self.mpi, ranks, [str(word) for word in program],
                                                         exported=self.extra)
        return launchers.run(words, self.folder, environment)

    def program(self, name):
        return self.programs / self.mpi / name

    def command(self, *words):
        done = launchers.ask([self.tactus, *words], cwd=self.folder)
        return launchers.Outcome(done.returncode, done.stdout, done.stderr)

    def facts(self, trace):
        """Returns what `tactus info` prints, or an empty dictionary when it prints nothing."""
        outcome = self.command("info", "--json", trace)
        self.expect(outcome.status in (0, 1), "tactus info ends in order", outcome)
        return json.loads(outcome.stdout) if outcome.stdout else {}

    def one_line(self, outcome, text):
        lines = [line for line in outcome.stderr.splitlines() if line.startswith("tactus:") and text in line]
        self.expect(len(lines) == 1, f"one line with '{text}', found {len(lines)}", outcome)
