"""Reads an MPI: the functions of its mpi.h, and the procedures of its Fortran libraries."""
import pathlib
import re
import subprocess
import tempfile
from collections import namedtuple

FortranParameter = namedtuple("FortranParameter", "type name is_text")

# MPI-3.0 removed these; Open MPI's library still has them for old programs, its header does not declare them.
REMOVED = """
int MPI_Address(void *location, MPI_Aint *address);
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype);
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb);
int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
    MPI_Datatype array_of_types[], MPI_Datatype *newtype);
int MPI_Type_ub(MPI_Datatype mtype, MPI_Aint *ub);
"""
OPENMPI_FORTRAN = ("mpi_mpifh", "mpi_usempif08", "mpi_usempi_ignore_tkr")
MPICH_FORTRAN = ("mpichfort",)


class Prototype:
    """int MPI_Send(const void *buf, ...): result type, name without MPI_, parameters as written and their names."""

    def __init__(self, result, name, parameters):
        self.result, self.name = result, name
        self.parameters = [] if parameters.strip() in ("", "void") else [p.strip() for p in parameters.split(",")]
        self.names = [re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", p).group(1) for p in self.parameters if p != "..."]

    def declaration(self, name):
        return f"{self.result} {name}({', '.join(self.parameters)})"

    def fortran_parameters(self):
        """Everything by address; integers, logicals, handles and statuses are arrays of MPI_Fint."""
        return [fortran_parameter(p, n) for p, n in zip(self.parameters, self.names)]


def fortran_parameter(declaration, name):
    words = re.sub(r"\bconst\b|\*|\[[^\]]*\]", " ", declaration).split()
    base = words[0]
    if base == "char":
        return FortranParameter("char*", name, True)
    if base in ("MPI_Count", "MPI_Aint", "MPI_Offset"):
        return FortranParameter(f"{base}*", name, False)
    if base == "void" or base.endswith(("function", "_fn")):
        return FortranParameter("void*", name, False)
    return FortranParameter("MPI_Fint*", name, False)


def run(words):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, check=True).stdout


def preprocess(cc, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write("#include <mpi.h>\n")
        source.flush()
        return run([cc, "-E", "-P", *flags, source.name])


def prototypes_in(text):
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", "", text)
    found = {}
    for statement in re.split(r"[;{}]", text):
        match = re.fullmatch(r"\s*(?:extern\s+)?([\w\s\*]+?)\s*\bMPI_(\w+)\s*\((.*)\)\s*", statement, re.S)
        if match and "typedef" not in match.group(1):
            found[match.group(2)] = Prototype(" ".join(match.group(1).split()), match.group(2),
                                              " ".join(match.group(3).split()))
    return found


def read_prototypes(cc):
    return {**prototypes_in(REMOVED), **prototypes_in(preprocess(cc))}


def fortran_symbols(cc):
    """Defined in the Fortran libraries that the compiler wrapper would link; none when the MPI has no Fortran."""
    folders = re.findall(r"-L\s*(\S+)", run([cc, "-show"]))
    is_openmpi = "#define OPEN_MPI " in preprocess(cc, "-dM")
    symbols = set()
    for library in OPENMPI_FORTRAN if is_openmpi else MPICH_FORTRAN:
        found = [pathlib.Path(folder) / f"lib{library}.so" for folder in folders]
        found += [pathlib.Path(run([cc, f"-print-file-name=lib{library}.so"]).strip())]
        for path in found:
            if path.is_absolute() and path.exists():
                symbols.update(line.split()[-1] for line in run(["nm", "-D", "--defined-only", str(path)]).splitlines())
                break
    return symbols
