#!/usr/bin/env python3
"""Writes the tables of the functions and predefined handles of one flavor of MPI.

Usage: generate.py --flavor openmpi|mpich|abi --out DIR

DIR/pmpi.gen.hpp            the functions as a struct of pointers
DIR/handles.gen.hpp         the predefined handles as a struct
DIR/handle_symbols.gen.inc  those that are objects of the library, by symbol, and whether every version has them
DIR/handle_values.gen.inc   those that are numbers, by value
DIR/handle_types.gen.inc    the datatypes among them, by name
"""
import argparse
import pathlib

from flavor import functions_of, handles_of

MADE = "// Made by base/mpi/generate.py from a header in base/mpi/flavors.\n"


def member(name):
    """MPI_2INT is no name for a member once its MPI_ is gone."""
    return f"_{name}" if name[0].isdigit() else name


def write_functions(out, prototypes):
    pointers = "".join(f"    {p.result} (*{n})({', '.join(p.parameters)});\n" for n, p in sorted(prototypes.items()))
    (out / "pmpi.gen.hpp").write_text(f"{MADE}struct Pmpi {{\n{pointers}}};\n")


def write_handles(out, handles):
    members = "".join(f"    MPI_{kind} {member(name)};\n" for kind, name, _, _ in handles)
    rows = "".join(f'    {{"{symbol}", &handle.{member(name)}, {"true" if always else "false"}}},\n' if symbol else ""
                   for _, name, symbol, always in handles)
    values = "".join("" if symbol else f"    handle.{member(name)} = MPI_{name};\n" for _, name, symbol, _ in handles)
    types = "".join(f'    {{"MPI_{name}", &handle.{member(name)}}},\n' for kind, name, _, _ in handles
                    if kind == "Datatype" and name not in ("DATATYPE_NULL",))
    (out / "handles.gen.hpp").write_text(f"{MADE}struct Handles {{\n{members}}};\n")
    (out / "handle_symbols.gen.inc").write_text(MADE + rows)
    (out / "handle_values.gen.inc").write_text(MADE + values)
    (out / "handle_types.gen.inc").write_text(MADE + types)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--flavor", "--out"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    out = pathlib.Path(options.out)
    write_functions(out, functions_of(options.flavor))
    write_handles(out, handles_of(options.flavor))


if __name__ == "__main__":
    main()
