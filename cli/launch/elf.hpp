// Finds which MPI a program needs, from its ELF headers and those of the libraries that it would load. Nothing is
// executed (ldd would run the program's own loader). `tactus run` calls this once for each program, before it starts
// anything.
#pragma once

#include "base/result.hpp"
#include "cli/launch/mpi.hpp"
#include "cli/launch/search.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

// What a dynamic ELF file requests from its loader.
struct DynamicSection {
    int elf_class = 0;
    int machine = 0;
    std::vector<std::string> needed;
    std::vector<std::string> rpath; // $ORIGIN and $LIB already replaced
    std::vector<std::string> runpath;
    bool has_runpath = false;
    bool loads_libraries = true; // false for a statically linked program, into which nothing can be preloaded
};

// Returns no value if the file is not an ELF file. A static program has an empty `needed`.
[[nodiscard]] Result<std::optional<DynamicSection>> read_dynamic_section(const std::filesystem::path& file);

struct MpiNeed {
    enum class Kind {
        none,       // an ELF file that reaches no MPI: a shell, Python, a static program
        one,        // reaches the MPI in `mpi`
        foreign,    // reaches an MPI that tactus has no library for
        built_in,   // has an MPI of its own: it was linked with a static library (libmpich.a)
        script,     // not an ELF file
        unreadable, // missing here, not permitted, or damaged
    };
    Kind kind = Kind::none;
    Mpi mpi = Mpi::openmpi;
    std::string because{};          // the library's name (one, foreign), or what went wrong (unreadable)
    bool address_sanitizer = false; // reaches its runtime
    bool traced_alone = false;      // reaches libVTcs, the library of programs without MPI that are traced as one rank
};

// Follows DT_NEEDED breadth first, as the loader does. The first name of an MPI's library decides.
[[nodiscard]] MpiNeed find_mpi_need(const std::filesystem::path& program, const LibraryPlaces& places);
[[nodiscard]] MpiNeed find_mpi_need(const std::filesystem::path& program);

} // namespace tactus
