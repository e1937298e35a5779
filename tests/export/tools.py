"""OTF2 archives as other tools write them, made with OTF2's library after the tools' public definitions. Each is two
processes in which rank 0 sends a message; what a trace has no record for stands beside it."""
import otf2
from otf2.enums import GroupType, Paradigm, ParameterType, Type

US = 10**3  # in nanoseconds


class Archive:
    """An archive of two processes on one node."""

    def __init__(self, folder, resolution=10**9):
        self.whole = otf2.writer.open(str(folder), timer_resolution=resolution)

    def __enter__(self):
        archive = self.whole.__enter__()
        define = self.define = archive.definitions
        node = define.system_tree_node("machine")
        node = define.system_tree_node("n1", class_name="node", parent=node)
        self.groups = [define.location_group(f"Process {rank}", system_tree_parent=node) for rank in range(2)]
        self.places = [define.location("Master thread", group=group) for group in self.groups]
        self.writers = [archive.event_writer_from_location(place) for place in self.places]
        return self

    def __exit__(self, *what):
        return self.whole.__exit__(*what)

    def world(self):
        members = tuple(self.places)
        self.define.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=members)
        group = self.define.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=members)
        return self.define.comm("MPI_COMM_WORLD", group=group)

    def region(self, name, **more):
        return self.define.region(name, **more)

    def message(self, world, begin=100 * US):
        send, receive = self.region("MPI_Send"), self.region("MPI_Recv")
        self.writers[0].enter(begin, send)
        self.writers[0].mpi_send(begin + US, 1, world, 7, 64)
        self.writers[0].leave(begin + 5 * US, send)
        self.writers[1].enter(begin, receive)
        self.writers[1].mpi_recv(begin + 9 * US, 0, world, 7, 64)
        self.writers[1].leave(begin + 9 * US, receive)


def score_p(folder):
    """Score-P 8: program events, parameters, OpenMP's forks, one-sided operations, metrics of the resource usage."""
    with Archive(folder) as archive:
        world, main = archive.world(), archive.region("main", source_file="heat.c", begin_line_number=3)
        window = archive.define.rma_win("window", comm=world)
        clock = archive.define.metric("ru_utime", unit="us", value_type=Type.UINT64)
        for writer in archive.writers:
            writer.program_begin(10 * US, "heat", [])
            writer.enter(20 * US, main)
            writer.parameter_int(21 * US, archive.define.parameter("step", ParameterType.INT64), 4)
            writer.metric(22 * US, clock, 5)
            writer.thread_fork(30 * US, Paradigm.OPENMP, 2)
            writer.thread_join(40 * US, Paradigm.OPENMP)
            writer.rma_win_create(50 * US, window)
            writer.rma_put(51 * US, window, 0, 8, 1)
            writer.rma_win_destroy(52 * US, window)
        archive.message(world)
        for writer in archive.writers:
            writer.leave(200 * US, main)
            writer.program_end(210 * US, 0)
    return {"calls": 2, "regions": {"main": 2}, "messages": 1,
            "not said": {"beginnings and ends of the program": 4, "parameters of regions": 2,
                         "events of threads and their teams": 4, "events of one-sided operations": 6}}


def score_p_unwinding(folder):
    """Score-P with SCOREP_ENABLE_UNWINDING: calling contexts in place of regions, and samples."""
    with Archive(folder) as archive:
        world = archive.world()
        main = archive.define.calling_context(archive.region("main"), archive.define.source_code_location("a.c", 3),
                                              None)
        interrupt = archive.define.interrupt_generator("timer", period=1000)
        for writer in archive.writers:
            writer.calling_context_enter(20 * US, main, 1)
            writer.calling_context_sample(30 * US, main, 1, interrupt)
        archive.message(world)
        for writer in archive.writers:
            writer.calling_context_leave(200 * US, main)
    return {"calls": 2, "regions": {"main": 2}, "messages": 1, "not said": {"samples of call stacks": 2}}


def tau(folder):
    """TAU's otf2 back end: its timers' names have braces, and the clock has microseconds."""
    with Archive(folder, resolution=10**6) as archive:
        world, main = archive.world(), archive.region("int main(int, char **) C [{heat.c} {3,1}-{20,1}]")
        for writer in archive.writers:
            writer.enter(1, main)
        archive.message(world)  # in microseconds
        for writer in archive.writers:
            writer.leave(200 * US, main)
    return {"calls": 2, "regions": {"int main(int, char **) C [{heat.c} {3,1}-{20,1}]": 2}, "messages": 1,
            "not said": {}}


def lo2s(folder):
    """lo2s: processes without MPI, one location a thread and one a CPU, call stacks as samples, metrics."""
    with Archive(folder) as archive:
        context = archive.define.calling_context(archive.region("solve"), archive.define.source_code_location("a.c", 9),
                                                 None)
        interrupt = archive.define.interrupt_generator("perf", period=1000)
        cycles = archive.define.metric("cycles", unit="#", value_type=Type.UINT64)
        for writer in archive.writers:
            for step in range(10):
                writer.calling_context_sample(step * 100 * US, context, 2, interrupt)
                writer.metric(step * 100 * US, cycles, step * 1000)
    return {"calls": 0, "regions": {}, "messages": 0, "not said": {"samples of call stacks": 20}}


def extrae(folder):
    """Extrae's traces after conversion: user events as metrics, several of them at one stamp, then MPI."""
    with Archive(folder) as archive:
        world = archive.world()
        counters = [archive.define.metric(f"PAPI_{name}", unit="#", value_type=Type.UINT64) for name in ("CYC", "INS")]
        for writer in archive.writers:
            for step in range(20):
                for counter in counters:
                    writer.metric(step * US, counter, step)
        archive.message(world)
    return {"calls": 2, "regions": {}, "messages": 1, "not said": {}}


def nothing(folder):
    """A process without events."""
    with Archive(folder):
        pass
    return {"calls": 0, "regions": {}, "messages": 0, "not said": {}}


tools = {"nothing": nothing, "Score-P": score_p, "Score-P with unwinding": score_p_unwinding, "TAU": tau, "lo2s": lo2s,
         "Extrae": extrae}
