// What dlsym tells a library about the functions of the dynamic linker: by a handle of the C library, or by RTLD_NEXT.
#pragma once

void* (*next_dlopen(int by_handle))(const char*, int);
int (*next_dlclose(int by_handle))(void*);
