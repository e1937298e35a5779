#include "cli/manifest.hpp"

#include "base/input_file.hpp"
#include "postproc/profile/tracer_cost.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace tactus {
namespace {

using Parsed = nlohmann::json;

constexpr std::uint64_t largest_manifest = std::uint64_t{1} << 20;
constexpr std::size_t longest_string = 4096; // the length of a long path
constexpr std::size_t most_named_losses = 256;

// Reads one field after the other, and keeps the first error.
class FieldReader {
  public:
    FieldReader(const Parsed& from, const std::string& file) : from_{from}, file_{file} {}

    template <class T> void operator()(const char* name, T& value) {
        if (wrong_) return;
        const auto found = from_.find(name);
        if (found == from_.end())
            complain(name, "is missing");
        else
            take(name, *found, value);
    }
    [[nodiscard]] const std::optional<Error>& wrong() const { return wrong_; }

  private:
    void complain(const std::string& name, const std::string& what) {
        wrong_ = Error{.what = fmt::format("field '{}' {}", name, what),
                       .file = file_,
                       .advice = "remove the file: `tactus recover` makes a new one"};
    }
    void take(const std::string& name, const Parsed& from, std::string& value) {
        if (!from.is_string()) return complain(name, "is not a string");
        value = from.get_ref<const std::string&>();
        if (value.size() > longest_string) complain(name, fmt::format("has more than {} characters", longest_string));
    }
    template <std::unsigned_integral T> void take(const std::string& name, const Parsed& from, T& value) {
        constexpr std::uint64_t most = std::numeric_limits<T>::max();
        if (!from.is_number_unsigned() || from.get<std::uint64_t>() > most)
            return complain(name, fmt::format("is not a whole number from 0 to {}", most));
        value = from.get<T>();
    }
    void take(const std::string& name, const Parsed& from, std::vector<LostCount>& value) {
        if (!from.is_object() || from.size() > most_named_losses)
            return complain(name, "is not an object of counts by name");
        for (const auto& [loss, count] : from.items()) {
            if (loss.empty()) return complain(name, "has a count without a name");
            value.push_back({.name = loss});
            take(name + "." + loss, count, value.back().count);
            if (wrong_) return;
        }
    }

    const Parsed& from_;
    const std::string& file_;
    std::optional<Error> wrong_;
};

bool is_decimal(const std::string& text) {
    constexpr std::size_t most_digits = 20;
    return !text.empty() && text.size() <= most_digits &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Calls and records that could not be written are counted in the manifest, but in no rank file.
bool all_was_written(const Manifest& manifest) {
    return std::all_of(manifest.losses.begin(), manifest.losses.end(), [](const LostCount& loss) {
        return loss.count == 0 || loss.name != losses[static_cast<std::size_t>(Loss::block_not_written)].name;
    });
}

Result<std::string> content_of(const std::string& path) {
    const InputFile file{path};
    if (!file.good()) return Error{.what = "cannot be opened: " + std::string{strerror(errno)}, .file = path};
    if (!file.regular()) return Error{.what = "is not a regular file", .file = path};
    if (file.size() > largest_manifest)
        return Error{.what = fmt::format("has {} bytes, a manifest at most {}", file.size(), largest_manifest),
                     .file = path};
    std::string text(file.size(), '\0');
    if (!file.read(text.data(), text.size(), 0)) return Error{.what = "cannot be read to its end", .file = path};
    return text;
}

} // namespace

Result<Manifest> parse_manifest(std::string_view text, const std::string& file) {
    const Parsed parsed = Parsed::parse(text, nullptr, false);
    if (!parsed.is_object()) return Error{.what = "is not a JSON object", .file = file};
    // The format is read first, because it tells whether the other fields have the meaning that is known here.
    std::uint32_t format = 0;
    FieldReader first{parsed, file};
    first("format", format);
    if (first.wrong()) return *first.wrong();
    if (format > format_version)
        return Error{.what = fmt::format("format {} was written by a newer tactus; this one reads up to {}", format,
                                         format_version),
                     .file = file,
                     .advice = "use the tactus that wrote the trace, or a newer one"};
    Manifest manifest;
    FieldReader reader{parsed, file};
    Manifest::fields(manifest, reader);
    if (reader.wrong()) return *reader.wrong();
    if (!is_decimal(manifest.job)) return Error{.what = "field 'job' is not a decimal number", .file = file};
    if (manifest.format == 0) return Error{.what = "field 'format' is 0, the first is 1", .file = file};
    if (manifest.ranks == 0) return Error{.what = "field 'ranks' is 0, a run has at least one", .file = file};
    return manifest;
}

Result<std::optional<Manifest>> read_manifest(const std::string& trace) {
    const std::string path = manifest_path(trace);
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) {
        if (errno == ENOENT) return std::optional<Manifest>{};
        return Error{.what = "cannot be looked at: " + std::string{strerror(errno)}, .file = path};
    }
    if (S_ISLNK(status.st_mode))
        return Error{.what = "is a symbolic link; the manifest of a trace lies in its directory",
                     .file = path,
                     .advice = "copy the file that was meant here"};
    const auto text = content_of(path);
    if (!text) return text.error();
    auto manifest = parse_manifest(*text, path);
    if (!manifest) return manifest.error();
    return std::optional{std::move(*manifest)};
}

std::vector<Error> contradictions(const Manifest& manifest, const Trace& trace) {
    std::vector<Error> found;
    const auto compare = [&](const char* what, const auto& said, const auto& is) {
        if (said == is) return;
        found.push_back({.what = fmt::format("says {} {}, the rank files {}", what, said, is),
                         .file = manifest_path(trace.path),
                         .advice = "a file of the trace was changed or replaced"});
    };
    const Header& header = trace.ranks.front().header();
    compare("job", manifest.job, std::to_string(header.job));
    compare("ranks", manifest.ranks, header.ranks);
    if (!trace.finished()) return found;
    const Volume volume = volume_of(trace);
    compare("bytes", manifest.bytes, volume.bytes);
    if (!all_was_written(manifest)) return found;
    compare("calls", manifest.calls, volume.calls);
    compare("records", manifest.records, volume.records);
    return found;
}

} // namespace tactus
