// The options of the launchers, to find where the program begins: how many of the following words belong to each
// option. The source is the launchers' own help (Open MPI 4.1, PRRTE 3, Hydra 4.0 to 5, srun 22.05 to 26.11, flux) and
// the references and guides of Intel, Cray, HPE, and sites (aprun, PALS, jsrun, lrun).
#pragma once

#include <string_view>

namespace tactus {

enum class LauncherKind {
    none,
    openmpi, // mpirun of Open MPI, and PRRTE's prterun and prun
    hydra,   // mpiexec of MPICH and of Intel MPI
    srun,
    pals,  // mpiexec and palsrun of HPE's PALS
    aprun, // of Cray's ALPS, and PALS's own of that name
    flux,  // flux run, flux submit
    jsrun,
    lrun,       // around jsrun
    mpirun_rsh, // MVAPICH2's
};

enum class Takes {
    nothing,
    optional,   // a value only when attached: --nice=3
    one,        // the next word, unless the value is attached
    two,        // the next two words: --mca NAME VALUE
    name_value, // one or two words, as Hydra's -genv: NAME=VALUE, or NAME VALUE
    unknown,
};

struct LauncherOption {
    std::string_view name; // in full, where the word was the beginning of a name
    Takes takes = Takes::unknown;
};

// `option` has no dashes. Where clusters_letters() holds, a single letter is looked up among the short options.
[[nodiscard]] LauncherOption launcher_option(LauncherKind kind, std::string_view option);

// Whether several letters may follow one dash, and names have two dashes and may be abbreviated, as getopt_long has it.
[[nodiscard]] bool clusters_letters(LauncherKind kind);

} // namespace tactus
