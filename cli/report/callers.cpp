#include "cli/report/callers.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/time_parts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace tactus {
namespace {

// A wrapper has so many callers, of different functions, and calls the MPI at few places.
constexpr std::size_t fewest_callers = 3;
constexpr std::size_t most_calls_in_wrapper = 4;

// Libraries that call the MPI for programs.
bool is_wrapper_library(std::string_view path) {
    constexpr auto begins = std::to_array<std::string_view>(
        {"libpetsc", "libHYPRE", "libscalapack", "libblacs", "libhdf5", "libnetcdf", "libpnetcdf", "libfftw3",
         "libboost_mpi", "libparmetis", "libsuperlu_dist", "libelpa", "libadios2", "libffi"});
    if (path.find("-packages/mpi4py/") != path.npos) return true;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return std::ranges::any_of(begins, [&](std::string_view begin) { return name.starts_with(begin); });
}

// Most main functions call these, also where another unit makes all other calls.
bool is_of_main(Function function) {
    const Shape shape = shape_of(function);
    return shape == Shape::local || part_of(function) == TimePart::ends;
}

bool is_main(std::string_view function) {
    return function == "main" || function == "MAIN__" || function == "<module>"; // of C, Fortran, Python
}

} // namespace

Callers::Callers(const Profile& profile, SourceLines& lines) : profile_{profile}, lines_{lines} {
    for (const PlaceProfile& at : profile.places)
        if (at.place != Place{}) places_in_[function_of(at.place)].insert(at.place);
    for (const RankProfile& rank : profile.ranks)
        for (const CallPath& path : rank.samples.calls) {
            const Place* callee = &path.place;
            for (const Place& caller : path.callers) {
                const FunctionId function = function_of(*callee);
                if (const FunctionId own = function_of(caller); own != function) callers_of_[function].insert(own);
                callee = &caller;
            }
        }
    find_wrapper_unit();
}

Callers::FunctionId Callers::function_of(const Place& place) {
    const SourceLine& line = lines_.find(place);
    return {place.module, line.file, line.function.empty() ? std::to_string(place.offset) : line.function};
}

std::string Callers::unit_of(const Place& place) {
    const SourceLine& line = lines_.find(place);
    return line.known() ? line.file : place.module;
}

void Callers::find_wrapper_unit() {
    std::set<std::string> units;
    for (const PlaceProfile& at : profile_.places)
        if (at.place != Place{} && !is_of_main(at.function)) units.insert(unit_of(at.place));
    if (units.size() != 1) return;
    // Of several places in other units that call it, or of one in another function than main. Otherwise the unit may be
    // the whole program but for its main function.
    std::set<Place> callers;
    bool all_main = true;
    for (const RankProfile& rank : profile_.ranks)
        for (const CallPath& path : rank.samples.calls) {
            if (unit_of(path.place) != *units.begin()) continue;
            const auto caller =
                std::ranges::find_if(path.callers, [&](const Place& at) { return unit_of(at) != *units.begin(); });
            if (caller == path.callers.end() || is_of_system(*caller)) continue;
            callers.insert(*caller);
            all_main = all_main && is_main(lines_.find(*caller).function);
        }
    if (callers.size() > (all_main ? 1U : 0U)) wrapper_unit_ = *units.begin();
}

bool Callers::is_wrapper(const Place& place) {
    const FunctionId function = function_of(place);
    if (is_main(function.back())) return false;
    if (is_wrapper_library(place.module) || (!wrapper_unit_.empty() && unit_of(place) == wrapper_unit_)) return true;
    const auto places = places_in_.find(function);
    const auto callers = callers_of_.find(function);
    return places != places_in_.end() && places->second.size() <= most_calls_in_wrapper &&
           callers != callers_of_.end() && callers->second.size() >= fewest_callers;
}

// The caller to be named, or nullptr if no wrapper makes the calls, or if it was not called by the program.
const Place* Callers::named(const CallPath& path) {
    if (!is_wrapper(path.place)) return nullptr;
    // Between a library of Python and the program there may be others. What an MPI calls nobody in the program did.
    const auto caller = std::ranges::find_if(path.callers, [&](const Place& at) {
        return is_library_of_mpi(at.module) || (!is_wrapper(at) && !is_of_system(at));
    });
    if (caller == path.callers.end() || caller->module.empty() || is_library_of_mpi(caller->module)) return nullptr;
    return &*caller;
}

std::string Callers::text(const Place& place, Time time, std::optional<std::uint32_t> rank) {
    struct Of {
        const Place* most = nullptr; // the place in the function with most time
        double most_s = 0;
        double seconds = 0;
    };
    std::map<FunctionId, Of> by_function;
    SampleSum all;
    for (const RankProfile& of : profile_.ranks) {
        if (rank && of.rank != *rank) continue;
        for (const CallPath& path : of.samples.calls) {
            const SampleSum& sum = time == Time::inside ? path.inside : path.before;
            if (path.place != place || sum.samples == 0) continue;
            all.add(sum);
            const Place* const caller = named(path);
            if (caller == nullptr) continue;
            Of& function = by_function[function_of(*caller)];
            function.seconds += sum.seconds;
            if (sum.seconds > function.most_s) function = {caller, sum.seconds, function.seconds};
        }
    }
    if (by_function.empty() || all.effective() < fewest_samples) return {};
    std::vector<Of> found;
    for (const auto& [function, of] : by_function) found.push_back(of);
    std::ranges::stable_sort(found, std::greater{}, &Of::seconds);
    const Of& most = found.front();
    const SourceLine& line = lines_.find(*most.most);
    const std::string at = printable(lines_.caller_text(*most.most));
    const std::string name = line.known() ? fmt::format("{} ({})", printable(line.function), at) : at;
    const double share = most.seconds / all.seconds;
    if (share >= nearly_all) return ", called by " + name;
    const auto interval = standing_out(share, found.size() > 1 ? found[1].seconds / all.seconds : 0, all.effective());
    if (!interval) return fmt::format(", called by at least {} functions, one of them {}", found.size(), name);
    return fmt::format(", called by {} for {} of the sampled time {} it (between {:.0f} and {:.0f})", name,
                       percent_text(share), time == Time::inside ? "in" : "before", 100 * interval->low,
                       100 * interval->high);
}

std::vector<ShownPath> Callers::paths() const {
    std::map<std::pair<Place, std::vector<Place>>, ShownPath> all;
    for (const RankProfile& rank : profile_.ranks)
        for (const CallPath& path : rank.samples.calls) {
            ShownPath& shown = all[{path.place, path.callers}];
            shown.place = path.place;
            shown.callers = path.callers;
            shown.complete = shown.complete && path.complete;
            shown.inside.add(path.inside);
        }
    std::vector<ShownPath> paths;
    for (auto& [key, path] : all)
        if (path.inside.samples > 0) paths.push_back(std::move(path));
    std::ranges::stable_sort(paths, std::greater{}, [](const ShownPath& path) { return path.inside.seconds; });
    return paths;
}

} // namespace tactus
