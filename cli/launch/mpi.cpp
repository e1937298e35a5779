#include "cli/launch/mpi.hpp"

namespace tactus {

std::string_view mpi_word(Mpi mpi) {
    constexpr std::array<std::string_view, all_mpis.size()> words{"openmpi", "mpich", "abi"};
    return words[static_cast<std::size_t>(mpi)];
}

std::string_view mpi_title(Mpi mpi) {
    constexpr std::array<std::string_view, all_mpis.size()> titles{"Open MPI", "MPICH", "an MPI with the standard ABI"};
    return titles[static_cast<std::size_t>(mpi)];
}

std::optional<Mpi> parse_mpi(std::string_view word) {
    for (const Mpi mpi : all_mpis)
        if (word == mpi_word(mpi)) return mpi;
    return std::nullopt;
}

// Open MPI has libmpi.so.40 since 3.1 and had .20 before. Its libmpi_mpifh, libmpi_usempif08 and libmpi_cxx have the
// same number. MPICH has libmpich*.so.*, and the common ABI (Intel MPI, MVAPICH, Cray: libmpi_cray, libmpi_gnu_91,
// libmpifort) has .12. The standard ABI of MPI 5 has libmpi_abi.so.1, whoever made it.
SonameKind classify_soname(std::string_view soname) {
    if (soname.starts_with("libmpich")) return SonameKind::mpich;
    const auto dot = soname.find(".so.");
    if (dot == std::string_view::npos) return SonameKind::other;
    const std::string_view stem = soname.substr(0, dot);
    std::string_view version = soname.substr(dot + 4);
    version = version.substr(0, version.find('.'));
    if (stem == "libmpi_abi") return version == "1" ? SonameKind::abi : SonameKind::foreign;
    const bool bare = stem == "libmpi";
    if (!bare && !stem.starts_with("libmpi_") && stem != "libmpifort" && stem != "libmpicxx") return SonameKind::other;
    if (version == "40" || version == "20") return SonameKind::openmpi;
    if (version == "12") return SonameKind::mpich;
    return bare ? SonameKind::foreign : SonameKind::other;
}

} // namespace tactus
