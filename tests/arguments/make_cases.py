#!/usr/bin/env python3
"""Writes cases.gen.h: calls of the functions of a message's life with arguments that an MPI may accept or refuse.

Usage: make_cases.py --cc mpicc.X --out FILE

Each case changes one argument of a sound call, or several that belong together (no elements of a null type).
arguments.c makes the calls. CRASHES says which of them are left out, and why.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "base" / "mpi"))
from mpi_header import preprocess, read_prototypes  # noqa: E402

SENDS = """Send Ssend Rsend Bsend Isend Issend Irsend Ibsend Send_init Ssend_init Rsend_init Bsend_init""".split()
RECEIVES = "Recv Irecv Recv_init".split()
EXCHANGES = "Sendrecv Sendrecv_replace".split()  # a refused MPI_Isendrecv leaves half of it under way
PROBES = "Probe Iprobe Mprobe Improbe".split()
MATCHED = "Mrecv Imrecv".split()
COMPLETIONS = "Wait Test Waitall Testall Waitany Testany Waitsome Testsome Request_get_status Start".split()

SOUND = {"buf": "buffer", "sendbuf": "out", "recvbuf": "in", "count": "4", "sendcount": "4", "recvcount": "4",
         "datatype": "MPI_INT", "sendtype": "MPI_INT", "recvtype": "MPI_INT", "dest": "0", "source": "0", "tag": "5",
         "sendtag": "5", "recvtag": "5", "comm": "MPI_COMM_WORLD", "status": "&status", "flag": "&flag",
         "message": "&message", "request": "&request", "array_of_requests": "requests", "incount": "2",
         "outcount": "&number", "index": "&number", "indx": "&number", "array_of_indices": "indices",
         "array_of_statuses": "statuses"}
COUNTS, TYPES = ("count", "sendcount", "recvcount"), ("datatype", "sendtype", "recvtype")
ODD = {"count": ["0", "-1"], "datatype": ["MPI_DATATYPE_NULL", "uncommitted", "released"], "dest": ["-7", "1"],
       "source": ["-7", "1", "MPI_ANY_SOURCE"], "tag": ["-7", "over_largest_tag", "MPI_ANY_TAG"],
       "comm": ["MPI_COMM_NULL"], "buffer": ["NULL"], "status": ["MPI_STATUS_IGNORE"], "message": ["&no_message"]}
OTHER_NAMES = {"ibuf": "buf", "type": "datatype"}  # of Open MPI
# Untraced programs crash or hang in these cases.
CRASHES = {"openmpi": ["released", "_init: .*uncommitted", "_replace: buf NULL", "[Pp]robe: comm MPI_COMM_NULL"],
           "mpich": ["([Bb]send|_init|[Rr]ecv).*released", "[Mm]probe: tag (-7|over_largest_tag)"]}


def kind(name):
    """The entry of ODD for an argument of that name."""
    if name in COUNTS:
        return "count"
    if name in TYPES:
        return "datatype"
    if name in ("buf", "sendbuf", "recvbuf"):
        return "buffer"
    return name.removeprefix("send").removeprefix("recv")


def variants(function, names):
    """Yields for each case the arguments that are not the sound ones."""
    peers = [name for name in names if name in ("dest", "source")]
    nobody = dict.fromkeys(peers, "MPI_PROC_NULL")
    for name in names:
        for value in ODD.get(kind(name), []):
            if name != "message" or function in MATCHED:
                yield {name: value}
    if peers:
        yield nobody
    for count in (name for name in names if name in COUNTS):
        which = count.removesuffix("count")
        datatype = f"{which}type" if which else "datatype"
        buffer = f"{which}buf" if which else "buf"
        for value in ODD["datatype"] + ["MPI_INT"]:
            if datatype not in names:
                continue
            yield {count: "0", datatype: value}
            yield {count: "0", datatype: value, buffer: "NULL"}
            if peers:
                yield {count: "0", datatype: value, **nobody}
                yield {datatype: value, **nobody}


def completions(names):
    """The odd arguments of functions that complete requests, where two requests are null or there is none."""
    yield {}
    for name in names:
        if name in ("status", "array_of_statuses"):
            yield {name: "MPI_STATUS_IGNORE" if name == "status" else "MPI_STATUSES_IGNORE"}
        elif name in ("count", "incount"):
            yield {name: "0"}
            yield {name: "0", "array_of_requests": "NULL"}
            yield {name: "-1"}


def arguments(function, names, odd):
    values = dict(SOUND)
    if function in COMPLETIONS:
        values["count"] = "2"
    if function == "Request_get_status":
        values["request"] = "request"
    if function in RECEIVES + EXCHANGES + MATCHED:
        values["buf"] = "in"
    elif function in SENDS:
        values["buf"] = "out"
    values |= odd
    return [values[name] for name in names]


def cases(mpi, prototypes):
    for prepare, functions in (("sends", SENDS), ("receives", RECEIVES), ("exchanges", EXCHANGES), ("probes", PROBES),
                               ("matched", MATCHED), ("completes", COMPLETIONS)):
        for function in functions:
            if function not in prototypes:
                continue
            names = [OTHER_NAMES.get(name, name) for name in prototypes[function].names]
            for odd in completions(names) if functions is COMPLETIONS else variants(function, names):
                what = f"{function}: " + ", ".join(f"{name} {value}" for name, value in odd.items())
                if any(re.search(pattern, what) for pattern in CRASHES[mpi]):
                    continue
                call = f"MPI_{function}({', '.join(arguments(function, names, odd))})"
                finish = "init" if function.endswith("_init") else "begun" if "request" in names else "done"
                yield f'CASE("{what}", {prepare}, {call}, {finish})'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    mpi = "openmpi" if "#define OPEN_MPI " in preprocess(options.cc, "-dM") else "mpich"
    pathlib.Path(options.out).write_text("\n".join(cases(mpi, read_prototypes(options.cc))) + "\n")


if __name__ == "__main__":
    main()
