// What Open MPI does its own way. Chosen by include path; collector/mpich/mpi_kind.hpp is the other.
#pragma once

#include "collector/mpi_functions.hpp"

#include <cstdint>

namespace tactus {

constexpr const char* mpi_name = "Open MPI";
constexpr const char* version_begins = "Open MPI"; // what MPI_Get_library_version begins with
constexpr const char* library_names[] = {"libmpi.so"};

inline std::uint64_t key_of(const void* value) {
    return reinterpret_cast<std::uintptr_t>(value);
} // handles are pointers

// Handles from Fortran.
inline MPI_Comm comm_of(MPI_Fint value) { return pmpi.Comm_f2c(value); }
inline MPI_Datatype type_of(MPI_Fint value) { return pmpi.Type_f2c(value); }
inline MPI_Request request_of(MPI_Fint value) { return pmpi.Request_f2c(value); }
inline MPI_Message message_of(MPI_Fint value) { return pmpi.Message_f2c(value); }
inline MPI_Win win_of(MPI_Fint value) { return pmpi.Win_f2c(value); }
inline MPI_File file_of(MPI_Fint value) { return pmpi.File_f2c(value); }
inline MPI_Group group_of(MPI_Fint value) { return pmpi.Group_f2c(value); }

// Objects whose addresses are Fortran's sentinels, or which hold such an address. One for each way a compiler may spell
// a common block.
struct Sentinel {
    const char* symbol;
    bool holds_address;
};
constexpr Sentinel in_place_sentinels[] = {{"mpi_fortran_in_place_", false},
                                           {"mpi_fortran_in_place", false},
                                           {"mpi_fortran_in_place__", false},
                                           {"MPI_FORTRAN_IN_PLACE", false}};
constexpr Sentinel status_sentinels[] = {{"mpi_fortran_status_ignore_", false},
                                         {"mpi_fortran_status_ignore", false},
                                         {"mpi_fortran_status_ignore__", false},
                                         {"MPI_FORTRAN_STATUS_IGNORE", false}};
constexpr Sentinel statuses_sentinels[] = {{"mpi_fortran_statuses_ignore_", false},
                                           {"mpi_fortran_statuses_ignore", false},
                                           {"mpi_fortran_statuses_ignore__", false},
                                           {"MPI_FORTRAN_STATUSES_IGNORE", false}};
constexpr const char* fortran_library_names[] = {"libmpi_mpifh.so", "libmpi_usempif08.so", "libmpi_usempi"};

// The length that a status holds, without a call.
inline std::uint64_t bytes_in(const MPI_Status& status) { return status._ucount; }
inline bool cancelled(const MPI_Status& status) { return status._cancelled != 0; }

} // namespace tactus
