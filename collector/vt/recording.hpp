// Records what the application says through VT.h: regions, scopes, counter values, comments and definitions. Both the C
// and the Fortran functions of VT.h call this, and pass the place they were called from. Any thread may call it. All
// functions return a code of VT.h.
#pragma once

#include <string_view>

namespace tactus {

int begin_region(int id, int scl, const void* call_site);
int end_region(int id, int scl);
int leave_region(int scl); // ends the innermost region
int begin_scope(int id, int scl, int* seqnr, const void* call_site);
int end_scope(int id, int seqnr, int scl);
int count_values(int count, const int* handles, const void* values, const void* call_site);
int note_comment(std::string_view text, const void* call_site);
int set_next_scl(int scl);

// Definitions work at any time, also where nothing is recorded. A handle is written once, at the end, and only where
// the result is VT_OK.
int define_class(std::string_view name, int* id);
int define_function(std::string_view name, int classhandle, int* id);
int define_picked(int id, std::string_view name, std::string_view activity);
int define_scope(std::string_view name, int classhandle, int begin_scl, int end_scl, int* id);
int define_counter(std::string_view name, int classhandle, int flags, int target, const void* bounds,
                   std::string_view unit, int* id);
int define_location(std::string_view file, int line, int* id);
// The scope with the name of a function, for VT_begin_unordered.
int scope_like(int id, int* scope);
// Stores the definitions made before MPI_Init. Called when recording has begun.
void note_early_definitions();
int register_thread(int index);
int register_named_thread(std::string_view name, int index);

} // namespace tactus
