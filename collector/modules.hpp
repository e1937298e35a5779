// Says which mapped file an address belongs to. Any thread may call this.
#pragma once

#include "trace/definitions.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// The program and the libraries that are mapped now. They are needed later to turn call places into source lines.
std::vector<Module> mapped_modules();

// Those mapped modules that name a function of MPI or VT.h, and the program itself. Other modules can call MPI only
// through a pointer, as an interpreter's plugin for foreign functions does.
std::vector<Module> calling_modules();

// Functions of the MPI that the mapped modules call and this library does not have, because they came with a later
// version of MPI than MPI 5.0. Calls of them go past this library.
std::vector<std::string> unknown_functions();

// Grows whenever something is loaded or unloaded.
std::uint64_t module_changes();
// Whether two libraries that are mapped now define the functions of an MPI.
bool has_second_mpi();

bool is_of_this_library(const void* address);
// Whether a file is a library of an MPI, a plugin of Open MPI, or a library of tactus, by its name.
bool is_mpi_library(const char* path);
// Whether a call comes from the MPI's own libraries (its Fortran bindings, ROMIO, plugins) or from those of tactus.
bool is_mpi_code(const void* call_site);
// Whether a call comes from a callback of the application, although it returns into the MPI: compilers end a function
// whose last statement is `return MPI_Wait(...)` with a jump. The MPI calls callbacks through pointers, and its own
// functions by their names. Only for call sites of which is_mpi_code() is true.
bool is_last_of_callback(const void* call_site);
// What was found out about addresses holds no longer, because something was unloaded.
void forget_code();
// In the child of a fork, where a thread that is not there any more may hold the lock.
void renew_code_lock();

} // namespace tactus
