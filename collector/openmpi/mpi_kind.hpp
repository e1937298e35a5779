// What Open MPI does its own way. Chosen by include path; collector/mpich/mpi_kind.hpp is the other.
#pragma once

#include <cstdint>
#include <mpi.h>

namespace tactus {

constexpr const char* mpi_name = "Open MPI";
constexpr const char* version_begins = "Open MPI"; // what MPI_Get_library_version begins with
constexpr const char* library_names[] = {"libmpi.so"};

inline std::uint64_t key_of(MPI_Comm value) { return reinterpret_cast<std::uintptr_t>(value); }
inline std::uint64_t key_of(MPI_Request value) { return reinterpret_cast<std::uintptr_t>(value); }
inline std::uint64_t key_of(MPI_Datatype value) { return reinterpret_cast<std::uintptr_t>(value); }

// The length that a status holds, without a call.
inline std::uint64_t bytes_in(const MPI_Status& status) { return status._ucount; }
inline bool cancelled(const MPI_Status& status) { return status._cancelled != 0; }

} // namespace tactus
