/* Messages of bytes that are no whole number of the receive's elements. MPICH refuses those that end inside a basic
 * element of a type with gaps. The receiver says how each receive ended, and what is in its buffer. */
#include "say.h"

enum { most = 4096, room = 65536, tag = 3 };
static unsigned char sent[most], got[room];

static MPI_Datatype committed(MPI_Datatype type) {
    MPI_Type_commit(&type);
    return type;
}

static unsigned long long hash(void) {
    unsigned long long h = 14695981039346656037ull;
    for (int i = 0; i < room; ++i) h = (h ^ got[i]) * 1099511628211ull;
    return h;
}

static void receive(const char* name, MPI_Datatype type, int elements, int bytes, int posted_first) {
    MPI_Status status;
    MPI_Request request;
    int count = -1, elements_got = -1, class = 0;
    memset(got, 0x5a, sizeof got);
    memset(&status, 0, sizeof status);
    int rc;
    if (posted_first) {
        MPI_Irecv(got, elements, type, 0, tag, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        rc = MPI_Wait(&request, &status);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        rc = MPI_Recv(got, elements, type, 0, tag, MPI_COMM_WORLD, &status);
    }
    if (rc != MPI_SUCCESS) { /* then MPICH does not set the status */
        MPI_Error_class(rc, &class);
        say("%s, room for %d, %d bytes: class %d, %016llx", name, elements, bytes, class, hash());
        return;
    }
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements_got);
    say("%s, room for %d, %d bytes: count %d, elements %d, %016llx", name, elements, bytes, count, elements_got,
        hash());
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < most; ++i) sent[i] = (unsigned char)(i * 7 + 1);
    MPI_Datatype three, vector, mixed, resized, chars;
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &mixed);
    MPI_Type_create_resized(MPI_INT, 0, 8, &resized);
    MPI_Type_contiguous(3, MPI_CHAR, &chars);
    const struct {
        const char* name;
        MPI_Datatype type;
    } types[] = {{"int", MPI_INT},
                 {"double_int", MPI_DOUBLE_INT},
                 {"three ints", committed(three)},
                 {"vector", committed(vector)},
                 {"struct", committed(mixed)},
                 {"resized", committed(resized)},
                 {"chars", committed(chars)}};
    static const int sizes[] = {1, 4, 6, 8, 10, 13, 100, 102, 2060, 2062, 3001};
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
            for (int how = 0; how < 4; ++how) {
                int size;
                MPI_Type_size(types[t].type, &size);
                const int elements = how < 2 ? (sizes[s] + size - 1) / size : 6000 / size; /* just enough, or more */
                if (rank == 1) {
                    receive(types[t].name, types[t].type, elements, sizes[s], how % 2);
                } else if (how % 2) {
                    MPI_Barrier(MPI_COMM_WORLD);
                    MPI_Send(sent, sizes[s], MPI_BYTE, 1, tag, MPI_COMM_WORLD);
                } else { /* may be too large to be sent at once */
                    MPI_Request request;
                    MPI_Isend(sent, sizes[s], MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
                    MPI_Barrier(MPI_COMM_WORLD);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                }
            }
    say_out();
    MPI_Finalize();
    return 0;
}
