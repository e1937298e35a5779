#!/usr/bin/env python3
"""Writes the wrappers of one MPI from its own header and from trace/functions.txt.

Usage: generate.py --table functions.txt --cc mpicc.X --out DIR

DIR/pmpi.gen.hpp      the MPI's functions as a struct of pointers, and the wrappers' prototypes
DIR/handles.gen.hpp   the MPI's predefined handles, by symbol (Open MPI) or by value (MPICH)
DIR/wrappers.gen.cpp  a wrapper for every function whose shape is regular
DIR/entries.gen.S     the exported MPI_* names: each jumps through a table that setup fills
A function of the header that the table lacks is an error, and so is a row whose kinds do not fit the prototype.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "trace"))
from functions import read_table  # noqa: E402


def preprocess(cc, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write("#include <mpi.h>\n")
        source.flush()
        return subprocess.run([cc, "-E", "-P", *flags, source.name], text=True, stdout=subprocess.PIPE, check=True).stdout


class Prototype:
    """int MPI_Send(const void *buf, ...): result type, name without MPI_, parameters as written and their names."""

    def __init__(self, result, name, parameters):
        self.result, self.name = result, name
        self.parameters = [] if parameters.strip() in ("", "void") else [p.strip() for p in parameters.split(",")]
        self.variadic = self.parameters[-1:] == ["..."]
        self.names = [re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", p).group(1) for p in self.parameters if p != "..."]

    def declaration(self, name):
        return f"{self.result} {name}({', '.join(self.parameters)})"


def read_prototypes(cc):
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", "", preprocess(cc))
    found = {}
    for statement in re.split(r"[;{}]", text):
        match = re.fullmatch(r"\s*(?:extern\s+)?([\w\s\*]+?)\s*\bMPI_(\w+)\s*\((.*)\)\s*", statement, re.S)
        if match and "typedef" not in match.group(1):
            found[match.group(2)] = Prototype(" ".join(match.group(1).split()), match.group(2), " ".join(match.group(3).split()))
    return found


def read_handles(cc):
    """Predefined handles as (type, name without MPI_, symbol or None)."""
    wanted = "Comm|Datatype|Request|Group|Op|Errhandler|Message|Win|File|Info"
    handles = []
    for line in preprocess(cc, "-dM").splitlines():
        match = re.match(rf"#define MPI_(\w+) OMPI_PREDEFINED_GLOBAL\(\s*MPI_({wanted})\s*,\s*(\w+)\s*\)", line)
        if match:
            handles.append((match.group(2), match.group(1), match.group(3)))
        match = re.match(rf"#define MPI_(\w+) \(+MPI_({wanted})\)\s*\(?0x\w+\)*$", line)
        if match:
            handles.append((match.group(2), match.group(1), None))
    return sorted(handles)


def member(name):
    """MPI_2INT is no name for a member once its MPI_ is gone."""
    return f"_{name}" if name[0].isdigit() else name


# One body a shape. {kinds} stand for the arguments; {enter} makes the Call, {invoke} calls the MPI inside it.
BODIES = {
    "local": "    {enter}\n    {invoke}\n    return rc;",
    "send": "    {enter}\n    {invoke}\n    if (call.good(rc)) call.moves({count}, {type});\n    return rc;",
    "send_start": "    {enter}\n    {invoke}\n"
    "    if (call.good(rc)) call.starts_send({count}, {type}, {request});\n    return rc;",
    "receive": "    {enter}\n    StatusSlot slot{{{status}}};\n    {invoke}\n"
    "    if (call.good(rc)) call.received(slot, {type});\n    return rc;",
    "receive_start": "    {enter}\n    {invoke}\n    if (call.good(rc)) call.starts_receive({type}, {request});\n    return rc;",
    "sendrecv": "    {enter}\n    StatusSlot slot{{{status}}};\n    {invoke}\n"
    "    if (call.good(rc)) call.exchanged({count}, {type}, slot);\n    return rc;",
    "probe": "    {enter}\n    StatusSlot slot{{{status}}};\n    {invoke}\n    if (call.good(rc)) call.probed(slot);\n    return rc;",
    "probe_try": "    {enter}\n    StatusSlot slot{{{status}}};\n    {invoke}\n"
    "    if (call.good(rc)) *{flag} != 0 ? call.probed(slot) : call.missed();\n    return rc;",
    "request_free": "    const MPI_Request before = handle_or({request}, handle.REQUEST_NULL);\n    {enter}\n    {invoke}\n"
    "    if (call.good(rc)) call.freed(before);\n    return rc;",
    "barrier": "    {enter}\n    {invoke}\n    return rc;",
    "broadcast": "    {enter}\n    {invoke}\n    if (call.good(rc)) broadcast(call, {{nullptr, {count}, {type}}}, {root});\n    return rc;",
    "reduce": "    {enter}\n    {invoke}\n    if (call.good(rc)) broadcast(call, {{nullptr, {count}, {type}}}, {root});\n    return rc;",
    "allreduce": "    {enter}\n    {invoke}\n    if (call.good(rc)) call.moves({count}, {type});\n    return rc;",
    "scan": "    {enter}\n    {invoke}\n    if (call.good(rc)) call.moves({count}, {type});\n    return rc;",
    "gather": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        gather(call, {{{sbuf}, {scount}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}}, {root});\n    return rc;",
    "scatter": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        scatter(call, {{{sbuf}, {scount}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}}, {root});\n    return rc;",
    "exchange": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        exchange(call, {{{sbuf}, {scount}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}});\n    return rc;",
    "gatherv": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        gatherv(call, {comm}, {{{sbuf}, {scount}, {stype}}}, {{{rcounts}, {rtype}}}, {root});\n    return rc;",
    "scatterv": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        scatterv(call, {comm}, {{{scounts}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}}, {root});\n    return rc;",
    "allgatherv": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        allgatherv(call, {comm}, {{{sbuf}, {scount}, {stype}}}, {{{rcounts}, {rtype}}});\n    return rc;",
    "alltoallv": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        alltoallv(call, {comm}, {sbuf}, {{{scounts}, {stype}}}, {{{rcounts}, {rtype}}});\n    return rc;",
    "alltoallw": "    {enter}\n    {invoke}\n    if (call.good(rc))\n"
    "        alltoallw(call, {comm}, {sbuf}, {{{scounts}, {stypes}}}, {{{rcounts}, {rtypes}}});\n    return rc;",
    "reduce_scatter": "    {enter}\n    {invoke}\n    if (call.good(rc)) reduce_scatter(call, {comm}, {{{rcounts}, {type}}});\n    return rc;",
    "comm_make": "    {enter}\n    {invoke}\n    if (call.good(rc)) call.made(Function::{name}, {comm}, *{newcomm}, {tag});\n    return rc;",
    "comm_make_start": "    {enter}\n    {invoke}\n    if (call.good(rc)) call.starts_comm({comm}, {newcomm}, {request});\n    return rc;",
    "comm_free": "    const MPI_Comm before = handle_or({freed}, handle.COMM_NULL);\n    const auto number = comms.retire(before);\n    {enter}\n    {invoke}\n"
    "    if (rc != MPI_SUCCESS) comms.restore(before, number);\n    return rc;",
    "comm_name": "    {enter}\n    {invoke}\n    if (call.good(rc)) call.named({comm}, {name_argument});\n    return rc;",
}
# Shapes whose wrappers are written by hand, in the file named.
BY_HAND = {"init": "start.cpp", "init_thread": "start.cpp", "finalize": "stop.cpp", "abort": "stop.cpp", "pcontrol": "stop.cpp",
           **{shape: "completion.cpp" for shape in ("wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome")}}


def wrapper(prototype, shape, kinds):
    place = {kind: name for kind, name in zip(kinds, prototype.names) if kind != "-"}
    if kinds and len(kinds) != len(prototype.names):
        sys.exit(f"functions.txt: MPI_{prototype.name} has {len(prototype.names)} parameters, its row has {len(kinds)} kinds")
    arguments = list(prototype.names)
    if "status" in place:
        arguments[kinds.index("status")] = "slot.get()"
    who = ", ".join(place[k] for k in ("comm", "dest", "tag") if k in place) if shape in ("send", "send_start", "sendrecv") else (
        ", ".join(place[k] for k in ("comm", "source", "tag") if k in place) if "source" in place else (
            ", ".join(place[k] for k in ("comm", "root") if k in place)))
    enter = f"Call call{{Function::{prototype.name}, TACTUS_CALLER{', ' + who if who else ''}}};"
    leave = "left" if prototype.result == "int" else "left_with"  # only an int is a return code
    invoke = f"const {prototype.result} rc = call.{leave}(pmpi.{prototype.name}({', '.join(arguments)}));"
    fill = {"tag": "0", "name": prototype.name, "name_argument": place.get("name"), **{k: v for k, v in place.items() if k != "name"}}
    return f"{prototype.declaration('traced_' + prototype.name)} {{\n{BODIES[shape].format(enter=enter, invoke=invoke, **fill)}\n}}\n"


def main():
    parser = argparse.ArgumentParser()
    for option in ("--table", "--cc", "--out"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    out = pathlib.Path(options.out)
    prototypes, table = read_prototypes(options.cc), {name: (shape, kinds) for name, shape, kinds in read_table(options.table)}
    missing = sorted(set(prototypes) - set(table))
    if missing:
        sys.exit(f"trace/functions.txt lacks functions of this MPI's mpi.h: {', '.join('MPI_' + name for name in missing)}; append a row for each")
    names = [name for name in table if name in prototypes]

    made = "// Made by collector/generate.py from this MPI's mpi.h and trace/functions.txt.\n"
    pointers = "".join(f"    {p.result} (*{n})({', '.join(p.parameters)});\n" for n in names for p in [prototypes[n]])
    declarations = "".join(f"{prototypes[n].declaration('traced_' + n)};\n" for n in names)
    listed = "".join(f'    {{"MPI_{n}", reinterpret_cast<void*>(&traced_{n})}},\n' for n in names)
    (out / "pmpi.gen.hpp").write_text(
        f"{made}struct Pmpi {{\n{pointers}}};\nconstexpr std::size_t entry_count = {len(names)};\n"
        f'extern "C" {{\n{declarations}}}\n')
    (out / "entries.gen.inc").write_text(f"{made}{listed}")

    handles = read_handles(options.cc)
    members = "".join(f"    MPI_{kind} {member(name)};\n" for kind, name, _ in handles)
    rows = "".join(f'    {{"{symbol}", &handle.{member(name)}}},\n' if symbol else "" for _, name, symbol in handles)
    values = "".join("" if symbol else f"    handle.{member(name)} = MPI_{name};\n" for _, name, symbol in handles)
    types = "".join(f'    {{"MPI_{name}", &handle.{member(name)}}},\n' for kind, name, _ in handles
                    if kind == "Datatype" and name not in ("DATATYPE_NULL",))
    (out / "handles.gen.hpp").write_text(f"{made}struct Handles {{\n{members}}};\n")
    (out / "handle_symbols.gen.inc").write_text(made + rows)
    (out / "handle_values.gen.inc").write_text(made + values)
    (out / "handle_types.gen.inc").write_text(made + types)

    bodies = "\n".join(wrapper(prototypes[n], *table[n]) for n in names if table[n][0] not in BY_HAND)
    (out / "wrappers.gen.cpp").write_text(
        f'{made}#include "collector/call.hpp"\n#include "collector/collectives.hpp"\n\nusing namespace tactus;\n\nextern "C" {{\n\n{bodies}\n}}\n')

    jumps = "".join(f"entry {i}, MPI_{n}\n" for i, n in enumerate(names))
    slots = "".join(f"    .quad first_{i}\n" for i in range(len(names)))
    (out / "entries.gen.S").write_text(
        f'#include "collector/entry.S"\n{jumps}\n.data\n.balign 8\n.globl tactus_entries\n.hidden tactus_entries\n'
        ".hidden tactus_probe_entry\n.globl tactus_probe_entry\n.set tactus_probe_entry, MPI_Comm_rank\n"
        f".type tactus_entries, @object\n.size tactus_entries, {8 * len(names)}\ntactus_entries:\n{slots}\n"
        '.section .note.GNU-stack, "", @progbits\n')


if __name__ == "__main__":
    main()
