/* The Fortran entries of VT.h as gfortran, ifx and flang call them: lower case with one '_' at the end, all arguments
 * by address, and the lengths of strings by value after them. libVT and the collector both define them. */
#ifndef VT_FORTRAN_H
#define VT_FORTRAN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

void vtinitialize_(int* ierr);
void vtfinalize_(int* ierr);
void vtabort_(int* ierr);
void vtgetrank_(int* rank, int* ierr);
int vtversion_(void);
void vttimesync_(int* ierr);
void vtflush_(int* ierr);
double vttimestamp_(void);
double vttimestart_(void);
void vttraceon_(int* ierr);
void vttraceoff_(int* ierr);
void vttracestate_(int* state, int* ierr);
void vtregisterthread_(const int* index, int* ierr);
void vtregisternamed_(const char* name, const int* index, int* ierr, size_t name_size);
void vtgetthrank_(int* index, int* ierr);
void vtclassdef_(const char* name, int* handle, int* ierr, size_t name_size);
void vtfuncdef_(const char* name, const int* classhandle, int* handle, int* ierr, size_t name_size);
void vtsymdef_(const int* handle, const char* name, const char* activity, int* ierr, size_t name_size,
               size_t activity_size);
void vtscldef_(const char* file, const int* line, int* handle, int* ierr, size_t file_size);
void vtthisloc_(const int* scl, int* ierr);
void vtbegin_(const int* handle, int* ierr);
void vtend_(const int* handle, int* ierr);
void vtbeginl_(const int* handle, const int* scl, int* ierr);
void vtendl_(const int* handle, const int* scl, int* ierr);
void vtenter_(const int* handle, const int* scl, int* ierr);
void vtleave_(const int* scl, int* ierr);
void vtscopedef_(const char* name, const int* classhandle, const int* scl1, const int* scl2, int* handle, int* ierr,
                 size_t name_size);
void vtscopebegin_(const int* handle, const int* scl, int* seqnr, int* ierr);
void vtscopeend_(const int* handle, const int* seqnr, const int* scl, int* ierr);
void vtcountdef_(const char* name, const int* classhandle, const int* flags, const int* target, const void* bounds,
                 const char* unit, int* handle, int* ierr, size_t name_size, size_t unit_size);
void vtcountval_(const int* count, const int* handles, const void* values, int* ierr);
void vtlogcomment_(const char* text, int* ierr, size_t text_size);
void vtlogsendmsg_(const int* rank, const int* count, const int* tag, const int* comm, const int* scl, int* ierr);
void vtlogrecvmsg_(const int* rank, const int* count, const int* tag, const int* comm, const int* scl, int* ierr);
/* These have arguments that tactus does not know, so it looks at none of them. */
void vtframedef_(void);
void vtframebegin_(void);
void vtframeend_(void);
void vtthisl_(void);
void vtinit_(void);
void vtfini_(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
