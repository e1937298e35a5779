"""Makes runs without the tracer once for all builds. What a program prints, how it ends and what it calls untraced
depends on the program, the MPI and the machine, and not on how tactus was compiled.

A run is kept under a hash of everything that it depends on: the contents of the program and of all files named on its
command line, the other words, the ranks, the launcher, preloaded libraries, and the variables that an MPI reads. Only
runs that ended as they should are kept, and a failing test removes those that it used. TACTUS_FRESH=1 makes them anew.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil

import launchers

read_by_mpis = ("OMPI_", "PMIX_", "PRTE_", "UCX_", "MPICH_", "MPIR_", "HYDRA_", "LD_LIBRARY_PATH", "OMP_")


def of_file(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def of_word(word):
    """Returns what to hash for a word of a command line: the contents if it names a file, otherwise the word itself."""
    path = pathlib.Path(word)
    return of_file(path) if "/" in word and path.is_file() else word


class SharedRuns:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder) if folder else None
        self.used = []
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, mpi, ranks, program, inputs, outputs, preload):
        launcher = pathlib.Path(shutil.which(launchers.launcher_words[mpi][0])).resolve()
        variables = sorted(item for item in os.environ.items() if item[0].startswith(read_by_mpis))
        facts = [str(launcher), launcher.stat().st_size, launcher.stat().st_mtime_ns, os.uname().release, ranks,
                 variables, of_word(shutil.which(program[0]) or program[0]), [of_word(word) for word in program[1:]],
                 [[of_file(item.partition(":")[0]), item.partition(":")[2]] for item in inputs], outputs,
                 [of_word(word) for word in preload]]
        return self.folder / (hashlib.sha256(json.dumps(facts).encode()).hexdigest() + ".json")

    def get(self, path):
        """Returns the outcome and the calls by function, or None."""
        if self.folder is None or "TACTUS_FRESH" in os.environ:
            return None
        try:
            kept = json.loads(path.read_text())
        except (OSError, ValueError):
            return None
        self.used.append(path)
        return launchers.Outcome(**kept["outcome"]), kept["calls"]

    def put(self, path, outcome, calls):
        if self.folder is None:
            return
        beside = path.with_suffix(f".{os.getpid()}")  # tests run side by side
        beside.write_text(json.dumps({"outcome": dataclasses.asdict(outcome), "calls": calls}))
        beside.replace(path)

    def forget(self):
        for path in self.used:
            path.unlink(missing_ok=True)
