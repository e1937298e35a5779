"""The tables of a trace as pandas frames, by `tactus export --csv`; the report as `tactus report --json` prints it."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import warnings


class TraceError(Exception):
    """The trace cannot be read, or the command is missing; the text says what to do."""


class TraceWarning(UserWarning):
    """Something of the trace is missing; the rest is there."""


def _command():
    """$TACTUS, else beside this package as it is installed or built, else on PATH."""
    if os.environ.get("TACTUS"):
        return os.environ["TACTUS"]
    here = pathlib.Path(__file__).resolve()
    for folder in here.parents[1:5]:
        beside = folder / "bin" / "tactus"
        if beside.is_file() and os.access(beside, os.X_OK):
            return str(beside)
    found = shutil.which("tactus")
    if found is None:
        raise TraceError("the command tactus is not on PATH (or name it in the variable TACTUS)")
    return found


def open_trace(path):
    """A trace, by its directory NAME.tactus. Nothing is read before a table is asked for."""
    if not os.path.isdir(path):
        raise TraceError(f"{path} is not the directory of a trace (NAME.tactus)")
    return Trace(path)


class Trace:
    """Each table is a frame, read when it is asked for. Times are seconds since the trace began, on one clock; `time`
    is "corrected", "compensated" (as they would have been without the tracer) or "raw"."""

    def __init__(self, path):
        self.path = os.fspath(path)

    def __repr__(self):
        return f"tactus.open({self.path!r})"

    def table(self, name, time="corrected"):
        """Any table of `tactus export --csv`, by its name."""
        import pandas

        words = [_command(), "export", f"--csv={name}", "--time", time, self.path, "-"]
        with tempfile.TemporaryFile("w+") as said:
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=said) as process:
                try:
                    frame = pandas.read_csv(process.stdout, keep_default_na=False, na_values=[""], low_memory=False)
                except pandas.errors.EmptyDataError:
                    frame = None
                process.stdout.read()  # if the frame could not be made
            said.seek(0)
            text = said.read().strip()
        if frame is None or process.returncode not in (0, 1):
            raise TraceError(text or f"tactus export ended with {process.returncode}")
        if text:
            warnings.warn(text, TraceWarning, stacklevel=3)
        return frame

    def events(self, time="corrected"):
        """Every call, region, scope, counter value and comment."""
        return self.table("events", time)

    def messages(self, time="corrected"):
        """Every message whose sender and receiver are known."""
        return self.table("messages", time)

    def functions(self):
        """The profile by function, as its next three by call place, rank and collective."""
        return self.table("functions")

    def places(self):
        return self.table("places")

    def ranks(self):
        return self.table("ranks")

    def collectives(self):
        return self.table("collectives")

    def traffic(self):
        """Messages and bytes by sender and receiver."""
        return self.table("traffic")

    def regions(self):
        return self.table("regions")

    def counters(self):
        return self.table("counters")

    def waits(self):
        """Who waited for whom, where and how long; of a finished trace."""
        return self.table("waits")

    def stretches(self, time="corrected"):
        """What the operating system counted for each thread, between two readings."""
        return self.table("stretches", time)

    def samples(self, time="corrected"):
        """What threads were doing when they were looked at, in which function."""
        return self.table("samples", time)

    def nccl(self):
        """Every operation of NCCL, by rank."""
        return self.table("nccl")

    def waiting_ranks(self):
        return self.table("waiting_ranks")

    def report(self):
        """`tactus report --json`, as Python has it."""
        done = subprocess.run([_command(), "report", "--json", self.path], capture_output=True, text=True, check=False)
        if not done.stdout:
            raise TraceError(done.stderr.strip() or f"tactus report ended with {done.returncode}")
        return json.loads(done.stdout)
