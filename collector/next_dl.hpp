// The dynamic linker's functions behind this library in the global scope: the C library's, or another tool's. Any
// thread may call these.
#pragma once

namespace tactus {

// Looks for them if nobody has. The others rely on it.
void find_next_dl();

// Whether this library stands in front of functions of that name, and whether it is in front of one only: nothing else
// that was loaded when they were looked for defines the function.
bool is_in_front_of(const char* name);
bool is_in_front_of_one(const char* name);
// Whether `address` is that of the next function of that name.
bool is_next_dl(const char* name, const void* address);

void* next_dlsym(void* handle, const char* name);
int next_dlclose(void* handle);

} // namespace tactus
