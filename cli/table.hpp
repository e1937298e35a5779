// A table as text. Each column is as wide as its widest cell.
#pragma once

#include <string>
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
    // Returns the lines, titles first. Each line is indented by two blanks and ends with a newline.
    [[nodiscard]] std::string text() const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace tactus
