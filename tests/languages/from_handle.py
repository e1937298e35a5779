#!/usr/bin/python3
"""Messages of which one side is made by mpi4py, and the other by functions that ctypes takes from the MPI's library, as
Julia and Rust do, too. Prints what each rank receives."""
import ctypes

from mpi4py import MPI

SIZES = (0, 1, 4, 8, 24, 100, 2048, 2060, 1 << 20)
world = MPI.COMM_WORLD
rank = world.rank
other = 1 - rank
lines = []
library = ctypes.CDLL("libmpi.so.40")


def of_library(name):
    """The address of one of Open MPI's predefined handles, which are objects of its library."""
    return ctypes.byref(ctypes.c_char.in_dll(library, name))


def sends(buffer, size):
    library.MPI_Send(buffer, size, of_library("ompi_mpi_byte"), other, size % 1000, of_library("ompi_mpi_comm_world"))


def receives(buffer, size):
    library.MPI_Recv(buffer, size, of_library("ompi_mpi_byte"), other, size % 1000, of_library("ompi_mpi_comm_world"),
                     None)


def exchange(size):
    """Both ranks send and receive a message twice: with the library on the sender's side, then on the receiver's."""
    text = bytes((7 * i + rank) % 256 for i in range(size))
    got, status = bytearray(size), MPI.Status()
    request = world.Irecv([got, MPI.BYTE], other, size % 1000)
    sends(text, size)
    request.Wait(status)
    lines.append(f"{size} bytes sent by the library: count {status.Get_count(MPI.BYTE)}, sum {sum(got)}")
    got = bytearray(size)
    request = world.Isend([text, MPI.BYTE], other, size % 1000)
    receives((ctypes.c_char * size).from_buffer(got), size)
    request.Wait()
    lines.append(f"{size} bytes received by the library: sum {sum(got)}")


for bytes_of_message in SIZES:
    exchange(bytes_of_message)
for of_rank, told in enumerate(world.gather(lines) or []):
    print("\n".join(f"rank {of_rank}: {line}" for line in told))
