"""OTF2 archives as another tool would write them: threads end requests that other threads began."""
import random
import re

import otf2
from otf2.enums import GroupType, Paradigm

ranks, threads = 2, 3


class Requests:
    """The numbers of a rank's requests. Tools count, or take the MPI's handles, which are used again at once."""

    def __init__(self, used_again):
        self.free, self.count, self.used_again = [], 0, used_again

    def new(self):
        if self.free:
            return self.free.pop()
        self.count += 1
        return self.count

    def over(self, number):
        if self.used_again:
            self.free.append(number)


def made(seed, used_again, messages):
    """Makes up calls that begin or end a request, in the order of time: a list of (rank, thread, what, tag, request).
    Here a barrier has a tag, too."""
    chance, numbers = random.Random(seed), [Requests(used_again) for _ in range(ranks)]
    steps, open_requests = [], []
    waiting = [(sender, tag) for tag in range(messages) for sender in [chance.randrange(ranks)]]
    barriers = iter(range(messages, messages + 10))

    def begin(rank, kind, tag):
        request = numbers[rank].new()
        steps.append((rank, chance.randrange(threads), f"begin {kind}", tag, request))
        open_requests.append((rank, kind, tag, request))

    while waiting or open_requests:
        if waiting and chance.random() < 0.5:
            sender, tag = waiting.pop()
            begin(1 - sender, "receive", tag)
            begin(sender, "send", tag)
            if chance.random() < 0.1 and (barrier := next(barriers, None)) is not None:
                for rank in range(ranks):
                    begin(rank, "barrier", barrier)
        elif open_requests:
            rank, kind, tag, request = open_requests.pop(chance.randrange(len(open_requests)))
            numbers[rank].over(request)
            steps.append((rank, chance.randrange(threads), f"end {kind}", tag, request))
    return steps


def write(folder, steps, ticks_a_call=10):
    """Writes the archive. A call lasts three quarters of the time to the next one, in ticks of a microsecond."""
    with otf2.writer.open(str(folder), timer_resolution=10**6) as archive:
        define = archive.definitions
        node = define.system_tree_node("node")
        groups = [define.location_group(f"rank {rank}", system_tree_parent=node) for rank in range(ranks)]
        places = [[define.location(f"thread {thread}", group=group) for thread in range(threads)] for group in groups]
        first = tuple(of_rank[0] for of_rank in places)
        define.group("locations", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=first)
        world = define.comm("MPI_COMM_WORLD", group=define.group("world", group_type=GroupType.COMM_GROUP,
                                                                 paradigm=Paradigm.MPI, members=first))
        names = {"begin send": "MPI_Isend", "begin receive": "MPI_Irecv", "begin barrier": "MPI_Ibarrier"}
        for number, (rank, thread, what, tag, request) in enumerate(steps, 1):
            writer = archive.event_writer_from_location(places[rank][thread])
            region = define.region(names.get(what, "MPI_Wait"))
            begin, end = int(number * ticks_a_call), int((number + 0.75) * ticks_a_call)
            writer.enter(begin, region)
            if what == "begin send":
                writer.mpi_isend(begin, 1 - rank, world, tag, 8, request)
            elif what == "begin receive":
                writer.mpi_irecv_request(begin, request)
            elif what == "begin barrier":
                writer.non_blocking_collective_request(begin, request)
            elif what == "end send":
                writer.mpi_isend_complete(end, request)
            elif what == "end receive":
                writer.mpi_irecv(end, 1 - rank, world, tag, 8, request)
            else:
                writer.non_blocking_collective_complete(end, otf2.enums.CollectiveOp.BARRIER, world,
                                                        0xffffffff, 0, 0, request)
            writer.leave(end, region)


def requests_of(steps):
    """The requests of all ranks: (rank, kind, tag, thread that began it, thread that ended it)."""
    begun = {(rank, what[6:], tag): thread for rank, thread, what, tag, _ in steps if what.startswith("begin")}
    return [(rank, what[4:], tag if what != "end barrier" else 0, begun[rank, what[4:], tag], thread)
            for rank, thread, what, tag, _ in steps if what.startswith("end")]


def requests_in(dump):
    """The same by `tactus dump` of the trace."""
    begun, ended = {}, []
    for line in dump.splitlines():
        found = re.match(r"\S+ rank (\d+) lane (\d+)  MPI_(\w+) .* request (\S+)$", line)
        if not found:
            continue
        rank, thread, function, request = int(found[1]), int(found[2]), found[3], (found[1], found[4])
        tag = int(known[1]) if (known := re.search(r" tag (\d+)", line)) else 0
        if function == "Wait":
            ended.append((request, rank, tag, thread))
        else:
            begun[request] = {"Isend": "send", "Irecv": "receive", "Ibarrier": "barrier"}[function], tag, thread
    requests = []
    for request, rank, tag, thread in ended:
        kind, tag_at_begin, begin = begun.pop(request, ("unknown", -1, -1))
        requests.append((rank, kind, tag if kind == "receive" else tag_at_begin, begin, thread))
    return requests
