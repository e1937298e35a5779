/* A plugin whose constructor starts MPI, like an extension of a scripting language. life.c opens it. */
#include <mpi.h>
#include <stddef.h>

static int started;

__attribute__((constructor)) static void start(void) { started = MPI_Init(NULL, NULL) == MPI_SUCCESS; }

int plugin_started(void) { return started; }

void plugin_finish(void) { MPI_Finalize(); }
