"""Does in Python what busy.c does: busy_in_python.py nap|compute openmpi|mpich, on two ranks."""
import ctypes
import sys
import time

how, which = sys.argv[1:]
mpi = ctypes.CDLL({"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[which], ctypes.RTLD_GLOBAL)
world = (ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))) if which == "openmpi"
         else ctypes.c_int(0x44000000))
rounds, seconds = 20, 0.1


class Solver:
    def nap(self):
        time.sleep(seconds)

    def compute(self):
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            sum(range(1000))

    def meet(self):
        mpi.MPI_Barrier(world)


def solve(solver):
    for _ in range(rounds):
        if rank.value == 1:
            getattr(solver, how)()
        solver.meet()


mpi.MPI_Init(None, None)
rank = ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
solve(Solver())
mpi.MPI_Finalize()
print("done")
