#include "trace/manifest.hpp"

#include "base/json.hpp"
#include "base/write_signals.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace tactus {

Manifest manifest_of(const Header& header) {
    Manifest manifest;
    manifest.job = std::to_string(header.job);
    manifest.run = header.run;
    manifest.program = header.program;
    manifest.mpi = header.mpi;
    manifest.ranks = header.ranks;
    return manifest;
}

std::vector<LostCount> named_losses(std::span<const std::uint64_t> lost) {
    std::vector<LostCount> named;
    for (std::size_t i = 0; i < lost.size() && i < loss_count; ++i) named.push_back({losses[i].name, lost[i]});
    return named;
}

std::string manifest_path(const std::string& trace) { return trace + "/manifest.json"; }

std::string manifest_text(const Manifest& manifest) {
    Json json;
    json.open();
    Manifest::fields(manifest, [&]<class T>(const char* name, const T& value) {
        if constexpr (std::is_same_v<T, std::vector<LostCount>>) {
            json.open(name);
            for (const LostCount& loss : value) json.field(loss.name, loss.count);
            json.close();
        } else {
            json.field(name, value);
        }
    });
    json.close();
    return json.text();
}

Outcome write_manifest(const std::string& trace, const Manifest& manifest) {
    const WriteSignalsBlocked quiet;
    const std::string text = manifest_text(manifest);
    const std::string path = manifest_path(trace);
    const std::string draft = path + ".new";
    std::FILE* file = std::fopen(draft.c_str(), "we");
    const bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file == nullptr || std::fclose(file) != 0 || !good || std::rename(draft.c_str(), path.c_str()) != 0)
        return Error{.what = "cannot be written: " + std::string{strerror(errno)}, .file = path};
    return Done{};
}

} // namespace tactus
