#define _GNU_SOURCE
#include "next.h"

#include <dlfcn.h>
#include <string.h>

static void* handle_for(int by_handle) { return by_handle ? dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) : RTLD_NEXT; }

// Compiled with -O0. Otherwise a call of dlsym at the end of a function is a jump, and dlsym sees that function's
// caller.
void* (*next_dlopen(int by_handle))(const char*, int) {
    void* (*function)(const char*, int);
    void* const found = dlsym(handle_for(by_handle), "dlopen");
    memcpy(&function, &found, sizeof function);
    return function;
}

int (*next_dlclose(int by_handle))(void*) {
    int (*function)(void*);
    void* const found = dlsym(handle_for(by_handle), "dlclose");
    memcpy(&function, &found, sizeof function);
    return function;
}
