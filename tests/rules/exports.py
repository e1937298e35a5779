#!/usr/bin/env python3
"""A preload library must export MPI functions, those of VT.h, dlopen, dlclose, dlsym and dlvsym and nothing else,
need only libraries of glibc, and want no MPI symbol from the linker. It may use no function that depends on the
program's locale. It must export every function that the header of an MPI declares, by both of its names.
Usage: exports.py LIBRARY [COMPILER WRAPPER OF AN MPI]
"""
import re
import subprocess
import sys
import tempfile

library, *mpicc = sys.argv[1:]
problems = []


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


symbols = [line.split() for line in lines("nm", "-D", library)]
exported = {fields[2].split("@")[0] for fields in symbols if len(fields) == 3 and fields[1] in "TWDBRVi"}
undefined = {fields[-1].split("@")[0] for fields in symbols if "U" in fields or "w" in fields}
needed = {match.group(1) for line in lines("readelf", "-d", library) if (match := re.search(r"NEEDED.*\[(.*)\]", line))}

# All of these are glibc's own; before 2.34 the last three had names that are in libc now (docs/decisions/0029).
allowed = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libpthread.so.0", "libdl.so.2",
           "librt.so.1"}
if needed - allowed:
    problems.append(f"needs {', '.join(sorted(needed - allowed))}")
if foreign := {name for name in exported
               if not re.match(r"P?MPI_[A-Z]|p?mpi_|VT_[a-z]|vt[a-z]+_$|dlv?sym$|dl(open|close)$", name)}:
    problems.append(f"exports {', '.join(sorted(foreign))}")
if lacking := {"dlopen", "dlclose", "dlsym", "dlvsym"} - exported:
    problems.append(f"does not export {', '.join(sorted(lacking))}")
if mpi := {name for name in undefined if re.match(r"P?MPI_|ompi_|MPIR_", name)}:
    problems.append(f"leaves MPI symbols to the linker: {', '.join(sorted(mpi))}")
by_locale = r"(__isoc\d+_)?v?f?s?scanf|ato[fl]|strto[dfl]d?|(is|to)(alpha|alnum|digit|space|upper|lower|print|punct)|" \
            r"__ctype_(b|tolower|toupper)_loc|strcoll|strxfrm|strftime|setlocale|localeconv|nl_langinfo"
if found := {name for name in undefined if re.fullmatch(by_locale, name)}:
    problems.append(f"uses functions that depend on the locale: {', '.join(sorted(found))}")

with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
    source.write("#include <mpi.h>\n")
    source.flush()
    header = "\n".join(lines(*mpicc, "-E", "-P", source.name)) if mpicc else ""
declared = {name for name in re.findall(r"\bP(MPI_[A-Z]\w*)\s*\(", header)}
declared |= {f"P{name}" for name in declared}
if lacking := declared - exported:
    problems.append(f"does not wrap {', '.join(sorted(lacking))}")

print("\n".join(f"{library} {problem}" for problem in problems)
      or f"{len(exported)} functions, {len(declared)} declared")
sys.exit(bool(problems) or len(exported) < 1200 or bool(mpicc and len(declared) < 600))
