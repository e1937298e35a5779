/* The start of libVT.a inside a program: functions of a preloaded collector take the place of those of null.c. */
#include <dlfcn.h>
#include <stddef.h>

struct Forwarded {
    const char* name;
    void* target; /* where the function jumps to; at first the one of null.c */
};

extern struct Forwarded tactus_forwarded[] __attribute__((visibility("hidden"))); /* the last has no name */

void tactus_find_collector(void);

/* Runs before the other constructors of the program, which may call these functions. */
__attribute__((constructor(101), visibility("hidden"))) void tactus_find_collector(void) {
    for (struct Forwarded* each = tactus_forwarded; each->name != NULL; each++) {
        void* const found = dlsym(RTLD_NEXT, each->name);
        if (found != NULL) each->target = found;
    }
}
