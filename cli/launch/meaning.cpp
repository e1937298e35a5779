#include "cli/launch/meaning.hpp"

#include <array>

namespace tactus {

namespace {

using enum LauncherKind;

struct OptionMeaning {
    LauncherKind kind;
    std::string_view option;
    Meaning meaning;
};

constexpr std::array rows{
    OptionMeaning{openmpi, "wd", {Means::directory}},
    OptionMeaning{openmpi, "wdir", {Means::directory}},
    OptionMeaning{openmpi, "path", {Means::path}},
    OptionMeaning{openmpi, "x", {Means::variable}},
    OptionMeaning{openmpi, "s", {Means::copies}},
    OptionMeaning{openmpi, "preload-binary", {Means::copies}},
    OptionMeaning{openmpi, "app", {Means::hides_programs}},
    OptionMeaning{hydra, "wdir", {Means::directory, true}},
    OptionMeaning{hydra, "path", {Means::path}},
    OptionMeaning{hydra, "genv", {Means::variable, true}},
    OptionMeaning{hydra, "env", {Means::variable}},
    OptionMeaning{hydra, "genvnone", {Means::no_variables, true}},
    OptionMeaning{hydra, "envnone", {Means::no_variables}},
    OptionMeaning{hydra, "configfile", {Means::hides_programs}},
    OptionMeaning{srun, "D", {Means::directory}},
    OptionMeaning{srun, "chdir", {Means::directory}},
    OptionMeaning{srun, "export", {Means::export_list}},
    OptionMeaning{srun, "bcast", {Means::copies}},
    OptionMeaning{srun, "multi-prog", {Means::file_of_programs}},
    OptionMeaning{pals, "wdir", {Means::directory}},
    OptionMeaning{pals, "e", {Means::variable}},
    OptionMeaning{pals, "env", {Means::variable}},
    OptionMeaning{pals, "genv", {Means::variable, true}},
    OptionMeaning{pals, "envnone", {Means::no_variables}},
    OptionMeaning{pals, "genvnone", {Means::no_variables, true}},
    OptionMeaning{pals, "b", {Means::stays}},
    OptionMeaning{pals, "no-transfer", {Means::stays}},
    OptionMeaning{pals, "configfile", {Means::hides_programs}},
    OptionMeaning{aprun, "wdir", {Means::directory}},
    OptionMeaning{aprun, "e", {Means::variable}},
    OptionMeaning{aprun, "env", {Means::variable}},
    OptionMeaning{aprun, "b", {Means::stays}},
    OptionMeaning{aprun, "no-transfer", {Means::stays}},
    OptionMeaning{aprun, "configfile", {Means::hides_programs}},
    OptionMeaning{flux, "cwd", {Means::directory}},
    OptionMeaning{flux, "env", {Means::variable}},
    OptionMeaning{jsrun, "h", {Means::directory}},
    OptionMeaning{jsrun, "chdir", {Means::directory}},
    OptionMeaning{jsrun, "E", {Means::variable}},
    OptionMeaning{jsrun, "env", {Means::variable}},
    OptionMeaning{jsrun, "f", {Means::hides_programs}},
    OptionMeaning{jsrun, "appfile", {Means::hides_programs}},
    OptionMeaning{mpirun_rsh, "env", {Means::variable}},
    OptionMeaning{mpirun_rsh, "config", {Means::hides_programs}},
};

} // namespace

Meaning meaning_of(LauncherKind kind, std::string_view option) {
    for (const OptionMeaning& row : rows) {
        if (row.kind == kind && row.option == option) return row.meaning;
    }
    return {};
}

bool copies_programs(LauncherKind kind) { return kind == pals || kind == aprun; }

std::string_view variable_option(LauncherKind kind) {
    switch (kind) {
    case openmpi:
        return "-x";
    case pals:
        return "--env";
    case aprun:
        return "-e";
    default:
        return {};
    }
}

} // namespace tactus
