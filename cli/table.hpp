// A table of text: columns as wide as their widest cell, numbers to the right. Pure.
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

    // As many cells as there are columns.
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    // Each line indented by two blanks and ended by a newline; titles first.
    [[nodiscard]] std::string text() const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace tactus
