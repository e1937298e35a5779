// The functions of VT.h that C programs call. api/VT.h describes them.
#include "api/VT.h"
#include "collector/call.hpp"
#include "collector/vt/recording.hpp"
#include "collector/vt/run.hpp"

namespace {

// A null pointer becomes a name without letters, which definitions refuse.
std::string_view text(const char* string) { return string != nullptr ? string : ""; }

} // namespace

using namespace tactus;

extern "C" {

int VT_initialize(int* argc, char*** argv) { return initialize_run(argc, argv); }
int VT_finalize() { return finalize_run(); }
int VT_abort() { return abort_run(); }
int VT_getrank(int* rank) { return rank_of_run(rank); }
int VT_version() { return VT_VERSION; }
int VT_timesync() { return synchronize_clocks(); }
int VT_flush() { return flush_thread(); }
double VT_timestamp() { return seconds_now(); }
double VT_timestart() { return seconds_at_start(); }
int VT_traceon() { return set_tracing(true); }
int VT_traceoff() { return set_tracing(false); }
int VT_tracestate(int* state) { return tracing_state(state); }
int VT_registerthread(int index) { return register_thread(index); }
int VT_registernamed(const char* name, int index) { return register_named_thread(text(name), index); }
int VT_getthrank(int* index) { return number_of_thread(index); }

int VT_classdef(const char* classname, int* classhandle) { return define_class(text(classname), classhandle); }
int VT_funcdef(const char* symname, int classhandle, int* statehandle) {
    return define_function(text(symname), classhandle, statehandle);
}
int VT_symdef(int statehandle, const char* symname, const char* activity) {
    return define_picked(statehandle, text(symname), text(activity));
}
int VT_scldef(const char* file, int line, int* sclhandle) { return define_location(text(file), line, sclhandle); }
int VT_thisloc(int sclhandle) { return set_next_scl(sclhandle); }

int VT_begin(int statehandle) { return begin_region(statehandle, VT_NOSCL, TACTUS_CALLER); }
int VT_end(int statehandle) { return end_region(statehandle, VT_NOSCL); }
int VT_beginl(int statehandle, int sclhandle) { return begin_region(statehandle, sclhandle, TACTUS_CALLER); }
int VT_endl(int statehandle, int sclhandle) { return end_region(statehandle, sclhandle); }
int VT_begin_unordered(int statehandle) {
    int scope = 0;
    const int code = scope_like(statehandle, &scope);
    return code == VT_OK ? begin_scope(scope, VT_NOSCL, nullptr, TACTUS_CALLER) : code;
}
int VT_end_unordered(int statehandle) {
    int scope = 0;
    const int code = scope_like(statehandle, &scope);
    return code == VT_OK ? end_scope(scope, 0, VT_NOSCL) : code;
}
int VT_enter(int statehandle, int sclhandle) { return begin_region(statehandle, sclhandle, TACTUS_CALLER); }
int VT_leave(int sclhandle) { return leave_region(sclhandle); }

int VT_scopedef(const char* scopename, int classhandle, int scl1, int scl2, int* scopehandle) {
    return define_scope(text(scopename), classhandle, scl1, scl2, scopehandle);
}
int VT_scopebegin(int scopehandle, int scl, int* seqnr) { return begin_scope(scopehandle, scl, seqnr, TACTUS_CALLER); }
int VT_scopeend(int scopehandle, int seqnr, int scl) { return end_scope(scopehandle, seqnr, scl); }

int VT_countdef(const char* name, int classhandle, int flags, int target, const void* bounds, const char* unit,
                int* counthandle) {
    return define_counter(text(name), classhandle, flags, target, bounds, text(unit), counthandle);
}
int VT_countval(int ncounters, const int* handles, const void* values) {
    return count_values(ncounters, handles, values, TACTUS_CALLER);
}
int VT_log_comment(const char* comment) { return note_comment(text(comment), TACTUS_CALLER); }

int VT_log_sendmsg(int, int, int, int, int) { return not_recorded_yet(); }
int VT_log_recvmsg(int, int, int, int, int) { return not_recorded_yet(); }
int VT_log_msgevent(int, int, ...) { return not_recorded_yet(); }
int VT_log_opevent(int, ...) { return not_recorded_yet(); }
int VT_countsetcallback(VT_CountCallback_t, void*, int) { return not_recorded_yet(); }
int VT_groupdef(const char*, int, int*, int* grouphandle) {
    if (grouphandle != nullptr) *grouphandle = VT_GROUP_PROCESS;
    return not_recorded_yet();
}
int VT_sclstack(void*, void*, int, int, int* sclhandle) {
    if (sclhandle != nullptr) *sclhandle = VT_NOSCL;
    return not_recorded_yet();
}
int VT_getthreadid(int* index) { return number_of_thread(index); }
int VT_clientinit(int, const char*, const char** contact) {
    if (contact != nullptr) *contact = "";
    return not_recorded_yet();
}
int VT_serverinit(const char*, int, const char**, const char** contact) {
    if (contact != nullptr) *contact = "";
    return not_recorded_yet();
}

} // extern "C"
