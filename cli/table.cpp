#include "cli/table.hpp"

#include <algorithm>

namespace tactus {
namespace {

// The text with as many characters as fit, and "..." in place of its middle.
std::string shortened(const std::string& text, std::size_t columns) {
    if (columns_of(text) <= columns) return text;
    constexpr std::size_t dots = 3;
    const std::size_t kept = columns > dots ? columns - dots : 0;
    const std::size_t head = (kept + 1) / 2;
    const std::size_t tail_begin = columns_of(text) - kept / 2;
    std::string short_text;
    std::size_t column = 0;
    for (const char c : text) {
        if ((c & 0xc0) != 0x80) {
            if (column == head) short_text += "...";
            ++column;
        }
        if (column <= head || column > tail_begin) short_text += c;
    }
    return short_text;
}

} // namespace

// A table of many numbers does not fit into a narrow terminal whatever happens to its texts. These stay readable.
void Table::fit(std::vector<std::size_t>& widths, std::size_t width) const {
    constexpr std::size_t least = 12;
    constexpr std::size_t readable = 24;
    std::size_t whole = 0;
    std::size_t narrowest = 0;
    for (std::size_t c = 0; c < widths.size(); ++c) {
        whole += 2 + widths[c];
        narrowest += 2 + (columns_[c].align == Align::left ? std::min(widths[c], least) : widths[c]);
    }
    const std::size_t limit = narrowest > width ? readable : least;
    for (; width > 0 && whole > width; --whole) {
        std::size_t* widest = nullptr;
        for (std::size_t c = 0; c < widths.size(); ++c)
            if (columns_[c].align == Align::left && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
        if (widest == nullptr || *widest <= limit) return;
        --*widest;
    }
}

std::string Table::text(std::size_t width) const {
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    std::vector<const std::vector<std::string>*> lines = {&titles};
    for (const auto& cells : rows_) lines.push_back(&cells);

    std::vector<std::size_t> widths(columns_.size());
    for (const auto* cells : lines)
        for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], columns_of((*cells)[c]));

    fit(widths, width);
    std::string text;
    for (const auto* cells : lines) {
        std::string line;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            const std::string cell = shortened((*cells)[c], widths[c]);
            const std::string gap(widths[c] - columns_of(cell), ' ');
            line += "  " + (columns_[c].align == Align::left ? cell + gap : gap + cell);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace tactus
