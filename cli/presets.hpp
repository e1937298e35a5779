// What Intel's mpirun takes beside its own options, such as -trace-pt2pt: choices of what is recorded.
#pragma once

#include "cli/launch/surroundings.hpp"

#include <array>
#include <vector>

namespace tactus {

enum class Preset { trace, pt2pt, collectives, imbalance, check, tcollect };
struct PresetName {
    const char* name; // without dashes
    const char* help;
};
inline constexpr auto preset_names = std::to_array<PresetName>({
    {"trace", "As for Intel's mpirun: records everything, as without it"},
    {"trace-pt2pt", "Records only point-to-point communication"},
    {"trace-collectives", "Records only collective operations"},
    {"trace-imbalance", "Records only calls in which ranks wait for others"},
    {"check_mpi", "Asks for checks, which this version does not have"},
    {"tcollect", "Asks for all functions of the program, which this version does not record"},
});

// Puts the rules of the preset in front of those of VT_STATE in this process's environment, or says on standard error
// what this version does not have.
void apply(Preset preset);

// Takes presets out of the options of the launcher in a command line, which knows none of them. Words of the program
// stay.
std::vector<Preset> take_presets(Arguments& argv);

} // namespace tactus
