"""Starts ranks for the tests. This is the only place that knows the options of both launchers and how to end a run.

`command` returns the words of a launch, and `run` runs them with a time limit. When the limit passes, the stacks of all
processes of the run are printed (if gdb is installed), and exactly the processes that it started are killed.
"""
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass

patience_s = 300  # What takes longer hangs, even on a slow and busy machine.

launcher_words = {
    # Containers and CI run as root and with more ranks than cores.
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"],
    "mpich": ["mpirun.mpich"],
}
# Programs of the standard ABI, on the library of either. LD_LIBRARY_PATH decides which one is loaded.
launcher_words |= {f"abi_{mpi}": words for mpi, words in launcher_words.items()}


@dataclass
class Outcome:
    """How a run ended; `status` is None when it was killed because its time was up."""
    status: int | None
    stdout: str
    stderr: str


def command(mpi, ranks, program, environment=None, exported=None):
    """Returns the words that start `program` on `ranks` ranks. Both dictionaries set variables for the ranks, not for
    the launcher: `environment` by an `env` before the program, `exported` by the launcher's own option."""
    setting = [f"{name}={value}" for name, value in (environment or {}).items()]
    words = list(launcher_words[mpi])
    for name, value in (exported or {}).items():
        words += ["-x", f"{name}={value}"] if mpi.endswith("openmpi") else ["-genv", name, value]
    return words + ["-n", str(ranks)] + (["env"] + setting if setting else []) + program


def command_of_parts(mpi, parts, options=()):
    """Returns the words that start each part, a program and its arguments, on one rank. Parts that follow one another
    and are the same become one, since not every launcher can start several programs (see crashed_on_parts)."""
    words = [*launcher_words[mpi], *options]
    for i, (part, same) in enumerate(itertools.groupby(parts)):
        words += ([":"] if i else []) + ["-n", str(len(list(same)))] + part
    return words


def openmpi_version():
    """Returns the first number of Open MPI's version."""
    said = ask(["mpirun.openmpi", "--version"], check=True).stdout
    return int(re.search(r"\((?:Open MPI|OpenRTE)\) (\d+)", said)[1])


def crashed_on_parts(mpi, parts, untraced):
    """Whether the launcher itself crashed in a run of these parts, as that of Open MPI 5.0.7 (PRRTE 3.0.8) does where a
    command line has more than one."""
    several = parts[1:] != parts[:-1]
    return several and untraced.status == -signal.SIGSEGV and mpi == "openmpi" and openmpi_version() >= 5


def run(words, folder, environment=None, seconds=patience_s):
    """Runs a command in `folder`. Its output goes through files, so that what a killed run printed is kept."""
    out_path, err_path = pathlib.Path(folder) / ".stdout", pathlib.Path(folder) / ".stderr"
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env={**os.environ, **(environment or {})}, start_new_session=True)
        try:
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
            started = descendants(process.pid)
            print_stacks(started)
            end(started, process)
    text = (path.read_bytes().decode(errors="replace") for path in (out_path, err_path))
    return Outcome(status, *text)


def ask(words, **more):
    """Runs a command that starts no ranks, and returns what subprocess.run() does, with the output as text. `more` are
    arguments of subprocess.run()."""
    words = words if isinstance(words, str) else [str(word) for word in words]
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=patience_s,
                          **{"check": False, **more})


def descendants(root):
    """Returns `root` and all processes below it, parents first."""
    children = {}
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            parent = int(pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
                         .rpartition(")")[2].split()[1])
        except OSError:
            continue  # it ended while we were looking
        children.setdefault(parent, []).append(pid)
    found = [root]
    for pid in found:
        found.extend(children.get(pid, []))
    return found


def print_stacks(pids):
    if shutil.which("gdb") is None:
        print("no gdb here: the stacks of the hanging processes cannot be shown")
        return
    for pid in pids:
        print(f"--- stacks of process {pid}", flush=True)
        try:
            subprocess.run(["gdb", "-batch", "-nx", "-p", str(pid), "-ex", "thread apply all bt"],
                           stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            print(f"gdb itself hangs on {pid}")


def end(pids, process):
    """Kills the processes of a run. The launcher is first, so that it does not report all its ranks' deaths."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
