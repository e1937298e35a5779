/* Reports what is wrong in the random program. */
#include "context.hpp"

#include <cstdio>
#include <cstdlib>

void fail(const char* what, Where where) {
    std::fprintf(stderr, "%s:%u: %s\nto see it again: mpirun -n %d %s %llu 1\n", where.file_name(),
                 static_cast<unsigned>(where.line()), what, here.size, here.program,
                 static_cast<unsigned long long>(here.seed));
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

void must(int code, Where where) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    fail(text, where);
}

void must_fail(int code, int error_class, Where where) {
    int found = MPI_SUCCESS;
    must(MPI_Error_class(code, &found), where);
    require(found == error_class, "another error than the one that was made", where);
}
