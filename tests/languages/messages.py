#!/usr/bin/python3
"""Uses mpi4py: pickled objects, numpy buffers, threads, persistent messages, one-sided communication, communicators,
errors that become exceptions. mpi4py starts MPI with MPI_THREAD_MULTIPLE when it is imported and ends it when Python
exits."""
import threading

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size


def objects():
    request = world.isend({"from": rank, "text": "x" * 3000}, dest=right, tag=1)
    message = world.mprobe(source=left, tag=1)
    got = message.recv()
    assert got == {"from": left, "text": "x" * 3000}
    request.wait()
    assert world.sendrecv(("tuple", rank), dest=right, source=left) == ("tuple", left)
    assert world.bcast([1, 2, rank] if rank == 0 else None) == [1, 2, 0]
    assert world.allgather(rank) == list(range(size))
    assert world.allreduce(str(rank)) == "".join(str(i) for i in range(size))
    assert world.scatter([i * i for i in range(size)] if rank == 0 else None) == rank * rank


def buffers():
    mine, theirs = numpy.arange(1000.0) + rank, numpy.empty(1200)
    status = MPI.Status()
    world.Sendrecv(mine, right, 2, theirs, left, 2, status)
    assert status.Get_count(MPI.DOUBLE) == 1000 and status.source == left
    assert (theirs[:1000] == numpy.arange(1000.0) + left).all()
    total = numpy.zeros(1000)
    world.Allreduce(mine, total)
    assert total[0] == size * (size - 1) / 2
    world.Allreduce(MPI.IN_PLACE, total, MPI.MAX)
    requests = [world.Irecv(theirs, left, 3), world.Isend(mine, right, 3)]
    MPI.Request.Waitall(requests)


def persistent():
    mine, theirs = numpy.array([rank, 0]), numpy.zeros(2, dtype=int)
    requests = [world.Send_init(mine, right, 4), world.Recv_init(theirs, left, 4)]
    for turn in range(5):
        mine[1] = turn
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        assert list(theirs) == [left, turn]
    for request in requests:
        request.Free()


def windows():
    memory = numpy.full(4, rank, dtype="i")
    window = MPI.Win.Create(memory, memory.itemsize, comm=world)
    window.Fence()
    window.Put(numpy.array([10 + rank], dtype="i"), right, target=1)
    window.Fence()
    assert list(memory) == [rank, 10 + left, rank, rank]
    window.Free()


def communicators():
    half = world.Split(rank % 2, -rank)
    half.Set_name("half of the world")
    assert half.Get_name() == "half of the world"
    assert half.allreduce(1) == half.size
    half.Free()
    ring = world.Create_cart([size], periods=[True])
    assert ring.Shift(0, 1) == (left, right)
    assert ring.neighbor_allgather(rank) == [left, right]
    ring.Free()


def errors():
    try:
        world.Send(numpy.zeros(1), dest=size + 7)
    except MPI.Exception as error:
        assert error.Get_error_class() == MPI.ERR_RANK
    else:
        raise AssertionError("no exception")


def threads():
    comms = [world.Dup() for _ in range(3)]

    def ring(comm):
        for turn in range(10):
            assert comm.sendrecv(turn, dest=right, source=left) == turn
        comm.Barrier()

    started = [threading.Thread(target=ring, args=(comm,)) for comm in comms]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    for comm in comms:
        comm.Free()


def user_operation():
    def join(left_bytes, right_bytes, _datatype):
        right_bytes[:] = bytes(map(max, left_bytes, right_bytes))
    operation = MPI.Op.Create(join, commute=True)
    mine, highest = bytearray([rank, size - rank]), bytearray(2)
    world.Allreduce([mine, MPI.BYTE], [highest, MPI.BYTE], operation)
    assert list(highest) == [size - 1, size]
    operation.Free()


assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
for part in (objects, buffers, persistent, windows, communicators, errors, threads, user_operation):
    part()
names = world.gather(MPI.COMM_WORLD.Get_name())
if rank == 0:
    print(f"messages: all as it should be on {size} ranks, {set(names)}")
