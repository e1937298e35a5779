/* One rank that sends messages to itself, for bench/instructions: to_itself PATTERN ROUNDS [PATTERN ROUNDS...].
 *
 * Everything happens on MPI_COMM_SELF, so that the work of a call does not depend on other processes. Two runs that
 * differ only in the ROUNDS of a pattern differ by the work of these rounds; all else cancels out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { window = 8 };

static char sent[window][8], received[window][8];

static void comm_rank(void) {
    int ignored;
    MPI_Comm_rank(MPI_COMM_SELF, &ignored);
}

/* When a rank sends to itself, MPI_Send of MPICH waits for the receive, so the receive is posted before. */
static void send_recv(void) {
#ifdef MPICH
    MPI_Request request;
    MPI_Irecv(received[0], 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(sent[0], 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Send(sent[0], 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
    MPI_Recv(received[0], 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
#endif
}

static void window_of_8(void) {
    MPI_Request requests[2 * window];
    for (int i = 0; i < window; i++) MPI_Irecv(received[i], 8, MPI_BYTE, 0, i, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < window; i++) MPI_Isend(sent[i], 8, MPI_BYTE, 0, i, MPI_COMM_SELF, &requests[window + i]);
    MPI_Status statuses[2 * window];
    MPI_Waitall(2 * window, requests, statuses);
}

static void allreduce(void) {
    double mine = 1, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void iprobe(void) {
    int flag;
    MPI_Iprobe(0, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

/* The Fortran procedures, by the names that a Fortran compiler gives them. */
void mpi_comm_rank_(int* comm, int* rank, int* ierror);
void mpi_send_(void* buf, int* count, int* type, int* dest, int* tag, int* comm, int* ierror);
void mpi_recv_(void* buf, int* count, int* type, int* source, int* tag, int* comm, int* status, int* ierror);
void mpi_irecv_(void* buf, int* count, int* type, int* source, int* tag, int* comm, int* request, int* ierror);
void mpi_wait_(int* request, int* status, int* ierror);

static int f_self, f_byte, f_error, f_zero = 0, f_one = 1, f_eight = 8, f_status[16];

static void f_comm_rank(void) {
    int ignored;
    mpi_comm_rank_(&f_self, &ignored, &f_error);
}

static void f_send_recv(void) {
#ifdef MPICH
    int request;
    mpi_irecv_(received[0], &f_eight, &f_byte, &f_zero, &f_one, &f_self, &request, &f_error);
    mpi_send_(sent[0], &f_eight, &f_byte, &f_zero, &f_one, &f_self, &f_error);
    mpi_wait_(&request, f_status, &f_error);
#else
    mpi_send_(sent[0], &f_eight, &f_byte, &f_zero, &f_one, &f_self, &f_error);
    mpi_recv_(received[0], &f_eight, &f_byte, &f_zero, &f_one, &f_self, f_status, &f_error);
#endif
}

static const struct Pattern {
    const char* name;
    void (*round)(void);
} patterns[] = {{"comm_rank", comm_rank},    {"send_recv", send_recv}, {"window", window_of_8},
                {"allreduce", allreduce},    {"iprobe", iprobe},       {"f_comm_rank", f_comm_rank},
                {"f_send_recv", f_send_recv}};

static const struct Pattern* find(const char* name) {
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (strcmp(patterns[i].name, name) == 0) return &patterns[i];
    fprintf(stderr, "to_itself: there is no pattern %s\n", name);
    exit(2);
}

int main(int argc, char** argv) {
    if (argc < 3 || argc % 2 == 0) {
        fprintf(stderr, "usage: to_itself PATTERN ROUNDS [PATTERN ROUNDS...]\n");
        return 2;
    }
    for (int i = 1; i < argc; i += 2) find(argv[i]);
    MPI_Init(&argc, &argv);
    f_self = MPI_Comm_c2f(MPI_COMM_SELF);
    f_byte = MPI_Type_c2f(MPI_BYTE);
    for (int i = 1; i < argc; i += 2) {
        const struct Pattern* const pattern = find(argv[i]);
        const long rounds = atol(argv[i + 1]);
        for (long done = 0; done < rounds; done++) pattern->round();
    }
    MPI_Finalize();
    return 0;
}
