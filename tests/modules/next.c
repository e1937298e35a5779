#define _GNU_SOURCE
#include "next.h"

#include <dlfcn.h>
#include <string.h>

// Compiled with -O0. Otherwise a call of dlsym at the end of a function is a jump, and dlsym sees that function's
// caller.
void* (*next_dlopen(void))(const char*, int) {
    void* (*function)(const char*, int);
    void* const found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&function, &found, sizeof function);
    return function;
}

int (*next_dlclose(void))(void*) {
    int (*function)(void*);
    void* const found = dlsym(RTLD_NEXT, "dlclose");
    memcpy(&function, &found, sizeof function);
    return function;
}
