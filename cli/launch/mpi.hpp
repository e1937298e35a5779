// The two families of MPI that tactus has a library for, and how they are told apart by the names of shared libraries.
#pragma once

#include <optional>
#include <string_view>

namespace tactus {

enum class Mpi { openmpi, mpich };

// "openmpi" or "mpich": the word in library names and in `--mpi`.
[[nodiscard]] std::string_view mpi_word(Mpi mpi);
// "Open MPI" or "MPICH": the word in messages.
[[nodiscard]] std::string_view mpi_title(Mpi mpi);
[[nodiscard]] std::optional<Mpi> parse_mpi(std::string_view word);

// What a DT_NEEDED name says. `foreign` is an MPI that tactus has no library for, such as libmpi_abi.so.0.
enum class SonameKind { other, openmpi, mpich, foreign };
[[nodiscard]] SonameKind classify_soname(std::string_view soname);

} // namespace tactus
