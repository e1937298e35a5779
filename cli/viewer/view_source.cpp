#include "cli/viewer/view_source.hpp"

#include "cli/messages.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tactus {

Answer source_answer(ServedTrace& served, const Question& question) {
    constexpr int around = 12;
    constexpr std::uintmax_t most_bytes = 16 << 20;
    constexpr std::size_t most_letters = 400; // of each line
    using Object = nlohmann::ordered_json;
    const auto line = served.line_at(question.text("place").value_or(""));
    if (!line) return refused(404, "no call of that place was shown yet, or it has no source line");
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(line->file, error);
    if (error || !std::filesystem::is_regular_file(line->file, error) || size > most_bytes)
        return refused(404, "the source is not at hand: " + line->file);
    std::ifstream file{line->file};
    Object lines = Object::array();
    const int first = std::max(1, line->line - around);
    std::string text;
    for (int number = 1; number <= line->line + around && std::getline(file, text); ++number)
        if (number >= first) lines.push_back(text.substr(0, most_letters));
    return {.body = json_text(
                {{"file", line->file}, {"line", line->line}, {"first", first}, {"lines", std::move(lines)}}, -1)};
}

} // namespace tactus
