// The two families of MPI that tactus has a library for, and how the names of shared libraries tell them apart.
#pragma once

#include <optional>
#include <string_view>

namespace tactus {

enum class Mpi { openmpi, mpich };

// Returns "openmpi" or "mpich", the word in library names and for `--mpi`.
[[nodiscard]] std::string_view mpi_word(Mpi mpi);
// Returns "Open MPI" or "MPICH", the name in messages.
[[nodiscard]] std::string_view mpi_title(Mpi mpi);
[[nodiscard]] std::optional<Mpi> parse_mpi(std::string_view word);

// Which MPI a DT_NEEDED name belongs to. `foreign` is an MPI that tactus has no library for (libmpi_abi.so.0).
enum class SonameKind { other, openmpi, mpich, foreign };
[[nodiscard]] SonameKind classify_soname(std::string_view soname);

} // namespace tactus
