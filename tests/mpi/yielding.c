// Linked into the tests' own programs for MPICH. A rank that waits in this MPI asks UCX for news until there are some,
// and never gives its core away; so where there are more ranks than cores, each message takes a time slice of the
// kernel, some four milliseconds. This stands in front of UCX's function, and gives the core away when there was no
// news. A rank that has waited for long sleeps, so that it takes nothing from the ranks that it waits for. Open MPI
// gives its core away by itself (mpi_yield_when_idle, which the test presets set).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { patience = 50 }; // A rank that asks in vain this often sleeps.

// The C library's nanosleep would be a place where the thread can be cancelled.
static void sleep_a_while(void) {
    static const struct timespec a_while = {.tv_nsec = 50000};
    const int before = errno;
    syscall(SYS_nanosleep, &a_while, NULL);
    errno = before;
}

unsigned ucp_worker_progress(void* worker) {
    static unsigned (*progress)(void*);
    static __thread int asked_in_vain;
    if (!progress) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned news = progress(worker);
    if (news != 0) {
        asked_in_vain = 0;
    } else if (++asked_in_vain < patience) {
        sched_yield();
    } else {
        sleep_a_while();
    }
    return news;
}
