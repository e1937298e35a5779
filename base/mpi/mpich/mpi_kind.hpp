// What is specific to MPICH. The include path chooses between this file, base/mpi/openmpi and base/mpi/abi.
#pragma once

#include "base/mpi/mpi_functions.hpp"

#include <cstdint>

namespace tactus {

constexpr const char* mpi_name = "MPICH";
// Every library of the MPICH ABI initiative has this, whoever made it, because mpi.h names it; no other MPI has it.
constexpr const char* own_symbol = "MPIR_Dup_fn";
constexpr bool is_standard_abi = false;
constexpr const char* library_names[] = {"libmpich.so", "libmpi.so"};
constexpr const char* sonames[] = {"libmpich.so.12", "libmpi.so.12"}; // by which programs load it

// Every handle except MPI_File is an int.
inline std::uint64_t key_of(int value) { return static_cast<std::uint32_t>(value); }
inline std::uint64_t key_of(MPI_File value) { return reinterpret_cast<std::uintptr_t>(value); }

inline MPI_Request request_of_key(std::uint64_t key) { return static_cast<MPI_Request>(key); }

// Handles from Fortran are the same integers, except for MPI_File.
inline MPI_Comm comm_of(MPI_Fint value) { return value; }
inline MPI_Datatype type_of(MPI_Fint value) { return value; }
inline MPI_Request request_of(MPI_Fint value) { return value; }
inline MPI_Message message_of(MPI_Fint value) { return value; }
inline MPI_Win win_of(MPI_Fint value) { return value; }
inline MPI_File file_of(MPI_Fint value) { return pmpi.File_f2c(value); }
inline MPI_Group group_of(MPI_Fint value) { return value; }
inline MPI_Fint fortran_of(MPI_Datatype value) { return value; }

// Objects by which Fortran's sentinels are recognized: the address of the object is the sentinel (mpi_f08), or the
// object holds the sentinel's address (mpif.h, mpi).
struct Sentinel {
    const char* symbol;
    bool holds_address;
};
constexpr Sentinel in_place_sentinels[] = {{"MPIR_F_MPI_IN_PLACE", true}, {"MPIR_F08_MPI_IN_PLACE", false}};
constexpr Sentinel bottom_sentinels[] = {{"MPIR_F_MPI_BOTTOM", true}, {"MPIR_F08_MPI_BOTTOM", false}};
constexpr Sentinel status_sentinels[] = {{"MPI_F_STATUS_IGNORE", true}, {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", false}};
constexpr Sentinel statuses_sentinels[] = {{"MPI_F_STATUSES_IGNORE", true},
                                           {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", false}};
constexpr Sentinel automatic_sentinels[] = {{"MPIR_F_MPI_BUFFER_AUTOMATIC", true}, // from 4.2 on
                                            {"__mpi_f08_link_constants_MOD_mpi_buffer_automatic", false}};
constexpr const char* fortran_library_names[] = {"libmpichfort.so", "libfmpich.so", "libmpifort.so"};

// The environment variable for the largest size of a message that is sent at once, and the size in bytes that holds
// unless the variable is set; 0 when that is not known.
struct EagerLimit {
    const char* variable;
    unsigned long long initial;
};
constexpr EagerLimit eager_limits[] = {{"UCX_RNDV_THRESH", 0}};

// The length that a status holds, read without a call. Its 63 bits are spread over two words; the lowest bit of the
// upper word means cancelled.
inline std::uint64_t bytes_in(const MPI_Status& status) {
    const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled);
    return static_cast<std::uint64_t>(high >> 1) << 32 | static_cast<std::uint32_t>(status.count_lo);
}
inline void set_bytes(MPI_Status& status, std::uint64_t bytes) {
    status.count_lo = static_cast<int>(static_cast<std::uint32_t>(bytes));
    status.count_hi_and_cancelled = static_cast<int>(bytes >> 32 << 1) | (status.count_hi_and_cancelled & 1);
}
inline bool cancelled(const MPI_Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }
// When a message is too long for its receive, nothing has arrived and the status is left as it was. On a communicator
// of one rank what fits has arrived, and the status has the room there was.
constexpr bool tells_truncated_length = false;
// A receive that was cancelled or truncated keeps a reference to its datatype, and at the end MPICH reports that the
// datatype still exists (4.0.2). The datatype has to be freed once more in that case.
constexpr bool failed_receive_keeps_type = true;
constexpr std::size_t overrun_of_truncated = 0; // see base/mpi/openmpi
// A receive into a datatype with gaps does not take a message that ends in the middle of a basic element (4.0.2: the
// status then says that the receive was filled).
constexpr bool whole_basic_elements = true;
// MPI_Comm_disconnect does not return while there are requests of its communicator, complete or not.
constexpr bool disconnect_awaits_requests = true;
constexpr bool requests_fail_by_themselves = false; // see base/mpi/openmpi
// A failed MPI_Waitall completes all of its requests if their statuses are ignored, and else not all (4.2).
constexpr bool completes_all_ignored = true;
// Whether the library takes buffers of a device is asked only where a driver of one is there (3.4.1).
constexpr bool asks_need_driver = true;

// What MPI_Type_get_contents tells for MPI_ORDER_C.
constexpr int order_of_c = MPI_ORDER_C;
// Nothing has to be learned: see base/mpi/abi.
inline void learn_library() {}
constexpr bool is_known_mpi() { return true; }

} // namespace tactus
