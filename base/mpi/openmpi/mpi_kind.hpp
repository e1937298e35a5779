// What is specific to Open MPI. The include path chooses between this file, base/mpi/mpich and base/mpi/abi.
#pragma once

#include "base/mpi/mpi_functions.hpp"

#include <cstdint>

namespace tactus {

constexpr const char* mpi_name = "Open MPI";
// Every library made of Open MPI has this, whoever made it, because mpi.h names it; no other MPI has it.
constexpr const char* own_symbol = "ompi_mpi_comm_world";
constexpr bool is_standard_abi = false;
constexpr const char* library_names[] = {"libmpi.so"};
constexpr const char* sonames[] = {"libmpi.so.40"}; // by which programs load it

inline std::uint64_t key_of(const void* value) {
    return reinterpret_cast<std::uintptr_t>(value);
} // handles are pointers

inline MPI_Request request_of_key(std::uint64_t key) { return reinterpret_cast<MPI_Request>(key); }

// Handles from Fortran.
inline MPI_Comm comm_of(MPI_Fint value) { return pmpi.Comm_f2c(value); }
inline MPI_Datatype type_of(MPI_Fint value) { return pmpi.Type_f2c(value); }
inline MPI_Request request_of(MPI_Fint value) { return pmpi.Request_f2c(value); }
inline MPI_Message message_of(MPI_Fint value) { return pmpi.Message_f2c(value); }
inline MPI_Win win_of(MPI_Fint value) { return pmpi.Win_f2c(value); }
inline MPI_File file_of(MPI_Fint value) { return pmpi.File_f2c(value); }
inline MPI_Group group_of(MPI_Fint value) { return pmpi.Group_f2c(value); }
inline MPI_Fint fortran_of(MPI_Datatype value) { return pmpi.Type_c2f(value); }
inline MPI_Fint fortran_of(MPI_Request value) { return pmpi.Request_c2f(value); }

// Objects by which Fortran's sentinels are recognized: the address of the object is the sentinel, or the object holds
// the sentinel's address. There is one for each way in which a compiler may spell a common block.
struct Sentinel {
    const char* symbol;
    bool holds_address;
};
constexpr Sentinel in_place_sentinels[] = {{"mpi_fortran_in_place_", false},
                                           {"mpi_fortran_in_place", false},
                                           {"mpi_fortran_in_place__", false},
                                           {"MPI_FORTRAN_IN_PLACE", false}};
constexpr Sentinel bottom_sentinels[] = {{"mpi_fortran_bottom_", false},
                                         {"mpi_fortran_bottom", false},
                                         {"mpi_fortran_bottom__", false},
                                         {"MPI_FORTRAN_BOTTOM", false}};
constexpr Sentinel status_sentinels[] = {{"mpi_fortran_status_ignore_", false},
                                         {"mpi_fortran_status_ignore", false},
                                         {"mpi_fortran_status_ignore__", false},
                                         {"MPI_FORTRAN_STATUS_IGNORE", false}};
constexpr Sentinel statuses_sentinels[] = {{"mpi_fortran_statuses_ignore_", false},
                                           {"mpi_fortran_statuses_ignore", false},
                                           {"mpi_fortran_statuses_ignore__", false},
                                           {"MPI_FORTRAN_STATUSES_IGNORE", false}};
constexpr Sentinel automatic_sentinels[] = {{"mpi_fortran_buffer_automatic_", false}}; // from 6 on
constexpr const char* fortran_library_names[] = {"libmpi_mpifh.so", "libmpi_usempif08.so", "libmpi_usempi"};

// The environment variables for the largest size of a message that is sent at once, and the size in bytes that holds
// unless the variable is set; 0 when that is not known. The values are those of Open MPI 4.1 and 5.0.
struct EagerLimit {
    const char* variable;
    unsigned long long initial;
};
constexpr EagerLimit eager_limits[] = {{"OMPI_MCA_btl_vader_eager_limit", 4096},
                                       {"OMPI_MCA_btl_self_eager_limit", 1024},
                                       {"OMPI_MCA_btl_sm_eager_limit", 4096},
                                       {"OMPI_MCA_btl_tcp_eager_limit", 65536}};

// The length that a status holds, read without a call.
inline std::uint64_t bytes_in(const MPI_Status& status) { return status._ucount; }
inline void set_bytes(MPI_Status& status, std::uint64_t bytes) { status._ucount = bytes; }
inline bool cancelled(const MPI_Status& status) { return status._cancelled != 0; }
// When a message is too long for its receive, the status holds the whole length of the message, and the part that fits
// has arrived. An MPI for which this is false leaves status and buffer as they were.
constexpr bool tells_truncated_length = true;
constexpr bool failed_receive_keeps_type = false;
// Above the eager limit, Open MPI writes all of a message that is too long for its contiguous buffer (4.1.4, shared
// memory). So our own buffers are followed by this many unused bytes. 0: not needed.
constexpr std::size_t overrun_of_truncated = std::size_t{1} << 20;
constexpr bool whole_basic_elements = false;       // see base/mpi/mpich
constexpr bool disconnect_awaits_requests = false; // see base/mpi/mpich
constexpr bool completes_all_ignored = false;      // see base/mpi/mpich
// The error of a request goes to the error handler of the request's own communicator. An MPI for which this is false
// calls the error handler of MPI_COMM_WORLD, with the code that the call returns.
constexpr bool requests_fail_by_themselves = true;
constexpr bool asks_need_driver = false; // see base/mpi/mpich

// What MPI_Type_get_contents tells for MPI_ORDER_C.
constexpr int order_of_c = MPI_ORDER_C;
// Nothing has to be learned: see base/mpi/abi.
inline void learn_library() {}
constexpr bool is_known_mpi() { return true; }

} // namespace tactus
