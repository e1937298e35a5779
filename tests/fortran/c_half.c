/* The C half of a program in two languages. It gets handles from Fortran, and counts its calls in Fortran's table. */
#include "c_calls.h"

#include <stddef.h>

void c_half(MPI_Fint comm_of_fortran, MPI_Fint type_of_fortran, int* numbers);
void c_start(MPI_Fint comm_of_fortran, int* buffer, MPI_Fint* request_of_fortran);

static MPI_Comm own = MPI_COMM_NULL;

/* Calls the C function of the Fortran procedure that frees the communicator with the attribute. */
static int free_own(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return CALLED(MPI_Comm_free)(&own);
}

static void attach_own(MPI_Comm comm) {
    int key;
    CALLED(MPI_Comm_dup)(MPI_COMM_SELF, &own);
    CALLED(MPI_Comm_create_keyval)(MPI_COMM_NULL_COPY_FN, free_own, &key, NULL);
    CALLED(MPI_Comm_set_attr)(comm, key, NULL);
    CALLED(MPI_Comm_free_keyval)(&key);
}

/* The first two numbers are sent to the mirrored rank as one element of the type. The third counts what arrived. */
void c_half(MPI_Fint comm_of_fortran, MPI_Fint type_of_fortran, int* numbers) {
    MPI_Comm comm = CONVERTED(MPI_Comm_f2c)(comm_of_fortran);
    MPI_Datatype type = CONVERTED(MPI_Type_f2c)(type_of_fortran);
    int rank, size, theirs[2] = {-1, -1}, counted;
    CALLED(MPI_Comm_rank)(comm, &rank);
    CALLED(MPI_Comm_size)(comm, &size);
    int other = size - 1 - rank;
    MPI_Status status;
    CALLED(MPI_Sendrecv)(numbers, 1, type, other, 3, theirs, 1, type, other, 3, comm, &status);
    CALLED(MPI_Get_count)(&status, type, &counted);
    numbers[0] = theirs[0];
    numbers[1] = theirs[1];
    numbers[2] = counted;
    attach_own(comm);
}

void c_start(MPI_Fint comm_of_fortran, int* buffer, MPI_Fint* request_of_fortran) {
    MPI_Comm comm = CONVERTED(MPI_Comm_f2c)(comm_of_fortran);
    MPI_Request request;
    CALLED(MPI_Irecv)(buffer, 3, MPI_INT, MPI_ANY_SOURCE, 4, comm, &request);
    *request_of_fortran = CONVERTED(MPI_Request_c2f)(request);
}
