#include "cli/table.hpp"

#include <algorithm>

namespace tactus {
namespace {

// Counts characters and not bytes, so that a name in UTF-8 does not shift its row.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

} // namespace

std::string Table::text() const {
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    std::vector<const std::vector<std::string>*> lines = {&titles};
    for (const auto& cells : rows_) lines.push_back(&cells);

    std::vector<std::size_t> widths(columns_.size());
    for (const auto* cells : lines)
        for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], width_of((*cells)[c]));

    std::string text;
    for (const auto* cells : lines) {
        std::string line;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            const std::string& cell = (*cells)[c];
            const std::string gap(widths[c] - width_of(cell), ' ');
            line += "  " + (columns_[c].align == Align::left ? cell + gap : gap + cell);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace tactus
