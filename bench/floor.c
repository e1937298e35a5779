/* The floor tracer: the least that a tracer must do. For each call it reads the processor's counter twice, and writes
 * one 32-byte record into memory that was touched before. It knows the functions that calls.c calls, those that HPCC
 * polls with, and MPI_Wait for LAMMPS. At the end it drops all records. What a real tracer costs beyond this comes from
 * what it does in addition. Only for one thread. */
#define _GNU_SOURCE
#include "read_counter.h"

#include <mpi.h>
#include <stdint.h>
#include <sys/mman.h>

struct Record {
    uint64_t enter, leave;
    uint32_t function, peer, tag, amount;
};

enum { capacity = 1 << 18 }; /* 8 MiB, the most that a thread may have in tactus */

static struct Record* ring;
static uint64_t next;

__attribute__((constructor)) static void touch_all(void) {
    ring =
        mmap(NULL, capacity * sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

static inline int store(uint64_t enter, uint32_t function, int peer, int tag, int amount, int returned) {
    ring[next++ % capacity] =
        (struct Record){enter, read_counter(), function, (uint32_t)peer, (uint32_t)tag, (uint32_t)amount};
    return returned;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    uint64_t enter = read_counter();
    int returned = PMPI_Comm_rank(comm, rank);
    return store(enter, 1, 0, 0, 0, returned);
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    uint64_t enter = read_counter();
    int returned = PMPI_Send(buffer, count, type, to, tag, comm);
    return store(enter, 2, to, tag, count, returned);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    uint64_t enter = read_counter();
    int returned = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    return store(enter, 3, from, tag, count, returned);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    uint64_t enter = read_counter();
    int returned = PMPI_Isend(buffer, count, type, to, tag, comm, request);
    return store(enter, 4, to, tag, count, returned);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    uint64_t enter = read_counter();
    int returned = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
    return store(enter, 5, from, tag, count, returned);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    uint64_t enter = read_counter();
    int returned = PMPI_Waitall(count, requests, statuses);
    return store(enter, 6, 0, 0, count, returned);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    uint64_t enter = read_counter();
    int returned = PMPI_Allreduce(in, out, count, type, op, comm);
    return store(enter, 7, 0, 0, count, returned);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    uint64_t enter = read_counter();
    int returned = PMPI_Iprobe(from, tag, comm, flag, status);
    return store(enter, 8, from, tag, *flag, returned);
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    uint64_t enter = read_counter();
    int returned = PMPI_Testany(count, requests, index, flag, status);
    return store(enter, 9, 0, 0, *flag, returned);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    uint64_t enter = read_counter();
    int returned = PMPI_Test(request, flag, status);
    return store(enter, 10, 0, 0, *flag, returned);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    uint64_t enter = read_counter();
    int returned = PMPI_Wait(request, status);
    return store(enter, 11, 0, 0, 1, returned);
}
