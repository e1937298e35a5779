// The options of the launchers, to find where the program begins: how many of the following words belong to each
// option. The source is the launchers' own help (Open MPI 4.1, PRRTE 3, Hydra 4.0 to 5, srun 22.05 to 26.11) and
// Intel's reference.
#pragma once

#include <string_view>

namespace tactus {

enum class LauncherKind { none, openmpi, hydra, srun };

enum class Takes {
    nothing,
    optional,   // a value only when attached: --nice=3
    one,        // the next word, unless the value is attached
    two,        // the next two words: --mca NAME VALUE
    name_value, // one or two words, as Hydra's -genv: NAME=VALUE, or NAME VALUE
    unknown,
};

// `option` has no dashes. For srun a single letter is looked up among the short options.
[[nodiscard]] Takes launcher_option(LauncherKind kind, std::string_view option);

// Why the library cannot be inserted when this option is present, and what to write instead. Both are empty for options
// that do no harm.
struct Obstacle {
    std::string_view why;
    std::string_view advice;
};
[[nodiscard]] Obstacle launcher_obstacle(LauncherKind kind, std::string_view option);

} // namespace tactus
