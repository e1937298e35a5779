// What MPICH does its own way. Chosen by include path; collector/openmpi/mpi_kind.hpp is the other.
#pragma once

#include <cstdint>
#include <mpi.h>

namespace tactus {

constexpr const char* mpi_name = "MPICH";
constexpr const char* version_begins = "MPICH";
constexpr const char* library_names[] = {"libmpich.so", "libmpi.so"};

inline std::uint64_t key_of(int value) { return static_cast<std::uint32_t>(value); } // every handle is an int

// The length that a status holds, without a call: 63 bits over two words, the lowest bit of the upper one means
// cancelled.
inline std::uint64_t bytes_in(const MPI_Status& status) {
    const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled);
    return static_cast<std::uint64_t>(high >> 1) << 32 | static_cast<std::uint32_t>(status.count_lo);
}
inline bool cancelled(const MPI_Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }

} // namespace tactus
