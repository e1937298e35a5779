// What is specific to the standard ABI of MPI 5.0. The include path chooses between this file and those of
// base/mpi/mpich and base/mpi/openmpi. A program of this ABI runs on libraries of several makers. What differs between
// them is learned when the process starts.
#pragma once

#include "base/mpi/mpi_functions.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace tactus {

constexpr const char* mpi_name = "an MPI with the standard ABI";
constexpr bool is_standard_abi = true;
constexpr const char* own_symbol = "MPI_Abi_get_version";
constexpr const char* library_names[] = {"libmpi_abi"};
constexpr const char* sonames[] = {"libmpi_abi.so.1"}; // by which programs load it

inline std::uint64_t key_of(const void* value) {
    return reinterpret_cast<std::uintptr_t>(value);
} // handles are pointers

inline MPI_Request request_of_key(std::uint64_t key) { return reinterpret_cast<MPI_Request>(key); }

// Handles from Fortran.
inline MPI_Comm comm_of(MPI_Fint value) { return pmpi.Comm_fromint(value); }
inline MPI_Datatype type_of(MPI_Fint value) { return pmpi.Type_fromint(value); }
inline MPI_Request request_of(MPI_Fint value) { return pmpi.Request_fromint(value); }
inline MPI_Message message_of(MPI_Fint value) { return pmpi.Message_fromint(value); }
inline MPI_Win win_of(MPI_Fint value) { return pmpi.Win_fromint(value); }
inline MPI_File file_of(MPI_Fint value) { return pmpi.File_fromint(value); }
inline MPI_Group group_of(MPI_Fint value) { return pmpi.Group_fromint(value); }
inline MPI_Fint fortran_of(MPI_Datatype value) { return pmpi.Type_toint(value); }
inline MPI_Fint fortran_of(MPI_Request value) { return pmpi.Request_toint(value); }

// The ABI is for C. Procedures of Fortran are those of the MPI that is below, and are not intercepted.
struct Sentinel {
    const char* symbol;
    bool holds_address;
};
constexpr std::array<Sentinel, 0> in_place_sentinels{};
constexpr std::array<Sentinel, 0> bottom_sentinels{};
constexpr std::array<Sentinel, 0> status_sentinels{};
constexpr std::array<Sentinel, 0> statuses_sentinels{};
constexpr std::array<Sentinel, 0> automatic_sentinels{};
constexpr std::array<const char*, 0> fortran_library_names{};

// Those of base/mpi/openmpi and base/mpi/mpich together.
struct EagerLimit {
    const char* variable;
    unsigned long long initial;
};
constexpr EagerLimit eager_limits[] = {{"OMPI_MCA_btl_vader_eager_limit", 4096},
                                       {"OMPI_MCA_btl_self_eager_limit", 1024},
                                       {"OMPI_MCA_btl_sm_eager_limit", 4096},
                                       {"OMPI_MCA_btl_tcp_eager_limit", 65536},
                                       {"UCX_RNDV_THRESH", 0}};

// How a library uses MPI_Status.internal.
enum class StatusLayout : std::uint8_t {
    unknown,
    openmpi, // a word that is not 0 when cancelled, then the length in 8 bytes
    mpich    // the lower word of the length, then the upper one, whose lowest bit means cancelled
};
// What follows is filled once by learn_library(). base/mpi/openmpi and base/mpi/mpich say what the names mean. At first
// it is what holds for a library that is not known.
inline constinit StatusLayout status_layout = StatusLayout::unknown;
inline constinit bool tells_truncated_length = false;
inline constinit bool failed_receive_keeps_type = false;
inline constinit bool completes_all_ignored = false;
inline constinit std::size_t overrun_of_truncated = 0;
inline constinit bool whole_basic_elements = true;
inline constinit bool disconnect_awaits_requests = true;
inline constinit bool requests_fail_by_themselves = false;
inline constinit int order_of_c = MPI_ORDER_C;
constexpr bool asks_need_driver = true;

// Recognizes the library by the text of MPI_Get_library_version, and the layout of a status by a status that the
// library fills. Called once, after MPI_Init and before any status is read.
void learn_library();
// Whether the behavior of the library is known. Without that, messages must not carry anything.
bool is_known_mpi();

// The length that a status holds.
inline std::uint64_t bytes_in(const MPI_Status& status, StatusLayout layout = status_layout) {
    std::uint64_t bytes = 0;
    if (layout == StatusLayout::openmpi) [[likely]] {
        std::memcpy(&bytes, status.internal + 1, sizeof bytes);
    } else if (layout == StatusLayout::mpich) {
        const auto high = static_cast<std::uint32_t>(status.internal[1]);
        bytes = static_cast<std::uint64_t>(high >> 1) << 32 | static_cast<std::uint32_t>(status.internal[0]);
    } else {
        MPI_Count count = 0;
        if (pmpi.Get_elements_x(&status, handle.BYTE, &count) == MPI_SUCCESS && count > 0)
            bytes = static_cast<std::uint64_t>(count);
    }
    return bytes;
}
inline void set_bytes(MPI_Status& status, std::uint64_t bytes) {
    if (status_layout == StatusLayout::openmpi) [[likely]] {
        std::memcpy(status.internal + 1, &bytes, sizeof bytes);
    } else if (status_layout == StatusLayout::mpich) {
        status.internal[0] = static_cast<int>(static_cast<std::uint32_t>(bytes));
        status.internal[1] = static_cast<int>(bytes >> 32 << 1) | (status.internal[1] & 1);
    } else {
        pmpi.Status_set_elements_x(&status, handle.BYTE, static_cast<MPI_Count>(bytes));
    }
}
inline bool cancelled(const MPI_Status& status, StatusLayout layout = status_layout) {
    if (layout == StatusLayout::openmpi) [[likely]]
        return status.internal[0] != 0;
    if (layout == StatusLayout::mpich) return (status.internal[1] & 1) != 0;
    int flag = 0;
    return pmpi.Test_cancelled(&status, &flag) == MPI_SUCCESS && flag != 0;
}

} // namespace tactus
