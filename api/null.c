/* libVT: VT.h without a tracer. Every function does nothing and succeeds. The functions of a preloaded collector take
 * their place. */
#include "api/VT.h"
#include "api/fortran.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double start;

/* The rank that the launcher put into the environment; -1: none did. */
static int rank_by_launcher(void) {
    /* As base/options/launched_by.cpp has it. Slurm tells a rank in a step alone. */
    static const char* const names[] = {
        "OMPI_COMM_WORLD_RANK", "PMI_RANK",           "PMIX_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID", "ALPS_APP_PE",
        "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "PMI_ID",    "SLURM_PROCID"};
    const size_t count = sizeof names / sizeof *names - (getenv("SLURM_STEP_ID") == NULL ? 1 : 0);
    for (size_t i = 0; i < count; i++) {
        const char* const text = getenv(names[i]);
        if (text != NULL && *text != '\0') return atoi(text);
    }
    return -1;
}

/* Users of Intel's collector preload libVT. Says once that this does not trace. */
static void explain_preload(void) {
    const char* const preload = getenv("LD_PRELOAD");
    if (preload == NULL || strstr(preload, "libVT") == NULL || strstr(preload, "libtactus-") != NULL) return;
    const int rank = rank_by_launcher();
    if (rank > 0 || (rank < 0 && dlsym(RTLD_DEFAULT, "MPI_Init") == NULL)) return;
    fputs("tactus: LD_PRELOAD names libVT, which records nothing: write `tactus run mpirun ...`, or preload "
          "libtactus-openmpi.so, libtactus-mpich.so or libtactus-abi.so\n",
          stderr);
}

__attribute__((constructor)) static void note_start(void) {
    start = seconds();
    explain_preload();
}

static int give(int* result, int value) {
    if (result != NULL) *result = value;
    return VT_OK;
}

double VT_timestamp(void) { return seconds(); }
double VT_timestart(void) { return start; }
int VT_version(void) { return VT_VERSION; }
int VT_getrank(int* rank) {
    const int known = rank_by_launcher();
    return give(rank, known < 0 ? 0 : known);
}
int VT_getthrank(int* index) { return give(index, 0); }
int VT_getthreadid(int* index) { return give(index, 0); }
int VT_tracestate(int* state) { return give(state, 2); }

#pragma GCC diagnostic ignored "-Wunused-parameter"
int VT_initialize(int* argc, char*** argv) { return VT_OK; }
int VT_finalize(void) { return VT_OK; }
int VT_abort(void) { return VT_OK; }
int VT_timesync(void) { return VT_OK; }
int VT_flush(void) { return VT_OK; }
int VT_traceon(void) { return VT_OK; }
int VT_traceoff(void) { return VT_OK; }
int VT_registerthread(int index) { return VT_OK; }
int VT_registernamed(const char* name, int index) { return VT_OK; }
int VT_classdef(const char* classname, int* classhandle) { return give(classhandle, 0); }
int VT_funcdef(const char* symname, int classhandle, int* statehandle) { return give(statehandle, 0); }
int VT_symdef(int statehandle, const char* symname, const char* activity) { return VT_OK; }
int VT_scldef(const char* file, int line, int* sclhandle) { return give(sclhandle, 0); }
int VT_thisloc(int sclhandle) { return VT_OK; }
int VT_begin(int statehandle) { return VT_OK; }
int VT_end(int statehandle) { return VT_OK; }
int VT_beginl(int statehandle, int sclhandle) { return VT_OK; }
int VT_endl(int statehandle, int sclhandle) { return VT_OK; }
int VT_begin_unordered(int statehandle) { return VT_OK; }
int VT_end_unordered(int statehandle) { return VT_OK; }
int VT_enter(int statehandle, int sclhandle) { return VT_OK; }
int VT_leave(int sclhandle) { return VT_OK; }
int VT_scopedef(const char* scopename, int classhandle, int scl1, int scl2, int* scopehandle) {
    return give(scopehandle, 0);
}
int VT_scopebegin(int scopehandle, int scl, int* seqnr) { return give(seqnr, 0); }
int VT_scopeend(int scopehandle, int seqnr, int scl) { return VT_OK; }
int VT_countdef(const char* name, int classhandle, int flags, int target, const void* bounds, const char* unit,
                int* counthandle) {
    return give(counthandle, 0);
}
int VT_countval(int ncounters, const int* handles, const void* values) { return VT_OK; }
int VT_log_comment(const char* comment) { return VT_OK; }
int VT_log_sendmsg(int other_rank, int count, int tag, int commid, int sclhandle) { return VT_OK; }
int VT_log_recvmsg(int other_rank, int count, int tag, int commid, int sclhandle) { return VT_OK; }
int VT_log_msgevent(int sender, int receiver, ...) { return VT_OK; }
int VT_log_opevent(int opid, ...) { return VT_OK; }
int VT_countsetcallback(VT_CountCallback_t callback, void* custom, int ncounters) { return VT_OK; }
int VT_groupdef(const char* name, int number_of_members, int* members, int* grouphandle) {
    return give(grouphandle, VT_GROUP_PROCESS);
}
int VT_sclstack(void* pc, void* stackframe, int skip, int trace, int* sclhandle) { return give(sclhandle, VT_NOSCL); }
int VT_clientinit(int procid, const char* clientname, const char** contact) {
    if (contact != NULL) *contact = "";
    return VT_OK;
}
int VT_serverinit(const char* servername, int numcontacts, const char** contacts, const char** contact) {
    if (contact != NULL) *contact = "";
    return VT_OK;
}

double vttimestamp_(void) { return seconds(); }
double vttimestart_(void) { return start; }
int vtversion_(void) { return VT_VERSION; }
void vtinitialize_(int* ierr) { *ierr = VT_OK; }
void vtfinalize_(int* ierr) { *ierr = VT_OK; }
void vtabort_(int* ierr) { *ierr = VT_OK; }
void vtgetrank_(int* rank, int* ierr) { *ierr = VT_getrank(rank); }
void vttimesync_(int* ierr) { *ierr = VT_OK; }
void vtflush_(int* ierr) { *ierr = VT_OK; }
void vttraceon_(int* ierr) { *ierr = VT_OK; }
void vttraceoff_(int* ierr) { *ierr = VT_OK; }
void vttracestate_(int* state, int* ierr) { *ierr = give(state, 2); }
void vtregisterthread_(const int* index, int* ierr) { *ierr = VT_OK; }
void vtregisternamed_(const char* name, const int* index, int* ierr, size_t name_size) { *ierr = VT_OK; }
void vtgetthrank_(int* index, int* ierr) { *ierr = give(index, 0); }
void vtclassdef_(const char* name, int* handle, int* ierr, size_t name_size) { *ierr = give(handle, 0); }
void vtfuncdef_(const char* name, const int* classhandle, int* handle, int* ierr, size_t name_size) {
    *ierr = give(handle, 0);
}
void vtsymdef_(const int* handle, const char* name, const char* activity, int* ierr, size_t name_size,
               size_t activity_size) {
    *ierr = VT_OK;
}
void vtscldef_(const char* file, const int* line, int* handle, int* ierr, size_t file_size) { *ierr = give(handle, 0); }
void vtthisloc_(const int* scl, int* ierr) { *ierr = VT_OK; }
void vtbegin_(const int* handle, int* ierr) { *ierr = VT_OK; }
void vtend_(const int* handle, int* ierr) { *ierr = VT_OK; }
void vtbeginl_(const int* handle, const int* scl, int* ierr) { *ierr = VT_OK; }
void vtendl_(const int* handle, const int* scl, int* ierr) { *ierr = VT_OK; }
void vtenter_(const int* handle, const int* scl, int* ierr) { *ierr = VT_OK; }
void vtleave_(const int* scl, int* ierr) { *ierr = VT_OK; }
void vtscopedef_(const char* name, const int* classhandle, const int* scl1, const int* scl2, int* handle, int* ierr,
                 size_t name_size) {
    *ierr = give(handle, 0);
}
void vtscopebegin_(const int* handle, const int* scl, int* seqnr, int* ierr) { *ierr = give(seqnr, 0); }
void vtscopeend_(const int* handle, const int* seqnr, const int* scl, int* ierr) { *ierr = VT_OK; }
void vtcountdef_(const char* name, const int* classhandle, const int* flags, const int* target, const void* bounds,
                 const char* unit, int* handle, int* ierr, size_t name_size, size_t unit_size) {
    *ierr = give(handle, 0);
}
void vtcountval_(const int* count, const int* handles, const void* values, int* ierr) { *ierr = VT_OK; }
void vtlogcomment_(const char* text, int* ierr, size_t text_size) { *ierr = VT_OK; }
void vtlogsendmsg_(const int* rank, const int* count, const int* tag, const int* comm, const int* scl, int* ierr) {
    *ierr = VT_OK;
}
void vtlogrecvmsg_(const int* rank, const int* count, const int* tag, const int* comm, const int* scl, int* ierr) {
    *ierr = VT_OK;
}
void vtframedef_(void) {}
void vtframebegin_(void) {}
void vtframeend_(void) {}
void vtthisl_(void) {}
void vtinit_(void) {}
void vtfini_(void) {}
