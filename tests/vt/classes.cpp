// The C++ classes of VT.h, run plain and traced. expected.txt lists what the trace of two ranks contains.
#include <VT.h>
#include <cstdio>
#include <mpi.h>
#include <stdexcept>

namespace {

VT_FuncDef step_definition("step", "solver"); // before MPI_Init, so it is defined at its first use

void step() {
    VT_SCL_DEF_CXX(here);
    const VT_Function whole(step_definition, here);
    VT_Region part("first half", "solver:step");
    MPI_Barrier(MPI_COMM_WORLD);
    part.end();
    part.begin("second half", "solver:step", __FILE__, __LINE__);
    MPI_Barrier(MPI_COMM_WORLD);
}

void fail() {
    const VT_Function function("fail", "solver", __FILE__, __LINE__);
    throw std::runtime_error("on purpose");
}

} // namespace

int main(int argc, char** argv) {
    { const VT_Function too_early(step_definition); }
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) step();
    for (int i = 0; i < 2; i++) try {
            const VT_Region around("around", "solver");
            fail();
        } catch (const std::runtime_error&) {
        }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    const VT_Region too_late("late", "solver");
    if (rank == 0) std::puts("done");
}
