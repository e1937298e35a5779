/* Wrappers of a user or of another tool for a part of MPI, which go on by the profiling names. With -DPROGRAM they are
 * part of the program, with -DLIBRARY of a library that binds its names to itself (-Bsymbolic); else they are a library
 * that is preloaded. With -DHANDLE="libmpi.so" that one goes on by what a handle of the MPI answers. With -DTABLE there
 * are no wrappers, but a table of the MPI's functions. With -DDEEP="file" the wrappers go on by that table, in a
 * library that is bound to the MPI before anything else. */
#define _GNU_SOURCE
#include "ways.gen.h"

#include <dlfcn.h>

#if defined PROGRAM

/* Which functions go on by the profiling name. The others go on to what the program would call without wrappers. */
#define FLAG(name) int goes_around_##name;
FUNCTIONS(FLAG)

#define GO_ON(name, arguments)                                                                                         \
    static __typeof__(&MPI_##name) next;                                                                               \
    if (goes_around_##name) return PMPI_##name arguments;                                                              \
    if (!next) next = (__typeof__(next))dlsym(RTLD_NEXT, "MPI_" #name);                                                \
    return next arguments;
WRAPPERS(GO_ON)

#elif defined HANDLE

#define GO_ON(name, arguments)                                                                                         \
    static __typeof__(&MPI_##name) next;                                                                               \
    if (!next) next = (__typeof__(next))dlsym(dlopen(HANDLE, RTLD_LAZY), "MPI_" #name);                                \
    return next arguments;
WRAPPERS(GO_ON)

#elif defined DEEP

#define GO_ON(name, arguments)                                                                                         \
    static const struct calls* deep;                                                                                   \
    if (!deep) deep = (const struct calls*)dlsym(dlopen(DEEP, RTLD_LAZY | RTLD_DEEPBIND), "library_calls");            \
    return deep->name arguments;
WRAPPERS(GO_ON)

#elif defined TABLE

#define FOUND(name) .name = MPI_##name,
const struct calls library_calls = {FUNCTIONS(FOUND)};

#else

#define GO_ON(name, arguments) return PMPI_##name arguments;
WRAPPERS(GO_ON)

#if defined LIBRARY
/* The library's own wrappers, as calls inside the library reach them. */
#define OWN(name) .name = MPI_##name,
const struct calls library_calls = {FUNCTIONS(OWN)};
#endif

#endif
