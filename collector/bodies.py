"""What a wrapper does, shape by shape, and how each argument is written in C and in Fortran.

A body is C++ with {placeholders}. {enter} makes the Call, {invoke} calls the MPI inside it and defines rc, and {starts}
numbers the request that a starting or persistent function made. Every kind in a function's row of trace/functions.txt
is a placeholder for that argument, as a value of the C type, whatever the language.
"""

SLOT = "    StatusSlot slot{{{status}}};\n"
GOOD = "    if (call.good(rc)) "
DONE = "    if (rc == MPI_SUCCESS) "
OUT = "    Outgoing out{{call, {comm}, {dest}, {tag}, {data}, Mode::{mode}}};\n"
OUT_OF_SENDRECV = "    OutgoingOfSendrecv out{{call, {comm}, {dest}, {tag}, {source}, {data}}};\n"
IN = "    Incoming in{{call, {comm}, {source}, {data}, Mode::{mode}}};\n"
IN_OF_SENDRECV = "    Incoming in{{call, {comm}, {source}, {rdata}, Mode::{mode}}};\n"
IN_MATCHED = "    Incoming in{{matched_message(call, before), {data}, Mode::{mode}}};\n"
BOTH = "    Exchanged both{{call, {comm}, {dest}, {tag}, {source}, {data}, Mode::{mode}}};\n"
PROBED = "repair_probed(call, *slot, {comm})"


def moving(statement):
    return "{enter}{invoke}" + GOOD + "{{\n        " + statement + "\n        {starts}\n    }}\n"


def beginning(message, statement, kind, message_buffer):
    """The body of a call that starts a message whose request is known even when the call is not recorded."""
    return ("{enter}" + message + "{invoke}" + DONE + "{{\n        if (call.recorded()) " + statement +
            "\n        {begins}(call, {request}, RequestKind::" + kind + ", " + message_buffer + ");\n    }}\n")


MOVES = "note_moved(call, {count}, {type});"


# The bodies by (shape, mode), or by shape alone for all its other modes.
BODIES = {
    "local": moving(""),
    ("send", "blocking"): "{enter}" + OUT + "{invoke}    out.sent(call);\n" + GOOD + MOVES + "\n",
    "send": beginning(OUT, MOVES, "plain", "out.release()"),
    ("receive", "blocking"): "{enter}" + SLOT + IN + "{invoke}    rc = in.arrive(call, rc, *slot);\n" + GOOD +
                             "note_received(call, slot, {type});\n",
    "receive": beginning(IN, "note_posted(call, {type});", "receive", "in.release()"),
    ("sendrecv", "blocking"): "{enter}" + SLOT + OUT + IN_OF_SENDRECV +
                              "{invoke}    out.sent(call);\n    rc = in.arrive(call, rc, *slot);\n" + GOOD +
                              "note_exchanged(call, {count}, {type}, slot);\n",
    "sendrecv": beginning(OUT_OF_SENDRECV + IN_OF_SENDRECV, MOVES, "receive",
                          "{source} == MPI_PROC_NULL ? out.release() : in.release()"),
    ("replace", "blocking"): "{enter}" + SLOT + BOTH + "{invoke}    rc = both.arrive(call, rc, *slot);\n" + GOOD +
                             "note_exchanged(call, {count}, {type}, slot);\n",
    "replace": beginning(BOTH, MOVES, "receive", "both.release()"),
    "partitioned_send": moving(MOVES),
    "partitioned_receive": moving("note_posted(call, {type});"),
    "probe": "{enter}" + SLOT + "{invoke}" + DONE + PROBED + ";\n" + GOOD + "note_probed(call, slot);\n",
    "probe_try": "{enter}" + SLOT + "{invoke}" + DONE + "{flag} && " + PROBED + ";\n" + GOOD +
                 "{flag} ? note_probed(call, slot) : call.missed();\n",
    "match": "{enter}" + SLOT + "{invoke}" + DONE + "note_matched(call, slot, {message}, " + PROBED + ", {comm});\n",
    "match_try": "{enter}" + SLOT + "{invoke}" + DONE +
                 "{flag} ? note_matched(call, slot, {message}, " + PROBED + ", {comm}) : call.missed();\n",
    ("matched_receive", "blocking"): "    const MPI_Message before = {message};\n{enter}" + SLOT + IN_MATCHED +
                                     "{invoke}    rc = in.arrive(call, rc, *slot);\n"
                                     "    if ({message} != before)\n"
                                     "        note_matched_receive(call, rc, slot, {type}, before);\n",
    "matched_receive": "    const MPI_Message before = {message};\n{enter}" + IN_MATCHED + "{invoke}" + DONE +
                       "start_matched_receive(call, {request}, {type}, before, in.release());\n",
    "buffer_attach": "{enter}    AttachedBuffer room{{call, {owner}, {buf}, {size}}};\n{invoke}    "
                     "room.attached(rc);\n",
    "buffer_detach": "{enter}{invoke}" + DONE +
                     "give_back_detached(call, {owner}, {place}, {sizeplace}, sizeof *{sizeplace});\n",
    "start": "{enter}    start_prepared(call, {on_array}, 1);\n{invoke}"
             "    if (rc != MPI_SUCCESS) undo_starts(call, {on_array}, 1);\n",
    "startall": "{enter}    start_prepared(call, {requests}, {count});\n{invoke}"
                "    if (rc != MPI_SUCCESS) undo_starts(call, {requests}, {count});\n",
    "ready": "{enter}{invoke}" + GOOD + "note_request(call, {on}, PartitionRange{{{{{partition}, {partition}}}}});\n",
    "ready_range": "{enter}{invoke}" + GOOD + "note_request(call, {on}, PartitionRange{{{{{first}, {last}}}}});\n",
    "ready_list": "{enter}{invoke}" + GOOD + "note_request(call, {on}, partition_ranges({list}, {count}));\n",
    "arrived": "{enter}{invoke}" + GOOD +
               "{flag} ? note_request(call, {on}, PartitionRange{{{{{partition}, {partition}}}}}) : call.missed();\n",
    "cancel": "{enter}{invoke}" + GOOD + "note_request(call, {on}, {{}});\n",
    "get_status": "{enter}" + SLOT + "{invoke}" + DONE + "{flag} ? saw_complete(call, {on}, *slot) : call.missed();\n",
    "get_status_any": "{enter}" + SLOT + "    Batch batch{{call, {count}, {requests}, slot.get()}};\n{invoke}" + DONE +
                      "batch.saw_any({flag}, {index}, *slot);\n",
    "get_status_all": "{enter}    Batch batch{{call, {count}, {requests}, {statuses}}};\n{invoke}" + DONE +
                      "batch.saw_all({flag});\n",
    "get_status_some": "{enter}    Batch batch{{call, {count}, {requests}, {statuses}}};\n{invoke}" + DONE +
                      "batch.saw_some({outcount}, {indices});\n",
    "wait": "{enter}" + SLOT + "    Batch batch{{call, 1, {on_array}, slot.get()}};\n{invoke}    rc = batch.one(rc, "
                               "true, *slot);\n",
    "test": "{enter}" + SLOT + "    Batch batch{{call, 1, {on_array}, slot.get()}};\n{invoke}"
            "    rc = batch.one(rc, rc == MPI_SUCCESS && {flag}, *slot);\n",
    "waitall": "{enter}    Batch batch{{call, {count}, {requests}, {statuses}}};\n{invoke}    rc = batch.all(rc, "
               "true);\n",
    "testall": "{enter}    Batch batch{{call, {count}, {requests}, {statuses}}};\n{invoke}"
               "    rc = batch.all(rc, rc == MPI_SUCCESS && {flag});\n",
    "waitany": "{enter}" + SLOT + "    Batch batch{{call, {count}, {requests}, slot.get()}};\n{invoke}"
               "    rc = batch.any(rc, true, {index}, *slot);\n",
    "testany": "{enter}" + SLOT + "    Batch batch{{call, {count}, {requests}, slot.get()}};\n{invoke}"
               "    rc = batch.any(rc, rc == MPI_SUCCESS && {flag}, {index}, *slot);\n",
    "waitsome": "{enter}    Batch batch{{call, {count}, {requests}, {statuses}}};\n{invoke}"
                "    rc = batch.some(rc, has_statuses(rc) ? {outcount} : 0, {indices});\n",
    "request_free": "    const MPI_Request before = {on};\n{enter}    FreedRequest freed{{call, before}};\n"
                    "{invoke}" + DONE + "note_freed(call, before, freed);\n",
    "barrier": moving(""),
    "broadcast": moving("broadcast(call, {{nullptr, {count}, {type}}}, {root});"),
    "allreduce": moving("note_moved(call, {count}, {type});"),
    "gather": moving("gather(call, {{{sbuf}, {scount}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}}, {root});"),
    "scatter": moving("scatter(call, {{{sbuf}, {scount}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}}, {root});"),
    "exchange": moving("exchange(call, {{{sbuf}, {scount}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}});"),
    "gatherv": moving("gatherv(call, {comm}, {{{sbuf}, {scount}, {stype}}}, {{{rcounts}, {rtype}}}, {root});"),
    "scatterv": moving("scatterv(call, {comm}, {{{scounts}, {stype}}}, {{{rbuf}, {rcount}, {rtype}}}, {root});"),
    "allgatherv": moving("allgatherv(call, {comm}, {{{sbuf}, {scount}, {stype}}}, {{{rcounts}, {rtype}}});"),
    "alltoallv": moving("alltoallv(call, {comm}, {sbuf}, {{{scounts}, {stype}}}, {{{rcounts}, {rtype}}});"),
    "alltoallw": moving("alltoallw(call, {comm}, {sbuf}, {{{scounts}, {stypes}}}, {{{rcounts}, {rtypes}}});"),
    "reduce_scatter": moving("reduce_scatter(call, {comm}, {{{rcounts}, {type}}});"),
    "neighbor_exchange": moving("note_moved(call, {scount}, {stype});"),
    "neighbor_allgatherv": moving("neighbor_allgatherv(call, {comm}, {{{sbuf}, {scount}, {stype}}}, "
                                  "{{{rcounts}, {rtype}}});"),
    "neighbor_alltoallv": moving("neighbor_alltoallv(call, {comm}, {{{scounts}, {stype}}}, {{{rcounts}, {rtype}}});"),
    "neighbor_alltoallw": moving("neighbor_alltoallw(call, {comm}, {{{scounts}, {stypes}}}, {{{rcounts}, {rtypes}}});"),
    ("comm_make", "starting"): "{enter}{invoke}" + GOOD + "start_comm(call, {comm}, {newcomm_place}, {request});\n",
    "comm_make": "{enter}{invoke}" + GOOD + "define_comm(call, Function::{name}, {comm}, {newcomm}, {tag});\n",
    "comm_from_group": "{enter}{invoke}" + DONE + "made_from_group(call, {newcomm});\n",
    "comm_free": "    const MPI_Comm before = {freed};\n    const auto retired = comms.retire(before);\n"
                 "{disconnects}{enter}{invoke}"
                 "    rc == MPI_SUCCESS ? comms.forget(before) : comms.restore(before, retired);\n",
    "type_free": "    forget_type({freedtype});\n{enter}{invoke}",
    "comm_name": "{enter}{invoke}" + GOOD + "name_comm(call, {comm}, {text});\n",
    "window_make": "{enter}{invoke}" + GOOD +
                   "define_object(call, Function::{name}, windows, Kind::window, key_of({newwin}), {comm}, {{}});\n",
    "window_free": "    const auto key = key_of({freedwin});\n    const auto object = windows.retire(key);\n"
                   "{enter}{invoke}    if (rc != MPI_SUCCESS) windows.restore(key, object);\n",
    "window_try": "{enter}{invoke}" + GOOD + "if (!({flag})) call.missed();\n",
    "window_group": "{enter}{invoke}" + GOOD + "note_group(call, {group});\n",
    "window_fence": "{enter}{invoke}" + GOOD + "note_fence(call, {assertion});\n",
    "put": moving("note_moved(call, {count}, {type});"),
    "file_open": "{enter}{invoke}" + GOOD +
                 "define_object(call, Function::{name}, files, Kind::file, key_of({newfile}), {comm}, {text});\n",
    "file_close": "    const auto key = key_of({freedfile});\n    const auto object = files.retire(key);\n"
                  "{enter}{invoke}    if (rc != MPI_SUCCESS) files.restore(key, object);\n",
    "file_read": moving("note_moved(call, {count}, {type});"),
    "init": "    if (takes_over_vt_initialize()) {took_over};\n"
            "    RaisedEagerLimits raised{{options_of_run()}};\n{enter}{invoke}"
            "    raised.restore();\n    if (rc == MPI_SUCCESS) initialized(call);\n",
    "session_init": "{enter}{invoke}" + DONE + "mpi_session_begins();\n",
    "session_finalize": "{enter}    mpi_session_ends();\n{invoke}",
    "pcontrol": "{enter}{invoke}    profiling_level({level});\n",
    # The file is closed before the MPI ends the job, because MPI_Abort does not return.
    "abort": "{enter}    if (session != nullptr) session->close(Ending::abort);\n{invoke}",
}
ALIKE = {"reduce": "broadcast", "scan": "allreduce", "testsome": "waitsome", "comm_parent": "comm_make", "get": "put",
         "update": "put",
         "file_write": "file_read", "init_thread": "init", "window": "local", "file": "local", "file_done": "local",
         "finalize": "local"}


# These collectives are occasions for VT_SYNC_PERIOD when they are on MPI_COMM_WORLD.
COLLECTIVE = {"barrier", "broadcast", "reduce", "allreduce", "scan", "gather", "scatter", "exchange", "gatherv",
              "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter"}
PERIODIC = "    if (clocks_are_periodic.load(std::memory_order_relaxed)) [[unlikely]] after_collective(call, {comm});\n"


def body_of(shape, mode, kinds):
    if shape in ("file_read", "file_write") and "status" in kinds:
        return "{enter}" + SLOT + "{invoke}" + GOOD + "note_transferred(call, slot, {type});\n"
    if shape in ("send", "receive") and "partitions" in kinds:
        shape = "partitioned_" + shape
    if shape == "sendrecv" and "rbuf" not in kinds:
        shape = "replace"
    if shape == "get_status" and "requests" in kinds:
        shape += "_any" if "index" in kinds else "_some" if "outcount" in kinds else "_all"
    collective = shape in COLLECTIVE and mode == "blocking"
    named = shape
    shape = ALIKE.get(shape, shape)
    body = BODIES.get((shape, mode)) or BODIES[shape]
    if not collective:
        return body
    rooted = ", {root}" if "root" in kinds else ""
    collective_delay = (f"    CollectiveDelay collective_delay{{{{call, {{comm}}, pattern_of(Shape::{named})" + rooted +
                        "}};\n")
    return body.replace("{invoke}", collective_delay + "{invoke}    collective_delay.settle();\n") + PERIODIC


# How the arguments that bodies use are written as values. {n} is the parameter's name.
C_EXPRESSIONS = {
    **{kind: "{n}" for kind in ("comm", "type", "stype", "rtype", "dest", "source", "root", "tag", "target", "count",
                                "scount", "rcount",
                                "partitions", "partition", "first", "last", "list", "sbuf", "rbuf", "scounts",
                                "rcounts", "group", "assertion", "status", "statuses", "buf", "size", "place",
                                "sizeplace")},
    "win": "{n}", "file": "{n}", "session": "BufferOwner::of_session(key_of({n}))",
    "stypes": "c_types({n})", "rtypes": "c_types({n})", "requests": "c_requests({n})", "on_array": "c_requests({n})",
    "request": "*{n}", "newcomm": "*{n}", "newwin": "*{n}", "newfile": "*{n}", "outcount": "*{n}", "flag": "*{n} != 0",
    "message": "handle_or({n}, handle.MESSAGE_NULL)", "freed": "handle_or({n}, handle.COMM_NULL)",
    "freedtype": "handle_or({n}, handle.DATATYPE_NULL)",
    "freedwin": "handle_or({n}, handle.WIN_NULL)", "freedfile": "handle_or({n}, handle.FILE_NULL)",
    "index": "{n} != nullptr ? *{n} : -1", "indices": "IndexArray{{{n}, 0}}", "name": "c_text({n})",
    "newcomm_place": "{{{n}, false}}", "level": "{n}",
}
FORTRAN_EXPRESSIONS = {
    **{kind: "*{n}" for kind in ("dest", "source", "root", "tag", "target", "count", "scount", "rcount", "partition",
                                 "first", "last", "outcount", "partitions", "assertion")},
    **{kind: "type_of(*{n})" for kind in ("type", "stype", "rtype", "freedtype")},
    **{kind: "comm_of(*{n})" for kind in ("comm", "newcomm", "freed")},
    **{kind: "request_of(*{n})" for kind in ("request", "on")},
    **{kind: "win_of(*{n})" for kind in ("win", "newwin", "freedwin")},
    **{kind: "file_of(*{n})" for kind in ("file", "newfile", "freedfile")},
    **{kind: "fortran_types({n})" for kind in ("stypes", "rtypes")},
    **{kind: "fortran_requests({n})" for kind in ("requests", "on_array")},
    "scounts": "{n}", "rcounts": "{n}", "list": "{n}", "group": "group_of(*{n})", "message": "message_of(*{n})",
    "status": "fortran_status({n})", "statuses": "fortran_statuses({n})", "flag": "*{n} != 0", "index": "*{n} - 1",
    "indices": "IndexArray{{{n}, 1}}", "name": "fortran_text({n}, {n}_length)", "newcomm_place": "{{{n}, true}}",
    "sbuf": "fortran_buffer({n})", "rbuf": "fortran_buffer({n})", "buf": "fortran_buffer({n})", "size": "*{n}",
    "place": "{n}", "sizeplace": "{n}", "level": "*{n}",
    "session": "BufferOwner::of_session(key_of(pmpi.Session_f2c(*{n})))",
}


def c_expression(kind, name, declaration):
    if kind == "on":  # by value where the MPI will not change it
        return f"handle_or({name}, handle.REQUEST_NULL)" if "*" in declaration else name
    return C_EXPRESSIONS[kind].format(n=name)


def fortran_expression(kind, name, by_descriptor):
    if kind in ("buf", "sbuf", "rbuf") and by_descriptor:
        return f"fortran_section_address({name})"
    return FORTRAN_EXPRESSIONS[kind].format(n=name)


# Which message object replaces an argument, by the argument's kind. Its data travels with a header before it.
def message_of(shape, kinds):
    if "buf" not in kinds or shape not in ("send", "receive", "matched_receive", "sendrecv"):
        return {}
    if shape != "sendrecv":
        return dict.fromkeys(("buf", "count", "type"), "out" if shape == "send" else "in")
    if "rbuf" not in kinds:
        return dict.fromkeys(("buf", "count", "type", "dest"), "both")
    return {**dict.fromkeys(("buf", "count", "type", "dest"), "out"),
            **dict.fromkeys(("rbuf", "rcount", "rtype"), "in")}


def data_of(values, names, by_descriptor):
    """The C++ expression for the application's data. A Fortran descriptor may need a temporary datatype while it is
    read."""
    buffer, count, type_ = names
    if by_descriptor:
        return (f"FortranSection{{{values[buffer]}, fortran_section_address({values[buffer]}), "
                f"{values[count]}, {values[type_]}}}.data()")
    return f"Data{{{values[buffer]}, {values[count]}, {values[type_]}}}"
