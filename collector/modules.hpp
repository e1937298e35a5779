// Says which mapped file an address belongs to. Any thread may call this.
#pragma once

#include "trace/definitions.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// The program and the libraries that are mapped now. They are needed later to turn call places into source lines.
std::vector<Module> mapped_modules();

// Those mapped modules that name a function of MPI or VT.h, and the program itself. Other modules can call MPI only
// through a pointer, as an interpreter's plugin for foreign functions does.
std::vector<Module> calling_modules();

// Grows whenever something is loaded or unloaded.
std::uint64_t module_changes();

// Whether a call comes from the MPI's own libraries (its Fortran bindings, ROMIO, plugins) or from those of tactus.
bool is_mpi_code(const void* call_site);
// What was found out about addresses holds no longer, because something was unloaded.
void forget_code();

} // namespace tactus
