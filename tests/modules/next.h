// What dlsym tells a library about RTLD_NEXT.
#pragma once

void* (*next_dlopen(void))(const char*, int);
int (*next_dlclose(void))(void*);
