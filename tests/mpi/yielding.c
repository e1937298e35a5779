// Linked into the tests' own programs for MPICH. A rank that waits in this MPI asks UCX for news until there are some,
// and never gives its core away; so where there are more ranks than cores, each message takes a time slice of the
// kernel, some four milliseconds. This stands in front of UCX's function, and gives the core away when there was no
// news. Open MPI does so by itself (mpi_yield_when_idle, which the test presets set).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker) {
    static unsigned (*progress)(void*);
    if (!progress) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned news = progress(worker);
    if (news == 0) sched_yield();
    return news;
}
