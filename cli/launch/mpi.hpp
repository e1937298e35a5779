// The flavors of MPI that tactus has a library for, and how the names of shared libraries tell them apart.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tactus {

// `abi` is the standard ABI of MPI 5, which libraries of several makers have.
enum class Mpi { openmpi, mpich, abi };
inline constexpr std::array all_mpis = {Mpi::openmpi, Mpi::mpich, Mpi::abi};

// Returns "openmpi", "mpich" or "abi", the word in library names and for `--mpi`.
[[nodiscard]] std::string_view mpi_word(Mpi mpi);
// Returns "Open MPI", "MPICH" or "an MPI with the standard ABI", the name in messages.
[[nodiscard]] std::string_view mpi_title(Mpi mpi);
[[nodiscard]] std::optional<Mpi> parse_mpi(std::string_view word);

// Which MPI a DT_NEEDED name belongs to. `foreign` is an MPI that tactus has no library for (libmpi_abi.so.0).
enum class SonameKind { other, openmpi, mpich, abi, foreign };
[[nodiscard]] SonameKind classify_soname(std::string_view soname);

} // namespace tactus
