#define _GNU_SOURCE
#include "next.h"

#include <dlfcn.h>
#include <string.h>

// The answers are stored first: as the last thing that a function does, the call of dlsym would be that of its caller.
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
