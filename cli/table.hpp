// A table as text. Each column is as wide as its widest cell. Where the table is wider than the terminal, the widest
// columns of text are made narrower, and what is too long for them has '...' in its middle.
#pragma once

#include "cli/terminal.hpp"

#include <string>
#include <unistd.h>
#include <vector>

namespace tactus {

class Table {
  public:
    enum class Align { left, right };
    struct Column {
        std::string title;
        Align align = Align::right;
    };
    explicit Table(std::vector<Column> columns) : columns_{std::move(columns)} {}

    // Appends a row. There must be as many cells as columns.
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    // Returns the lines, titles first. Each line is indented by two blanks and ends with a newline. `width` is that of
    // the terminal; 0 means any width.
    [[nodiscard]] std::string text(std::size_t width = terminal_width(STDOUT_FILENO)) const;

  private:
    void fit(std::vector<std::size_t>& widths, std::size_t width) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace tactus
