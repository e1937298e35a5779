// The C++ bindings, which MPI-3 removed and both MPIs still have: inline functions over C, with trampolines for
// callbacks.
#include "check.h"
#include <cstring>

namespace {

void add(const void* in, void* in_out, int length, const MPI::Datatype& type) {
    CHECK(type.Get_size() == static_cast<int>(sizeof(int)));
    for (int i = 0; i < length; i++) static_cast<int*>(in_out)[i] += static_cast<const int*>(in)[i];
}

void messages() {
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    int mine[3] = {rank, 1, 2}, theirs[4] = {-1, -1, -1, -1};
    MPI::Status status;
    MPI::Request request = MPI::COMM_WORLD.Isend(mine, 3, MPI::INT, (rank + 1) % size, 1);
    MPI::COMM_WORLD.Probe(MPI::ANY_SOURCE, 1, status);
    CHECK(status.Get_count(MPI::INT) == 3);
    MPI::COMM_WORLD.Recv(theirs, 4, MPI::INT, MPI::ANY_SOURCE, MPI::ANY_TAG, status);
    CHECK(status.Get_source() == (rank + size - 1) % size && status.Get_tag() == 1);
    CHECK(theirs[0] == status.Get_source() && theirs[3] == -1);
    request.Wait();
    MPI::Prequest repeated = MPI::COMM_WORLD.Send_init(mine, 2, MPI::INT, (rank + 1) % size, 2);
    for (int i = 0; i < 3; i++) {
        repeated.Start();
        MPI::COMM_WORLD.Recv(theirs, 4, MPI::INT, (rank + size - 1) % size, 2);
        repeated.Wait();
    }
    repeated.Free();
}

void collectives() {
    int mine = MPI::COMM_WORLD.Get_rank(), sum = -1;
    const int size = MPI::COMM_WORLD.Get_size();
    MPI::Op op;
    op.Init(add, true);
    MPI::COMM_WORLD.Allreduce(&mine, &sum, 1, MPI::INT, op);
    CHECK(sum == size * (size - 1) / 2);
    op.Free();
    MPI::COMM_WORLD.Bcast(&sum, 1, MPI::INT, 0);
    MPI::COMM_WORLD.Barrier();
}

void communicators() {
    MPI::Intracomm half = MPI::COMM_WORLD.Split(MPI::COMM_WORLD.Get_rank() % 2, 0);
    half.Set_name("half");
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    half.Get_name(name, length);
    CHECK(length == 4 && std::strcmp(name, "half") == 0);
    half.Set_errhandler(MPI::ERRORS_RETURN);
    half.Free();
}

} // namespace

int main(int argc, char** argv) {
    MPI::Init(argc, argv);
    messages();
    collectives();
    communicators();
    say_done("bindings");
    MPI::Finalize();
}
