/* Ways to call MPI that go around what is preloaded. */
#pragma once

#include "ways.gen.h"

extern struct calls calls; /* what the exchanges call: MPI_Send and so on, until go_around() */

/* Says what the way `given` calls for a function ("Send"): in_python.py does, before it calls main(). */
void give_way(const char* function, void* address);

/* Finds the functions as a way gives them: profiling, handle, handle_profiling, sends_unseen (each of the MPI's
 * library, whose name is in `libraries`), library (one with wrappers of its own), deep (one that is bound to the MPI
 * before anything else), given (see above), or wrapped (this program's own wrappers). Ends the program when there is no
 * such way. */
void find_way(const char* way, char** libraries);

/* From now on calls of this function go that way, or of all functions ("all"), and all others are direct. */
void go_around(const char* function);
