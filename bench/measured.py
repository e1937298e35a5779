"""Runs a command and measures it: for the benches."""
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Measured:
    """What a command took, and how it ended. `mib` is the memory of its largest process, `said` the end of what it
    printed on both outputs."""
    seconds: float
    cpu_seconds: float
    mib: float
    status: int
    said: str


def measured(words, environment=None):
    """Runs a command to its end. `environment` is set for it beside what is set already."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as said, subprocess.Popen([str(word) for word in words], stdout=said, stderr=said,
                                                            env={**os.environ, **(environment or {})}) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        said.seek(max(0, said.seek(0, os.SEEK_END) - 500))
        text = said.read().decode(errors="replace")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode, text)


def measured_well(words, environment=None):
    """The same, but ends the bench if the command fails."""
    done = measured(words, environment)
    if done.status != 0:
        sys.exit(f"{' '.join(str(word) for word in words)} ended with {done.status}: {done.said}")
    return done
