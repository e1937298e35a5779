// What an option of a launcher means for the programs behind it: where they run, with which variables, and how the
// library comes to them.
#pragma once

#include "cli/launch/options.hpp"

namespace tactus {

enum class Means {
    nothing,
    directory,        // where the programs run
    path,             // where they are searched
    variable,         // gives them NAME=VALUE, or the launcher's own NAME
    no_variables,     // they get none of the launcher's
    export_list,      // srun's --export
    copies,           // the program is copied to the nodes
    stays,            // it is not
    file_of_programs, // srun's --multi-prog: a file that names the programs stands in the program's place
    hides_programs,   // a file names the programs, and other options with them
};

struct Meaning {
    Means means = Means::nothing;
    bool everywhere = false; // holds for all parts of the line, not for the one in which it stands
};

[[nodiscard]] Meaning meaning_of(LauncherKind kind, std::string_view option);

// Whether the launcher copies the program when no option says anything about it.
[[nodiscard]] bool copies_programs(LauncherKind kind);

// The option with which this launcher gives a variable to the ranks. It is empty where launchers that never copy
// programs need none, and for srun, whose --export has all variables in one list.
[[nodiscard]] std::string_view variable_option(LauncherKind kind);

} // namespace tactus
