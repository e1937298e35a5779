#include "cli/kept_names.hpp"

#include "cli/messages.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

namespace {

using Object = nlohmann::ordered_json;

constexpr int version = 1;

Object json_of(const Place& place, const SourceLine& line) {
    Object entry = {{"module", place.module}, {"build_id", place.build_id}, {"offset", place.offset}};
    if (!line.function.empty()) entry["function"] = line.function;
    if (!line.through.empty()) entry["through"] = line.through;
    if (line.known()) {
        entry["file"] = line.file;
        entry["line"] = line.line;
    }
    return entry;
}

Outcome write(const std::string& path, const std::map<Place, SourceLine>& names) {
    Object places = Object::array();
    for (const auto& [place, line] : names) places.push_back(json_of(place, line));
    const std::string draft = path + ".new";
    const Object all = {{"version", version}, {"places", std::move(places)}};
    if (Outcome written = write_file(draft, json_text(all) + "\n"); !written) return written;
    std::error_code failed;
    fs::rename(draft, path, failed);
    if (failed) return Error{.what = failed.message(), .file = path};
    return Done{};
}

} // namespace

Result<std::map<Place, SourceLine>> kept_names(const std::string& trace) {
    const fs::path path = fs::path{trace} / kept_names_file;
    std::map<Place, SourceLine> names;
    std::ifstream in{path};
    if (!in) return names;
    const Object all = Object::parse(in, nullptr, false);
    const Error unusable{.what = "is no list of call places of version " + std::to_string(version),
                         .file = path.string(),
                         .advice = "remove it: the names are then looked up again"};
    try {
        if (all.is_discarded() || all.at("version") != version) return unusable;
        for (const Object& entry : all.at("places")) {
            const Place place{
                .module = entry.at("module"), .build_id = entry.at("build_id"), .offset = entry.at("offset")};
            names[place] = {.function = entry.value("function", ""),
                            .through = entry.value("through", ""),
                            .file = entry.value("file", ""),
                            .line = entry.value("line", 0)};
        }
    } catch (const nlohmann::json::exception&) {
        return unusable;
    }
    return names;
}

void SourceLines::take_kept_names(const std::string& trace) {
    if (trace.empty()) return;
    auto kept = kept_names(trace);
    if (kept)
        known_ = std::move(*kept);
    else
        untrusted_.push_back(kept.error().line());
}

void keep_names(const std::string& trace, const Profile& profile, SourceLines& lines) {
    const std::string path = (fs::path{trace} / kept_names_file).string();
    if (::access(trace.c_str(), W_OK) != 0) return;
    auto names = kept_names(trace);
    if (!names) return;
    const std::size_t before = names->size();
    const auto keep = [&](const Place& place) {
        if (place.module.empty() || !place.function.empty() || names->contains(place)) return;
        const SourceLine& line = lines.find(place);
        if (line.known() || !line.function.empty()) names->emplace(place, line);
    };
    for (const PlaceProfile& place : profile.places) keep(place.place);
    for (const RankProfile& rank : profile.ranks) {
        for (const SampledPlace& sampled : rank.samples.places) {
            keep(sampled.place);
            keep(sampled.called);
        }
        for (const CallPath& call : rank.samples.calls)
            for (const Place& caller : call.callers) keep(caller);
    }
    if (names->size() > before)
        if (const Outcome written = write(path, *names); !written) fail(written.error());
}

} // namespace tactus
