#include "cli/presets.hpp"

#include "cli/launch/launcher.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

namespace tactus {
namespace {

// Whether a call may wait for a message, or for requests.
bool receives_or_completes(Shape shape) {
    return shape == Shape::receive || shape == Shape::matched_receive || shape == Shape::sendrecv || is_probe(shape) ||
           completes_requests(shape);
}

bool is_recorded(Preset preset, Function function) {
    const Shape shape = shape_of(function);
    switch (preset) {
    case Preset::pt2pt:
        return is_send(shape) || receives_or_completes(shape) || starts_persistent(shape);
    case Preset::collectives:
        return is_collective(function);
    case Preset::imbalance:
        return is_collective(function) || receives_or_completes(shape);
    default:
        return true;
    }
}

// Rules of VT_STATE for these functions, beside those in which a recording begins and ends.
std::string rules_of(Preset preset) {
    std::string rules = "MPI:* off; MPI:MPI_Init* on; MPI:MPI_Finalize on; MPI:MPI_Comm_create_from_group on; "
                        "MPI:MPI_Session_finalize on";
    for (std::size_t i = 0; i < function_count; ++i)
        if (is_recorded(preset, static_cast<Function>(i))) rules += "; MPI:" + std::string{functions[i].name} + " on";
    return rules;
}

bool is_word_of(const PresetName& preset, const std::string& word) {
    return word == std::string{"-"} + preset.name || word == std::string{"--"} + preset.name;
}

} // namespace

void apply(Preset preset) {
    switch (preset) {
    case Preset::trace:
        return;
    case Preset::check:
        fmt::print(stderr, "tactus: -check_mpi: tactus does not check for errors in this version; the run is traced\n");
        return;
    case Preset::tcollect:
        fmt::print(stderr,
                   "tactus: -tcollect: tactus does not record the program's functions in this version; VT_begin "
                   "and VT_end of VT.h mark those that matter\n");
        return;
    default:
        const char* const own = std::getenv("VT_STATE");
        const std::string rules = rules_of(preset) + (own != nullptr ? "; " + std::string{own} : "");
        setenv("VT_STATE", rules.c_str(), 1);
    }
}

std::vector<Preset> take_presets(Arguments& argv) {
    std::vector<Preset> found;
    Arguments kept;
    std::size_t last = 0; // in `kept`, before which the last of them was left out
    for (const std::string& word : argv) {
        const auto named = std::find_if(preset_names.begin(), preset_names.end(),
                                        [&](const PresetName& preset) { return is_word_of(preset, word); });
        if (named == preset_names.end()) {
            kept.push_back(word);
            continue;
        }
        found.push_back(static_cast<Preset>(named - preset_names.begin()));
        last = kept.size();
    }
    if (found.empty()) return {};
    const auto line = parse_command_line(kept, {});
    const bool of_the_launcher =
        line && line->launcher.kind != LauncherKind::none && !line->parts.empty() && last <= line->parts.front().begin;
    if (!of_the_launcher) return {};
    argv = std::move(kept);
    return found;
}

} // namespace tactus
