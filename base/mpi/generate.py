#!/usr/bin/env python3
"""Writes the tables of one MPI's functions and predefined handles, from its own header.

Usage: generate.py --cc mpicc.X --out DIR

DIR/pmpi.gen.hpp            the functions as a struct of pointers
DIR/handles.gen.hpp         the predefined handles as a struct
DIR/handle_symbols.gen.inc  those that are objects of the library (Open MPI), by symbol
DIR/handle_values.gen.inc   those that are numbers (MPICH), by value
DIR/handle_types.gen.inc    the datatypes among them, by name
"""
import argparse
import pathlib

from mpi_header import read_handles, read_prototypes

MADE = "// Made by base/mpi/generate.py from this MPI's mpi.h.\n"


def member(name):
    """MPI_2INT is no name for a member once its MPI_ is gone."""
    return f"_{name}" if name[0].isdigit() else name


def write_functions(out, prototypes):
    pointers = "".join(f"    {p.result} (*{n})({', '.join(p.parameters)});\n" for n, p in sorted(prototypes.items()))
    (out / "pmpi.gen.hpp").write_text(f"{MADE}struct Pmpi {{\n{pointers}}};\n")


def write_handles(out, handles):
    members = "".join(f"    MPI_{kind} {member(name)};\n" for kind, name, _ in handles)
    rows = "".join(f'    {{"{symbol}", &handle.{member(name)}}},\n' if symbol else "" for _, name, symbol in handles)
    values = "".join("" if symbol else f"    handle.{member(name)} = MPI_{name};\n" for _, name, symbol in handles)
    types = "".join(f'    {{"MPI_{name}", &handle.{member(name)}}},\n' for kind, name, _ in handles
                    if kind == "Datatype" and name not in ("DATATYPE_NULL",))
    (out / "handles.gen.hpp").write_text(f"{MADE}struct Handles {{\n{members}}};\n")
    (out / "handle_symbols.gen.inc").write_text(MADE + rows)
    (out / "handle_values.gen.inc").write_text(MADE + values)
    (out / "handle_types.gen.inc").write_text(MADE + types)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--cc", "--out"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    out = pathlib.Path(options.out)
    write_functions(out, read_prototypes(options.cc))
    write_handles(out, read_handles(options.cc))


if __name__ == "__main__":
    main()
