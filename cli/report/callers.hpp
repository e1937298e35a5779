// Who made the calls at a place, by samples of calls (trace/sample.hpp). A function that only passes calls on to the
// MPI, a wrapper, is passed over: what is named is the function that called it.
#pragma once

#include "cli/source_lines.hpp"
#include "postproc/profile/profile.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tactus {

// A path of callers, of all ranks together.
struct ShownPath {
    Place place; // of the calls
    std::vector<Place> callers;
    bool complete = true;
    SampleSum inside = {};
};

class Callers {
  public:
    // What shares are a part of: the time in the calls, or that before them.
    enum class Time { inside, before };

    // `profile` and `lines` must outlive it.
    Callers(const Profile& profile, SourceLines& lines);
    [[nodiscard]] SourceLines& lines() const { return lines_; }

    // Returns text such as ", called by solve (scf.f90:310)", or ", called by solve (scf.f90:310) for 71.2 % of the
    // sampled time in it (between 60 and 80)" if a wrapper makes the calls at this place; empty if none does, or if its
    // callers are not known. `rank`: of this rank.
    std::string text(const Place& place, Time time, std::optional<std::uint32_t> rank = {});

    // The paths of calls that were sampled when they ended, those with most time first.
    [[nodiscard]] std::vector<ShownPath> paths() const;

  private:
    using FunctionId = std::array<std::string, 3>; // module, source file, and name or else the place

    FunctionId function_of(const Place& place);
    std::string unit_of(const Place& place);
    bool is_wrapper(const Place& place);
    const Place* named(const CallPath& path);
    void find_wrapper_unit();

    const Profile& profile_;
    SourceLines& lines_;
    std::map<FunctionId, std::set<Place>> places_in_;       // where calls are made
    std::map<FunctionId, std::set<FunctionId>> callers_of_; // as far as samples have seen them
    std::string wrapper_unit_; // the source file, or library, that makes all calls, for others; empty: none
};

} // namespace tactus
