#define _GNU_SOURCE
#include "ways.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECT(name) .name = MPI_##name,
static const struct calls direct = {FUNCTIONS(DIRECT)};
struct calls calls = {FUNCTIONS(DIRECT)};

#ifdef PROGRAM
#define DECLARE(name) extern int goes_around_##name;
FUNCTIONS(DECLARE)
#endif

static struct calls around; /* the functions as the way gives them */

static void fail(const char* why) {
    printf("%s\n", why);
    exit(2);
}

static void* must_find(void* library, const char* prefix, const char* name) {
    char symbol[80];
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    void* const found = dlsym(library, symbol);
    if (!found) fail(dlerror());
    if (dlerror()) fail("dlsym found a function and left an error");
    return found;
}

static void* open_library(const char* name, int mode) {
    void* const library = dlopen(name, mode);
    if (!library) fail(dlerror());
    return library;
}

/* An address that no library can have given: read from the MPI's own table of symbols. */
static void* read_address(void* library, const char* name) {
    char symbol[80];
    snprintf(symbol, sizeof symbol, "MPI_%s", name);
    struct link_map* map = NULL;
    dlinfo(library, RTLD_DI_LINKMAP, &map);
    const ElfW(Sym)* symbols = NULL;
    const char* strings = NULL;
    for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym)*)entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRTAB) strings = (const char*)entry->d_un.d_ptr;
    }
    for (; (const char*)symbols < strings; ++symbols)
        if (symbols->st_value && !strcmp(strings + symbols->st_name, symbol))
            return (void*)(map->l_addr + symbols->st_value);
    fail("the MPI's table of symbols lacks a function");
    return NULL;
}

void give_way(const char* function, void* address) {
#define GIVE(name)                                                                                                     \
    if (!strcmp(function, #name)) around.name = (__typeof__(around.name))address;
    FUNCTIONS(GIVE)
}

void find_way(const char* way, char** libraries) {
    if (!strcmp(way, "given")) return;
    around = direct;
    if (!strcmp(way, "profiling")) {
#define PROFILING(name) .name = PMPI_##name,
        around = (struct calls){FUNCTIONS(PROFILING)};
    } else if (!strncmp(way, "handle", 6)) { /* as ctypes, Julia and Rust do */
        void* const mpi = open_library(libraries[0], RTLD_LAZY);
        const char* const prefix = !strcmp(way, "handle_profiling") ? "PMPI_" : "MPI_";
#define FIND(name) around.name = (__typeof__(around.name))must_find(mpi, prefix, #name);
        FUNCTIONS(FIND)
    } else if (!strcmp(way, "sends_unseen")) {
        void* const mpi = open_library(libraries[0], RTLD_LAZY);
#define READ(name)                                                                                                     \
    if (strstr(#name, "send") && !strstr(#name, "recv"))                                                               \
        around.name = (__typeof__(around.name))read_address(mpi, #name);
        around.Send = (__typeof__(around.Send))read_address(mpi, "Send");
        FUNCTIONS(READ)
    } else if (!strcmp(way, "library") || !strcmp(way, "deep")) { /* Julia opens libraries deeply */
        const int mode = RTLD_LAZY | (!strcmp(way, "deep") ? RTLD_DEEPBIND : 0);
        around = *(const struct calls*)must_find(open_library(libraries[0], mode), "", "library_calls");
    } else if (strcmp(way, "wrapped") != 0) { /* the program's own wrappers, by the flags of go_around() */
        fail("there is no such way");
    }
}

void go_around(const char* function) {
    calls = direct;
#ifdef PROGRAM
#define SET(name) goes_around_##name = !strcmp(function, #name) || !strcmp(function, "all");
#else
#define SET(name)                                                                                                      \
    if (!strcmp(function, #name) || !strcmp(function, "all")) calls.name = around.name;
#endif
    FUNCTIONS(SET)
}
