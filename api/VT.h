/* VT.h: how an application tells the tracer what it is doing: regions, scopes, counters, comments.
 *
 * Link with libVT, in which every function does nothing and returns VT_OK. When the collector of tactus is preloaded,
 * its functions take their place, and what the program says here is in the trace between the MPI calls. docs/vt.md has
 * examples.
 *
 * Every function may be called by any thread, and by several at the same time, but not in a signal handler. All work
 * between MPI_Init and MPI_Finalize. Before and after, in a traced run, they return VT_ERR_NOTINITIALIZED and do
 * nothing, unless said otherwise; `tactus report` tells how many calls before MPI_Init did nothing. Pointers for
 * results must not be null unless said otherwise. Handles belong to the process, and 0 is never a handle that was
 * defined. A source location that nobody defined is taken as VT_NOSCL and counted.
 *
 * Fortran: VT.inc. */
#ifndef VT_H
#define VT_H

/* Programs for Intel's library ask whether its version is at least 2090, or at most 3101. */
#define VT_VERSION 3000               /* version of this interface; grows with every change */
#define VT_VERSION_COMPATIBILITY 2000 /* the oldest version that programs may be written for */

/* The results of functions. */
#define VT_OK 0
#define VT_ERR_NOTINITIALIZED (-1) /* before MPI_Init, or after MPI_Finalize */
#define VT_ERR_NOMEMORY (-2)
#define VT_ERR_BADARG (-3)   /* a null pointer, a handle nobody defined, a number out of range */
#define VT_ERR_BADINDEX (-4) /* the number belongs to something else */
#define VT_ERR_NOTOPEN (-5)  /* an end without a beginning */
#define VT_ERR_SPAWNED (-6)  /* does not work in processes that MPI_Comm_spawn made */

#define VT_NOCLASS 0 /* the class "Application", unless the name has a class in it */
#define VT_NOSCL 0   /* no source location */

#define VT_MAX_USERCODE 16777215 /* the largest handle that VT_symdef takes */

/* Communicators, in VT_log_sendmsg and the like. */
#define VT_COMM_WORLD 0
#define VT_COMM_SELF 1

/* Collective operations, in VT_log_opevent. */
#define VT_OP_INVALID 0
#define VT_OP_COUNT 1
#define VT_OP_BARRIER 2
#define VT_OP_BCAST 3
#define VT_OP_GATHER 4
#define VT_OP_GATHERV 5
#define VT_OP_SCATTER 6
#define VT_OP_SCATTERV 7
#define VT_OP_REDUCE 8
#define VT_OP_ALLREDUCE 9
#define VT_OP_REDUCE_SCATTER 10
#define VT_OP_SCAN 11
#define VT_OP_ALLGATHER 12
#define VT_OP_ALLGATHERV 13
#define VT_OP_ALLTOALL 14
#define VT_OP_ALLTOALLV 15

/* Flags of a counter: one of each group, joined with |. */
#define VT_COUNT_INTEGER 0   /* 64 bits as two unsigned of 32, the high half first */
#define VT_COUNT_FLOAT 1     /* double */
#define VT_COUNT_INTEGER64 2 /* 64 bits, signed */
#define VT_COUNT_DATA 0x3    /* mask of the above */
#define VT_COUNT_ABSVAL 0    /* show the values */
#define VT_COUNT_RATE 0x4    /* show their change in time */
#define VT_COUNT_DISPLAY 0x4
#define VT_COUNT_VALID_SAMPLE 0    /* a value is a sample; nothing is known between two values */
#define VT_COUNT_VALID_POINT 0x10  /* a value holds at its instant only */
#define VT_COUNT_VALID_BEFORE 0x20 /* a value has held since the value before */
#define VT_COUNT_VALID_AFTER 0x30  /* a value holds until the next value */
#define VT_COUNT_VALID_MASK 0x30

/* What a counter belongs to. */
#define VT_ME 0            /* the thread that gives the value */
#define VT_GROUP_PROCESS 1 /* the process */

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* --- the run --- */

/* Starts MPI with MPI_Init_thread(MPI_THREAD_FUNNELED) if it is not started yet. May be called twice, and before or
 * after MPI_Init: when the program itself calls MPI_Init later, that call finds MPI started and succeeds. Either
 * argument may be null. VT_ERR_NOTINITIALIZED after MPI_Finalize, or when MPI does not start. */
int VT_initialize(int* argc, char*** argv);
/* Ends MPI if VT_initialize started it and the program did not call MPI_Init itself; otherwise does nothing. Works at
 * any time. */
int VT_finalize(void);
/* Closes the trace of this process as it is. The program runs on unrecorded, as after MPI_Finalize. */
int VT_abort(void);
/* Gives the rank in MPI_COMM_WORLD. */
int VT_getrank(int* rank);
/* Gives VT_VERSION of the library that is at work. Works at any time. */
int VT_version(void);
/* Measures the clocks of all processes of MPI_COMM_WORLD against each other, as MPI_Init and MPI_Finalize do. It is
 * collective, may be called any number of times, and counts as a call of MPI. It blocks while a process does not call
 * it, and names such processes after VT_SYNC_MAX_DURATION. VT_ERR_SPAWNED in processes that were spawned. */
int VT_timesync(void);
/* Hands what this thread has recorded to the writer of the trace file now. */
int VT_flush(void);

/* --- time --- */

/* Gives seconds since an arbitrary instant, by a clock that never goes back. Works at any time. */
double VT_timestamp(void);
/* Gives the time of the same clock when tracing began (untraced: when the library was loaded). Works at any time. */
double VT_timestart(void);

/* --- recording on and off --- */

/* Switch on and off, for this thread only, whether MPI calls, regions, scopes, counters and comments are recorded. A
 * region is recorded whole if it was begun while recording was on, and not at all otherwise. VT_traceoff before
 * MPI_Init holds from the end of MPI_Init. MPI_Pcontrol(0) does the same as VT_traceoff, and MPI_Pcontrol(1) the same
 * as VT_traceon. */
int VT_traceon(void);
int VT_traceoff(void);
/* 0: this thread is recorded; 1: it is off; 2: this process is not recorded and cannot be. */
int VT_tracestate(int* state);

/* --- threads --- */

/* Gives this thread a number, 0 or more, that no other thread may take. Without this call, threads are numbered in the
 * order of their first record, and others may take such a number. VT_ERR_BADINDEX: another thread that still runs has
 * the number. VT_ERR_BADARG: it is negative, or this thread has another number already. */
int VT_registerthread(int index);
/* The same with a name; a negative index leaves the number as it is. */
int VT_registernamed(const char* name, int index);
/* Both give this thread's number. */
int VT_getthrank(int* index);
int VT_getthreadid(int* index);

/* --- names: in a process, the same name in the same class always gives the same handle --- */

/* Names may be defined at any time, also before MPI_Init. A handle is written once, and only when the result is
 * VT_OK, so that threads may define the same name at the same time. */

/* Defines a class of symbols. Classes are nested by ':'. Colons at the ends are dropped, and of several colons in a row
 * all but one. */
int VT_classdef(const char* classname, int* classhandle);
/* Defines a symbol, which is a function or region. A symname with ':' in it names classes below classhandle; with
 * VT_NOCLASS these are at the top. */
int VT_funcdef(const char* symname, int classhandle, int* statehandle);
/* Defines a symbol in the old way: the caller picks the handle, 0 or more and below 16,777,216. VT_ERR_BADINDEX: it
 * belongs to another symbol. */
int VT_symdef(int statehandle, const char* symname, const char* activity);
/* Defines a source location. */
int VT_scldef(const char* file, int line, int* sclhandle);
/* Sets the location of this thread's next region, scope, counter value or comment, unless that call names a location
 * itself. */
int VT_thisloc(int sclhandle);

/* --- regions: they are nested, in each thread by itself --- */

/* Begins a region of code. VT_ERR_BADARG: there is no such handle; the region is open, but not recorded. */
int VT_begin(int statehandle);
/* Ends a region. When regions inside it are still open, they end with it, as unfinished, and their own ends, if they
 * still come, end nothing. When the region is not open, or the handle was never defined (programs pass 0), the
 * innermost region ends. VT_ERR_NOTOPEN: no region is open. */
int VT_end(int statehandle);
/* The same with a source location or VT_NOSCL. */
int VT_beginl(int statehandle, int sclhandle);
int VT_endl(int statehandle, int sclhandle);
/* The same for a function, as seen from inside. VT_leave ends the innermost. */
int VT_enter(int statehandle, int sclhandle);
int VT_leave(int sclhandle);
/* The same for regions that may overlap. In the trace they are scopes. */
int VT_begin_unordered(int statehandle);
int VT_end_unordered(int statehandle);

/* --- scopes: like regions, but they may overlap --- */

/* Defines a scope. scl1 and scl2 say where it begins and ends in the source, or are VT_NOSCL. */
int VT_scopedef(const char* scopename, int classhandle, int scl1, int scl2, int* scopehandle);
/* Begins a scope. *seqnr identifies it while the same scope is open several times; seqnr may be null. */
int VT_scopebegin(int scopehandle, int scl, int* seqnr);
/* Ends a scope, in the thread that began it. With seqnr 0 it ends the scope that was begun last. */
int VT_scopeend(int scopehandle, int seqnr, int scl);

/* --- counters --- */

/* Defines a counter. flags: VT_COUNT_*. target: VT_ME or VT_GROUP_PROCESS. bounds: two values of the counter's kind,
 * the lowest and the highest to be expected, or null. unit may be null. */
int VT_countdef(const char* name, int classhandle, int flags, int target, const void* bounds, const char* unit,
                int* counthandle);
/* Records the present values of ncounters counters: eight bytes each, of the counter's kind. */
int VT_countval(int ncounters, const int* handles, const void* values);

/* --- text --- */

int VT_log_comment(const char* comment);

/* --- what programs for Intel's library call, and tactus does not record: every call succeeds and is counted --- */

/* Messages and collective operations that the program itself makes known. */
int VT_log_sendmsg(int other_rank, int count, int tag, int commid, int sclhandle);
int VT_log_recvmsg(int other_rank, int count, int tag, int commid, int sclhandle);
int VT_log_msgevent(int sender, int receiver, ...);
int VT_log_opevent(int opid, ...);
/* A function that gives values of counters. It is not called. */
typedef void (*VT_CountCallback_t)(void* custom, int ncounters, const int* handles, void* values);
int VT_countsetcallback(VT_CountCallback_t callback, void* custom, int ncounters);
/* A group of processes. It gives VT_GROUP_PROCESS, which VT_countdef takes. */
int VT_groupdef(const char* name, int number_of_members, int* members, int* grouphandle);
/* The source locations of a call stack. It gives VT_NOSCL. */
int VT_sclstack(void* pc, void* stackframe, int skip, int trace, int* sclhandle);
/* Processes of a program without MPI. Both give an empty contact. */
int VT_clientinit(int procid, const char* clientname, const char** contact);
int VT_serverinit(const char* servername, int numcontacts, const char** contacts, const char** contact);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}

/* A function or region that is defined once, when it is first needed while MPI runs. A static object is best. */
class VT_FuncDef {
  public:
    VT_FuncDef(const char* symname, const char* classname) : symname_(symname), classname_(classname), handle_(0) {}
    /* Gives 0 as long as it cannot be defined. */
    int GetHandle() {
        int classhandle = VT_NOCLASS;
        int handle = handle_;
        if (handle == 0 && VT_classdef(classname_, &classhandle) == VT_OK &&
            VT_funcdef(symname_, classhandle, &handle) == VT_OK)
            handle_ = handle;
        return handle;
    }

  private:
    const char* symname_;
    const char* classname_;
    volatile int handle_; /* threads may define it at the same time: all get the same handle */
};

/* The same for a source location. */
class VT_SclDef {
  public:
    VT_SclDef(const char* file, int line) : file_(file), line_(line), handle_(0) {}
    int GetHandle() {
        int handle = handle_;
        if (handle == 0 && VT_scldef(file_, line_, &handle) == VT_OK) handle_ = handle;
        return handle;
    }

  private:
    const char* file_;
    int line_;
    volatile int handle_;
};

/* Defines a static VT_SclDef of this line. */
#define VT_SCL_DEF_CXX(name) static VT_SclDef name(__FILE__, __LINE__)

/* A region that can be begun and ended by hand, and ends with the object. After an error nothing is recorded. */
class VT_Region {
  public:
    VT_Region() : handle_(0) {}
    VT_Region(const char* symname, const char* classname) : handle_(0) { begin(symname, classname); }
    VT_Region(const char* symname, const char* classname, const char* file, int line) : handle_(0) {
        begin(symname, classname, file, line);
    }
    explicit VT_Region(VT_FuncDef& funcdef) : handle_(0) { begin(funcdef); }
    VT_Region(VT_FuncDef& funcdef, VT_SclDef& scldef) : handle_(0) { begin(funcdef, scldef); }
    ~VT_Region() { end(); }

    void begin(const char* symname, const char* classname) {
        VT_FuncDef funcdef(symname, classname);
        begin(funcdef);
    }
    void begin(const char* symname, const char* classname, const char* file, int line) {
        VT_FuncDef funcdef(symname, classname);
        VT_SclDef scldef(file, line);
        begin(funcdef, scldef);
    }
    void begin(VT_FuncDef& funcdef) { begin_at(funcdef, VT_NOSCL); }
    void begin(VT_FuncDef& funcdef, VT_SclDef& scldef) { begin_at(funcdef, scldef.GetHandle()); }
    void end() { end_at(VT_NOSCL); }
    void end(const char* file, int line) {
        VT_SclDef scldef(file, line);
        end(scldef);
    }
    void end(VT_SclDef& scldef) { end_at(scldef.GetHandle()); }

  private:
    VT_Region(const VT_Region&);
    VT_Region& operator=(const VT_Region&);
    void begin_at(VT_FuncDef& funcdef, int scl) {
        end();
        const int handle = funcdef.GetHandle();
        if (handle == 0) return;
        if (scl != VT_NOSCL) VT_thisloc(scl);
        if (VT_begin(handle) == VT_OK) handle_ = handle;
    }
    void end_at(int scl) {
        if (handle_ == 0) return;
        if (scl != VT_NOSCL) VT_thisloc(scl);
        VT_end(handle_);
        handle_ = 0;
    }
    int handle_; /* 0: not begun */
};

/* A function that the constructor enters and the destructor leaves. The object belongs at the function's first line. */
class VT_Function {
  public:
    VT_Function(const char* symname, const char* classname) {
        VT_FuncDef funcdef(symname, classname);
        enter(funcdef, VT_NOSCL);
    }
    VT_Function(const char* symname, const char* classname, const char* file, int line) {
        VT_FuncDef funcdef(symname, classname);
        VT_SclDef scldef(file, line);
        enter(funcdef, scldef.GetHandle());
    }
    explicit VT_Function(VT_FuncDef& funcdef) { enter(funcdef, VT_NOSCL); }
    VT_Function(VT_FuncDef& funcdef, VT_SclDef& scldef) { enter(funcdef, scldef.GetHandle()); }
    ~VT_Function() {
        if (handle_ != 0) VT_end(handle_);
    }

  private:
    VT_Function(const VT_Function&);
    VT_Function& operator=(const VT_Function&);
    void enter(VT_FuncDef& funcdef, int scl) {
        const int handle = funcdef.GetHandle();
        handle_ = handle != 0 && VT_enter(handle, scl) == VT_OK ? handle : 0;
    }
    int handle_;
};
#endif

#endif
