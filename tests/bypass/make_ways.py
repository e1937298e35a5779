#!/usr/bin/env python3
"""Writes ways.gen.h: the functions of a message's life as an MPI's own header declares them.

Usage: make_ways.py --cc mpicc.X --out FILE

    FUNCTIONS(X)   X(name) for each function, such as X(Send)
    struct calls   a pointer to each function
    WRAPPERS(BODY) a definition of MPI_name for each, whose body is BODY(name, (arguments))
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "base" / "mpi"))
from mpi_header import read_prototypes  # noqa: E402

FUNCTIONS = """Send Ssend Rsend Bsend Isend Issend Irsend Ibsend Send_init Ssend_init Rsend_init Bsend_init
Recv Irecv Recv_init Sendrecv Sendrecv_replace Start Startall
Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_get_status
Probe Iprobe Mprobe Improbe Mrecv Imrecv
Cancel Test_cancelled Request_free Get_count Get_elements Buffer_attach Buffer_detach
Pack Unpack Pack_size""".split()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    prototypes = read_prototypes(options.cc)
    chosen = [prototypes[name] for name in FUNCTIONS]
    lines = ["#include <mpi.h>", "#define FUNCTIONS(X) " + " ".join(f"X({p.name})" for p in chosen), "struct calls {"]
    lines += [f"    {p.declaration(f'(*{p.name})')};" for p in chosen]
    lines += ["};", "#define WRAPPERS(BODY) \\"]
    lines += [f"    {p.declaration(f'MPI_{p.name}')} {{ BODY({p.name}, ({', '.join(p.names)})) }} \\" for p in chosen]
    pathlib.Path(options.out).write_text("\n".join(lines) + "\n\n")


if __name__ == "__main__":
    main()
