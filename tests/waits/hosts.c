/* Loaded before a rank: the upper half of four ranks runs on a host of another name. */
#include <stdio.h>
#include <stdlib.h>

int gethostname(char* name, size_t size) {
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL) rank = getenv("PMI_RANK");
    snprintf(name, size, "%s", rank != NULL && atoi(rank) >= 2 ? "slow" : "quick");
    return 0;
}
