"""The problem of late_sender.c in Python: rank 0 receives what rank 1 sends late."""
import sys
import time

from mpi4py import MPI


def prepare(ms):  # here
    if sys.argv[1] == "sleep":
        time.sleep(1e-3 * ms)  # here
    end = time.thread_time() + 1e-3 * ms
    while sys.argv[1] == "compute" and time.thread_time() < end:
        sum(range(1000))  # here


world = MPI.COMM_WORLD
for step in range(50):
    if world.rank == 1:
        prepare(50)
        world.send(step, dest=0)  # here
    else:
        world.recv(source=1)  # here
