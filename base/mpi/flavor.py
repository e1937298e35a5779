"""Reads the headers of this folder: the functions, predefined handles and Fortran procedures that the MPIs of a flavor
(openmpi, mpich or abi) may have. docs/decisions/0028 says what they are for."""
import pathlib
import re
from collections import namedtuple

from mpi_header import prototypes_in

# `function` is the name without MPI_. The lists have the spellings of the symbol and of its profiling name.
FortranProcedure = namedtuple("FortranProcedure", "symbol function spellings profiling_spellings")
HERE = pathlib.Path(__file__).resolve().parent
# MPI-3.0 removed the first ten of these, the others are deprecated; neither have forms of mpi_f08.
REMOVED = """Address Errhandler_create Errhandler_get Errhandler_set Type_extent Type_hindexed Type_hvector Type_lb
Type_struct Type_ub""".split()
DEPRECATED = "Attr_delete Attr_get Attr_put Keyval_create Keyval_free".split()
# Arguments of type void* that are no buffers of a message, a file or a window.
NO_BUFFER = {"attribute_val", "baseptr", "buffer_addr", "extra_state", "logical_false", "logical_true"}


def header_files(flavor):
    """The flavor's mpi.h, and what it includes of this folder."""
    files = [HERE / "flavors" / flavor / "mpi.h"]
    for file in files:
        files += [HERE.parent.parent / name for name in re.findall(r'#include "(\S+)"', file.read_text())]
    return files


def functions_of(flavor):
    """The functions that an MPI of this flavor may have, by their names without MPI_."""
    found = {}
    for file in header_files(flavor):
        found.update(prototypes_in(re.sub(r"^#.*$", "", file.read_text(), flags=re.M)))
    return found


def handles_of(flavor):
    """Predefined handles as (type, name without MPI_, symbol, whether every version has it). The symbol is None where
    the handle is a number."""
    handles = []
    for line in (HERE / "flavors" / flavor / "mpi.h").read_text().splitlines():
        match = re.match(r"#define MPI_(\w+) OBJECT(_SINCE)?\(MPI_(\w+), (\w+)\)$", line)
        if match:
            handles.append((match.group(3), match.group(1), match.group(4), match.group(2) is None))
        match = re.match(r"#define MPI_(\w+) (\(|NUMBER_SINCE)\(MPI_([A-Z][a-z]+)\W+0x\w+\)$", line)
        if match:
            handles.append((match.group(3), match.group(1), None, match.group(2) == "("))
    return sorted(handles)


def has_fortran(name):
    return not (name.startswith("T_") or name.endswith(("_c", "_c2f", "_f2c", "_toint", "_fromint")) or
                name in ("Session_set_info", "Status_c2f08", "Status_f082c"))


def procedures_of(flavor, prototypes):
    """The Fortran procedures that an MPI of this flavor may have, sorted by symbol. Each version has some of them.

    mpi_send_ is known as mpi_send, mpi_send__ and MPI_SEND as well. mpi_wait_f08_ is of mpi_f08; *_f08ts_ and *_fts_
    take buffers by descriptor, *_c_f08* and *_large_ have large counts, *_cptr_ give a type(c_ptr). Open MPI 4 and 5
    take buffers by address in mpi_f08, too.
    """
    if flavor == "abi":  # it has no Fortran: that is the MPI's own
        return []
    found = []
    for name, prototype in prototypes.items():
        if not has_fortran(name):
            continue
        stem = f"mpi_{name}".lower()
        arguments = {n for n, p in zip(prototype.names, prototype.parameters) if re.match(r"(const )?void\*", p)}
        found += [(stem + "_", name)]
        if "baseptr" in arguments:
            found.append((stem + "_cptr_", name))
        if name in REMOVED + DEPRECATED:
            continue
        by_descriptor = not arguments <= NO_BUFFER
        form = "f08ts" if by_descriptor else "f08"
        found.append((f"{stem}_{form}_", name))
        if flavor == "openmpi" and by_descriptor:
            found.append((stem + "_f08_", name))
        if flavor == "openmpi" and name in ("Comm_attach_buffer", "Session_attach_buffer"):
            found.append((stem + "_fts_", name))
        if name + "_c" in prototypes:
            found.append((f"{stem}_c_{form}_", name + "_c"))
            if flavor == "mpich":
                found.append((f"{stem}_{form}_large_", name + "_c"))
    return [FortranProcedure(symbol, name, spellings_of(symbol), spellings_of("p" + symbol))
            for symbol, name in sorted(found)]


def spellings_of(symbol):
    """The names by which compilers may call a procedure; of mpi_f08 and of descriptors there is one."""
    stem = symbol[:-1]
    return [symbol] if re.search("_f08(ts)?_|_fts_", symbol) else [stem, symbol, stem + "__", stem.upper()]
