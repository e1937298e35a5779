// Which mapped file an address belongs to. Any thread.
#pragma once

#include "trace/definitions.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// The programs and libraries mapped now, for turning call places into source lines later.
std::vector<Module> mapped_modules();

// Of these the ones that name an MPI function or one of VT.h, and the program itself. Others can call MPI only by a
// pointer, as an interpreter's plugin for foreign functions does.
std::vector<Module> calling_modules();

// Changes whenever something is loaded or unloaded.
std::uint64_t module_changes();

// Whether a call comes from the MPI's own libraries: its Fortran bindings, ROMIO, plugins.
bool is_mpi_code(const void* call_site);

} // namespace tactus
