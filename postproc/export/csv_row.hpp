// Rows of a CSV file, field by field. Pure except for writing the file.
#pragma once

#include "postproc/export/output_file.hpp"

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

class CsvRows {
  public:
    // `names` is the first line: names with commas in between.
    CsvRows(OutputFile& out, std::string_view names) : out_{out} { out_.put(std::string{names} + "\n"); }

    CsvRows& text(std::string_view value) {
        begin();
        if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
            line_ += value;
            return *this;
        }
        line_ += '"';
        for (const char c : value) {
            if (c == '"') line_ += '"';
            line_ += c;
        }
        line_ += '"';
        return *this;
    }
    CsvRows& none() {
        begin();
        return *this;
    }
    template <class T>
    requires std::integral<T> || std::floating_point<T> CsvRows& number(T value) {
        begin();
        char digits[64];
        if constexpr (std::same_as<T, bool>)
            line_ += value ? '1' : '0';
        else
            line_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
        return *this;
    }
    // Writes units of global time as seconds, without rounding.
    CsvRows& seconds(std::uint64_t time) {
        constexpr std::uint64_t units = 8'000'000'000;
        constexpr std::uint64_t picoseconds = 125;
        number(time / units);
        std::string rest = std::to_string(time % units * picoseconds);
        line_ += '.';
        line_.append(12 - rest.size(), '0');
        line_ += rest;
        return *this;
    }
    void end() {
        line_ += '\n';
        out_.put(line_);
        line_.clear();
        fields_ = 0;
        ++rows_;
    }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }

  private:
    void begin() {
        if (fields_++ > 0) line_ += ',';
    }
    OutputFile& out_;
    std::string line_;
    std::uint32_t fields_ = 0;
    std::uint64_t rows_ = 0;
};

} // namespace tactus
