#!/usr/bin/env python3
"""The headers of a flavor of MPI (base/mpi/flavor.py) must agree with an MPI of that flavor: each constant, handle,
type and prototype that its mpi.h has as well, and each procedure of its Fortran libraries must be known.

Usage: flavor.py FLAVOR COMPILER    COMPILER is a wrapper such as mpicc.openmpi, or words such as "cc -I<folder>" for an
                                    mpi.h whose library is not asked. CC names the compiler of the flavor's own header.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "base" / "mpi"))
from flavor import functions_of, handles_of, header_files, procedures_of  # noqa: E402
from mpi_header import fortran_symbols, prototypes_in  # noqa: E402

TYPES = "Status Aint Count Offset Fint Comm Datatype Errhandler File Group Info Message Op Request Session Win".split()
# The fields of a status that only this flavor has.
FIELDS = {"openmpi": ["_cancelled", "_ucount"], "mpich": ["count_lo", "count_hi_and_cancelled"], "abi": []}
# Procedures that are no function of MPI's, that have no wrapper by choice, or whose names are slips of one version.
NOT_OURS = r"p?mpi_(sizeof|fortran|f_sync_reg|conversion_fn|delete_error)_\w*|" \
           r"p?mpi_(\w+_)?(dup|null_copy|null_delete)_fn_+|p?mpi_type_get_(contents|envelope)_f08_c_|" \
           r"pmpi_ineighbor_alltoallv_init_f08_"

if len(sys.argv) != 3 or sys.argv[1] not in FIELDS:
    sys.exit(f"flavor.py: it takes FLAVOR COMPILER, and the flavors are {', '.join(FIELDS)}")
flavor, compiler = sys.argv[1], shlex.split(sys.argv[2])
is_wrapper = len(compiler) == 1
problems = []


def run(words, folder):
    done = subprocess.run([str(word) for word in words], cwd=folder, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout


def facts(folder, name, words, numbers, types):
    """The values of the names and the sizes of the types, as a compiler sees them."""
    lines = [f'    printf("{n} %lld\\n", (long long)({n}));' for n in numbers]
    lines += [f'    printf("{t} %zu bytes\\n", sizeof({t}));' for t in types]
    lines += [f'    printf("{field} at %zu\\n", offsetof(MPI_Status, {field}));'
              for field in ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR", *FIELDS[flavor]]]
    head = "#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"
    (folder / f"{name}.c").write_text(head + "\n".join(lines) + "\n}\n")
    # What the headers declare and nothing calls needs no library. Open MPI's predefined objects are not asked here.
    run([*words, "-w", f"{name}.c", "-o", name, "-Wl,--unresolved-symbols=ignore-all"], folder)
    return run([folder / name], folder).splitlines()


def compare_objects(folder, names):
    """Handles that are objects of the library must have the symbols that the flavor says."""
    rows = [(name, symbol) for _, name, symbol, _ in handles_of(flavor) if symbol and f"MPI_{name}" in names]
    lines = [f'    if ((void*)MPI_{name} != dlsym(RTLD_DEFAULT, "{symbol}")) printf("MPI_{name} is not {symbol}\\n");'
             for name, symbol in rows]
    text = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <mpi.h>\n#include <stdio.h>\nint main(void) {\n"
    (folder / "objects.c").write_text(text + "\n".join(lines) + "\n}\n")
    run([*compiler, "-w", "objects.c", "-o", "objects", "-ldl"], folder)
    problems.extend(run([folder / "objects"], folder).splitlines())
    return len(rows)


def plain(prototype):
    """Result and types of the arguments, without what does not change how they are passed, or has several names."""
    types = []
    for parameter in [prototype.result, *prototype.parameters]:
        arrays = re.findall(r"\[[^\]]*\]", parameter)
        text = re.sub(r"\[[^\]]*\]|\bconst\b", " ", parameter)
        if len(types) > 0:
            text = re.sub(r"\w+\s*$", "", text)
        text = re.sub(r"\s+", "", text) + "*" * len(arrays)
        text = re.sub(r"(errhandler)_fn", r"\1_function", text).replace("MPI_Fint", "int")
        types.append(text.replace("F08_Status", "F08_status"))
    return types


with tempfile.TemporaryDirectory(prefix="tactus-flavor-") as place:
    folder = pathlib.Path(place)
    (folder / "all.c").write_text("#include <mpi.h>\n")
    names = set(re.findall(r"\bMPI_\w+", run([*compiler, "-E", "-dD", "all.c"], folder)))
    ours = "\n".join(file.read_text() for file in header_files(flavor))
    numbers = [name for name in re.findall(r"^#define (MPI_\w+) (?!OBJECT)", ours, re.M) if name in names]
    types = [f"MPI_{name}" for name in TYPES if f"MPI_{name}" in names]
    own_compiler = [os.environ.get("CC", "cc"), f"-I{root / 'base/mpi/flavors' / flavor}", f"-I{root}",
                    "-DNUMBER_SINCE(type, number)=((type)number)"]
    later = {f"MPI_{name}" for _, name, _, always in handles_of(flavor) if not always}
    their_facts = facts(folder, "theirs", compiler, numbers, types)
    for own, theirs in zip(facts(folder, "own", own_compiler, numbers, types), their_facts, strict=True):
        name, value = theirs.split(" ", 1)
        if own != theirs and not (name in later and f"MPI_DATATYPE_NULL {value}" in their_facts):
            problems.append(f"{own}, where the MPI has: {theirs}")
    problems += [f"MPI_{name} is not marked as one that not every version has, and this MPI has none"
                 for _, name, _, always in handles_of(flavor) if always and f"MPI_{name}" not in names]
    objects = compare_objects(folder, names) if is_wrapper else 0
    header = run([*compiler, "-E", "-P", "all.c"], folder)

functions = functions_of(flavor)
declared = prototypes_in(header)
# The ABI header of MPICH 5.0.2 gives these two an int as count, and declares two that no library has.
excused = {"Psend_init", "Precv_init", "Psend_init_c", "Precv_init_c"} if flavor == "abi" else set()
for name, prototype in sorted(declared.items()):
    if name in excused or (flavor == "abi" and re.search("_(c2f|f2c|c2f08|f082c)$", name)):
        continue
    if name not in functions:
        problems.append(f"MPI_{name} is missing")
    elif plain(functions[name]) != plain(prototype):
        problems.append(f"{functions[name].declaration('MPI_' + name)}, where the MPI has: "
                        f"{prototype.declaration('MPI_' + name)}")

procedures = procedures_of(flavor, functions)
known = {name for p in procedures for name in (*p.spellings, *p.profiling_spellings)}
in_libraries = fortran_symbols(compiler[0]) if is_wrapper else set()
for symbol in sorted(in_libraries):
    if re.fullmatch(r"p?mpi_\w+_", symbol) and symbol not in known and not re.fullmatch(NOT_OURS, symbol):
        problems.append(f"the Fortran procedure {symbol} is missing")

if len(numbers) < 40 or len(declared) < 400:
    problems.append(f"only {len(numbers)} numbers and {len(declared)} functions were found in the MPI's mpi.h")
print("\n".join(f"base/mpi/flavors/{flavor}: {problem}" for problem in problems) or
      f"{len(numbers)} numbers, {objects} objects, {len(types)} types, {len(declared)} functions and "
      f"{len(in_libraries & known)} names of Fortran agree")
sys.exit(bool(problems))
