// The functions of VT.h that Fortran programs call. api/fortran.h describes them.
#include "api/fortran.h"

#include "api/VT.h"
#include "collector/call.hpp"
#include "collector/vt/recording.hpp"
#include "collector/vt/run.hpp"

namespace {

std::string_view trimmed(const char* string, std::size_t size) {
    while (size > 0 && string[size - 1] == ' ') --size;
    return {string, size};
}

} // namespace

using namespace tactus;

extern "C" {

void vtinitialize_(int* ierr) { *ierr = initialize_run(nullptr, nullptr); }
void vtfinalize_(int* ierr) { *ierr = finalize_run(); }
void vtabort_(int* ierr) { *ierr = abort_run(); }
void vtgetrank_(int* rank, int* ierr) { *ierr = rank_of_run(rank); }
int vtversion_() { return VT_VERSION; }
void vttimesync_(int* ierr) { *ierr = synchronize_clocks(); }
void vtflush_(int* ierr) { *ierr = flush_thread(); }
double vttimestamp_() { return seconds_now(); }
double vttimestart_() { return seconds_at_start(); }
void vttraceon_(int* ierr) { *ierr = set_tracing(true); }
void vttraceoff_(int* ierr) { *ierr = set_tracing(false); }
void vttracestate_(int* state, int* ierr) { *ierr = tracing_state(state); }
void vtregisterthread_(const int* index, int* ierr) { *ierr = register_thread(*index); }
void vtregisternamed_(const char* name, const int* index, int* ierr, std::size_t name_size) {
    *ierr = register_named_thread(trimmed(name, name_size), *index);
}
void vtgetthrank_(int* index, int* ierr) { *ierr = number_of_thread(index); }

void vtclassdef_(const char* name, int* id, int* ierr, std::size_t name_size) {
    *ierr = define_class(trimmed(name, name_size), id);
}
void vtfuncdef_(const char* name, const int* classhandle, int* id, int* ierr, std::size_t name_size) {
    *ierr = define_function(trimmed(name, name_size), *classhandle, id);
}
void vtsymdef_(const int* id, const char* name, const char* activity, int* ierr, std::size_t name_size,
               std::size_t activity_size) {
    *ierr = define_picked(*id, trimmed(name, name_size), trimmed(activity, activity_size));
}
void vtscldef_(const char* file, const int* line, int* id, int* ierr, std::size_t file_size) {
    *ierr = define_location(trimmed(file, file_size), *line, id);
}
void vtthisloc_(const int* scl, int* ierr) { *ierr = set_next_scl(*scl); }

void vtbegin_(const int* id, int* ierr) { *ierr = begin_region(*id, VT_NOSCL, TACTUS_CALLER); }
void vtend_(const int* id, int* ierr) { *ierr = end_region(*id, VT_NOSCL); }
void vtbeginl_(const int* id, const int* scl, int* ierr) { *ierr = begin_region(*id, *scl, TACTUS_CALLER); }
void vtendl_(const int* id, const int* scl, int* ierr) { *ierr = end_region(*id, *scl); }
void vtenter_(const int* id, const int* scl, int* ierr) { *ierr = begin_region(*id, *scl, TACTUS_CALLER); }
void vtleave_(const int* scl, int* ierr) { *ierr = leave_region(*scl); }

void vtscopedef_(const char* name, const int* classhandle, const int* scl1, const int* scl2, int* id, int* ierr,
                 std::size_t name_size) {
    *ierr = define_scope(trimmed(name, name_size), *classhandle, *scl1, *scl2, id);
}
void vtscopebegin_(const int* id, const int* scl, int* seqnr, int* ierr) {
    *ierr = begin_scope(*id, *scl, seqnr, TACTUS_CALLER);
}
void vtscopeend_(const int* id, const int* seqnr, const int* scl, int* ierr) { *ierr = end_scope(*id, *seqnr, *scl); }

void vtcountdef_(const char* name, const int* classhandle, const int* flags, const int* target, const void* bounds,
                 const char* unit, int* id, int* ierr, std::size_t name_size, std::size_t unit_size) {
    *ierr =
        define_counter(trimmed(name, name_size), *classhandle, *flags, *target, bounds, trimmed(unit, unit_size), id);
}
void vtcountval_(const int* count, const int* handles, const void* values, int* ierr) {
    *ierr = count_values(*count, handles, values, TACTUS_CALLER);
}
void vtlogcomment_(const char* text, int* ierr, std::size_t text_size) {
    *ierr = note_comment(trimmed(text, text_size), TACTUS_CALLER);
}
void vtlogsendmsg_(const int*, const int*, const int*, const int*, const int*, int* ierr) {
    *ierr = not_recorded_yet();
}
void vtlogrecvmsg_(const int*, const int*, const int*, const int*, const int*, int* ierr) {
    *ierr = not_recorded_yet();
}
void vtframedef_() { not_recorded_yet(); }
void vtframebegin_() { not_recorded_yet(); }
void vtframeend_() { not_recorded_yet(); }
void vtthisl_() { not_recorded_yet(); }
void vtinit_() { not_recorded_yet(); }
void vtfini_() { not_recorded_yet(); }

} // extern "C"
