#!/usr/bin/env python3
"""Writes the wrappers of one flavor of MPI from its header in base/mpi/flavors and trace/functions.txt.

Usage: generate.py --table functions.txt --flavor openmpi|mpich|abi --out DIR

DIR/wrappers.gen.hpp  the wrappers' prototypes, and how many there are
DIR/wrappers.gen.cpp  a wrapper for every C function
DIR/fortran.gen.cpp   a wrapper for every Fortran procedure that an MPI of this flavor may have
DIR/entries.gen.inc   the name and the wrapper of every C function
DIR/entries.gen.S     the exported names: each jumps through a table that the set-up fills
A function of the header that the table lacks is an error, and so is a row whose kinds do not fit the prototype.
"""
import argparse
import pathlib
import re
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / folder) for folder in ("trace", "base/mpi")]
from bodies import body_of, c_expression, message_of, data_of, fortran_expression  # noqa: E402
from flavor import functions_of, procedures_of  # noqa: E402
from functions import mode_of, read_table  # noqa: E402

MADE = "// Made by collector/generate.py from a header in base/mpi/flavors and from trace/functions.txt.\n"


def moves_nothing(shape, values):
    """Whether a record of the call has nothing but its function, its place and its times."""
    return shape == "local" and not {"comm", "request"} & set(values)


def repeating(name, shape, values, statements):
    """Makes a call that equals the one before it by these statements, which leave the RepeatedCall."""
    if not moves_nothing(shape, values):
        return ""
    return (f"    RepeatedCall again;\n"
            f"    if (Lane* const lane = again.begin(Function::{name}, TACTUS_CALLER)) {{\n{statements}    }}\n")


def entering(name, shape, values):
    """The line that makes the Call: on a communicator, with a peer or root, on a window, or on a file."""
    made = f"    Call call{{Function::{name}, TACTUS_CALLER"
    if moves_nothing(shape, values):
        return made + ", LocalFunction{}};\n"
    if "win" in values:
        return made + f", windows.find(key_of({values['win']}))" + (f", {values['target']}" if "target" in values
                                                                    else "") + "};\n"
    if "file" in values:
        return made + f", files.find(key_of({values['file']}))}};\n"
    if "freedwin" in values or "freedfile" in values:
        return made + ", object};\n"
    if "comm" not in values:
        return made + "};\n"
    peer = next((values[kind] for kind in ("dest", "source", "root") if kind in values), None)
    tag = values["tag"] if "tag" in values and peer is not None else None
    return made + "".join(f", {value}" for value in (values["comm"], peer, tag) if value is not None) + "};\n"


def fill(name, shape, kinds, values, invoke, by_descriptor=False):
    mode = mode_of(name, kinds)
    values = {"comm": "handle.COMM_NULL", "tag": "0", "count": "1", **values}
    message = message_of(shape, kinds)
    if message:
        values["data"] = data_of(values, ("buf", "count", "type"), by_descriptor)
    if "rbuf" in message:
        values["rdata"] = data_of(values, ("rbuf", "rcount", "rtype"), by_descriptor)
    if "partitions" in values and "count" in values:
        values["count"] = f"{values['partitions']} * {values['count']}"
    kind = "receive" if shape == "receive" else "plain"
    starts = {"blocking": "", "starting": f"start_request(call, {values.get('request')}, RequestKind::{kind});",
              "persistent": f"prepare_request(call, {values.get('request')}, RequestKind::{kind});"}[mode]
    given = {k: v for k, v in values.items() if k != "name"}
    if shape in ("buffer_attach", "buffer_detach"):
        of_comm = f"BufferOwner::of_comm(key_of({values['comm']}))" if "comm" in kinds else "BufferOwner{}"
        given["owner"] = values.get("session", of_comm)
    if shape == "buffer_attach" and values["buf"].startswith("fortran_"):
        given["buf"] = f"fortran_attached({values['buf']})"
    begins = "start_request" if mode == "starting" else "prepare_request"
    disconnects = "    await_kept_requests(before);\n" if name == "Comm_disconnect" else ""
    text = body_of(shape, mode, kinds).format(name=name, text=values.get("name"), starts=starts, begins=begins,
                                              disconnects=disconnects, mode=mode, invoke=invoke, **given)
    return re.sub(r"    if \(call\.good\(rc\)\) \{\s*\}\n", "", re.sub(r" +\n", "", text))


def c_wrapper(flavor, prototype, shape, kinds):
    name = prototype.name
    if kinds and len(kinds) != len(prototype.names):
        sys.exit(f"functions.txt: MPI_{name} has {len(prototype.names)} parameters, its row has {len(kinds)} kinds")
    values = {kind: c_expression(kind, n, p) for kind, n, p in zip(kinds, prototype.names, prototype.parameters)
              if kind != "-"}
    if flavor == "abi" and "partitions" in values and "count" in values:
        # Programs that were compiled with the ABI header of MPICH 5.0.2 pass an int, and anything above it.
        values["count"] = f"static_cast<MPI_Count>(static_cast<int>({values['count']}))"
    for kind, n in zip(kinds, prototype.names):
        if kind == "on":
            values["on_array"] = c_expression("on_array", n, "")
        if kind == "newcomm":
            values["newcomm_place"] = c_expression("newcomm_place", n, "")
    given = {"status": "slot.get()", "statuses": "batch.statuses()", **replaced(shape, kinds, C_REPLACED)}
    kinds_or_none = kinds or ["-"] * len(prototype.names)
    arguments = ", ".join(given.get(kind, n).format(n=n) if uses(shape, kind) else n
                          for kind, n in zip(kinds_or_none, prototype.names))
    # An int is a return code, but that of MPI_Comm_toint is the handle's number.
    leave = "left" if prototype.result == "int" and not name.endswith("_toint") else "left_with"
    invoke = f"    {prototype.result} rc = call.{leave}(onward.{name}({arguments}));\n"
    values["took_over"] = "return " + ("pmpi.Query_thread(provided)" if shape == "init_thread" else "MPI_SUCCESS")
    body = fill(name, shape, kinds, {"enter": entering(name, shape, enter_values(shape, values)), **values}, invoke)
    onward = f"onward.{name}({', '.join(prototype.names)})"
    if name.endswith(("_f2c", "_c2f")):
        passed_on = f"    if (thread.procedure != no_function) return {onward};\n"
    else:
        passed_on = (f"    if (thread.procedure == Function::{name}) [[unlikely]] {{\n"
                     f"        const InsideProcedure inside{{Function::{name}}};\n        return {onward};\n    }}\n")
    again = repeating(name, shape, values, f"        return again.{leave}(lane, {onward});\n")
    return f"{prototype.declaration('traced_' + name)} {{\n{again}{passed_on}{body}    return rc;\n}}\n"


# What a wrapper gives the MPI in place of an argument, by the argument's kind.
C_REPLACED = {"buf": "{message}.buffer({{n}})", "count": "{message}.count({{n}})", "type": "{message}.type({{n}})",
              "dest": "{message}.dest({{n}})", "on": "freed.given({{n}})",
              "size": "room.size({{n}})", "room": "room.buffer({{n}})"}
FORTRAN_REPLACED = {**C_REPLACED, "type": "{message}.fortran_type({{n}})", "on": "freed.fortran_given({{n}})"}


def replaced(shape, kinds, texts):
    if shape == "buffer_attach":
        return {"buf": texts["room"].format(), "size": texts["size"].format()}
    if shape == "request_free":
        return {"on": texts["on"].format()}
    return {kind: texts[kind if kind in texts else kind[1:]].format(message=message) if kind != "rbuf"
            else texts["buf"].format(message=message)
            for kind, message in message_of(shape, kinds).items()}


def uses(shape, kind):
    """Whether the wrapper of that shape looks at an argument of that kind. Some wrappers ignore statuses."""
    return kind not in ("status", "statuses") or shape != "file_done"


def enter_values(shape, values):
    """The values for entering(). The tag of MPI_Intercomm_create is no part of an envelope, so it is left out."""
    return {k: v for k, v in values.items() if k != "tag" or shape not in ("comm_make",)}


def fortran_wrapper(procedure, prototype, shape, kinds):
    """`procedure` is the MPI's symbol, such as mpi_send_ or mpi_send_f08ts_."""
    parameters = prototype.fortran_parameters()
    if "argc" in prototype.names:  # Fortran has no argc and argv. No such function has kinds.
        parameters = [p for p in parameters if p.name not in ("argc", "argv")]
    texts = [p.name for p in parameters if p.is_text]
    by_descriptor = procedure.endswith(("_f08ts_", "_f08ts_large_", "_fts_"))
    values = {kind: fortran_expression(kind, p.name, by_descriptor) for kind, p in zip(kinds, parameters)
              if kind != "-"}
    for kind, p in zip(kinds, parameters):
        if kind in message_of(shape, kinds) and kind in ("buf", "rbuf") and by_descriptor:
            values[kind] = p.name
        if kind == "on":
            values["on_array"] = fortran_expression("on_array", p.name, False)
        if kind == "newcomm":
            values["newcomm_place"] = fortran_expression("newcomm_place", p.name, False)
    if "_f08" in procedure:
        values = {kind: value.replace("fortran_requests(", "f08_requests(") for kind, value in values.items()}
    subroutine = prototype.result == "int"
    declared = [f"{p.type} {p.name}" for p in parameters] + (["MPI_Fint* ierror"] if subroutine else [])
    declared += [f"std::size_t {n}_length" for n in texts]
    ways = FORTRAN_REPLACED
    if by_descriptor:
        ways = {**ways, "buf": "{message}.descriptor_for({{n}})", "room": "room.descriptor_for({{n}})"}
    given = {"status": "slot.fortran()", "statuses": "batch.fortran_statuses()", **replaced(shape, kinds, ways)}
    kinds_or_none = kinds or ["-"] * len(parameters)
    arguments = [given.get(kind, p.name).format(n=p.name) if uses(shape, kind) else p.name
                 for kind, p in zip(kinds_or_none, parameters)]
    arguments += (["ierror"] if subroutine else []) + [f"{n}_length" for n in texts]
    called = [f"Fortran::{procedure}", f"Function::{prototype.name}", *arguments]
    mpi = f"call_original<decltype(&traced_{procedure})>({', '.join(called)})"
    # MPI_Pcontrol has no ierror, but both MPIs' procedures take one: whatever is in its place is passed on.
    if shape == "pcontrol":
        head, tail, again = "", "", ""
        invoke = f"    {mpi};\n    [[maybe_unused]] const int rc = call.left(MPI_SUCCESS);\n"
    elif subroutine:
        head = "    MPI_Fint code = MPI_SUCCESS;\n    if (ierror == nullptr) ierror = &code;\n"
        invoke = f"    {mpi};\n    [[maybe_unused]] int rc = call.left(*ierror);\n"
        again = f"        {mpi};\n        again.left(lane, *ierror);\n        return;\n"
        tail = ""
    else:
        head, tail = "", "    return rc;\n"
        invoke = f"    const {prototype.result} rc = call.left_with({mpi});\n"
        again = f"        return again.left_with(lane, {mpi});\n"
    status = "pmpi.Query_thread(provided)" if shape == "init_thread" else "MPI_SUCCESS"
    values["took_over"] = f"return void(*ierror = {status})"
    enter = entering(prototype.name, shape, enter_values(shape, values))
    body = fill(prototype.name, shape, kinds, {"enter": enter, **values}, invoke, by_descriptor)
    if subroutine and "    rc = " in body:
        tail = "    *ierror = rc;\n"
    result = "void" if subroutine else prototype.result
    again = repeating(prototype.name, shape, values, again)
    return f"{result} traced_{procedure}({', '.join(declared)}) {{\n{head}{again}{body}{tail}}}\n"


def write_entries(out, names, procedures):
    """C functions first, then Fortran procedures, each under every spelling that the MPI's libraries have. Their
    profiling names (PMPI_*, pmpi_*) follow in the same order."""
    entries = [(f"MPI_{n}", [], f"PMPI_{n}", []) for n in names]
    entries += [(p.symbol, p.spellings, f"p{p.symbol}", p.profiling_spellings) for p in procedures]
    lines, count = [], len(entries)
    for first, symbol, spellings in ((0, 0, 1), (count, 2, 3)):
        for i, entry in enumerate(entries, first):
            lines.append(f"entry {i}, {entry[symbol]}\n")
            lines += [f"alias {entry[symbol]}, {other}\n" for other in entry[spellings] if other != entry[symbol]]
    slots = "".join(f"    .quad first_{i}\n" for i in range(2 * count))
    (out / "entries.gen.S").write_text(
        f'#include "entry.S"\n.cfi_startproc\n{"".join(lines)}.cfi_endproc\n\n'
        ".data\n.balign 8\n.globl tactus_entries\n.hidden tactus_entries\n"
        ".hidden tactus_probe_entry\n.globl tactus_probe_entry\n.set tactus_probe_entry, MPI_Comm_rank\n"
        f".type tactus_entries, %object\n.size tactus_entries, {16 * count}\ntactus_entries:\n{slots}\n"
        '.section .note.GNU-stack, "", %progbits\n')


def main():
    parser = argparse.ArgumentParser()
    for option in ("--table", "--flavor", "--out"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    out = pathlib.Path(options.out)
    prototypes = functions_of(options.flavor)
    table = {name: (shape, kinds) for name, shape, kinds in read_table(options.table)}
    missing = sorted(set(prototypes) - set(table))
    if missing:
        sys.exit(f"trace/functions.txt lacks functions of this flavor: "
                 f"{', '.join('MPI_' + name for name in missing)}; append a row for each")
    names = sorted(prototypes)  # the order of Pmpi's members
    procedures = procedures_of(options.flavor, prototypes)

    declarations = "".join(f"{prototypes[n].declaration('traced_' + n)};\n" for n in names)
    enumerators = "".join(f"    {p.symbol},\n" for p in procedures)
    (out / "wrappers.gen.hpp").write_text(
        f"{MADE}constexpr std::size_t entry_count = {len(names)};\n"
        f"enum class Fortran : std::size_t {{\n{enumerators}}};\n"
        f"constexpr std::size_t fortran_count = {len(procedures)};\n"
        f'extern "C" {{\n{declarations}}}\n')
    (out / "entries.gen.inc").write_text(
        MADE + "".join(f'    {{"MPI_{n}", reinterpret_cast<void*>(&traced_{n})}},\n' for n in names))

    bodies = "\n".join(c_wrapper(options.flavor, prototypes[n], *table[n]) for n in names)
    (out / "wrappers.gen.cpp").write_text(
        f'{MADE}#include "collector/wrapping.hpp"\n\nusing namespace tactus;\n\nextern "C" {{\n\n{bodies}\n}}\n')
    bodies = "\n".join(fortran_wrapper(p.symbol, prototypes[p.function], *table[p.function]) for p in procedures)
    rows = "".join(f'    {{"{p.symbol}", reinterpret_cast<void*>(&traced_{p.symbol})}},\n' for p in procedures)
    (out / "fortran.gen.cpp").write_text(
        f'{MADE}#include "collector/wrapping.hpp"\n\nusing namespace tactus;\n\nextern "C" {{\n\n{bodies}\n}}\n'
        f'\nconst Entry tactus::fortran_list[fortran_count + 1] = {{\n{rows}    {{nullptr, nullptr}}}};\n')
    write_entries(out, names, procedures)


if __name__ == "__main__":
    main()
