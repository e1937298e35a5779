// A view as the page gets it: a JSON text, and columns of numbers that JavaScript can use as they are (docs/viewer.md,
// "Pictures"). Pure.
#pragma once

#include "postproc/view/view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// The functions of a trace in one row of numbers without gaps. What would be behind the last number has that.
class FunctionTable {
  public:
    explicit FunctionTable(const FunctionNames& names);
    [[nodiscard]] std::uint16_t index_of(std::uint32_t number) const; // of FunctionNames
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  private:
    std::vector<std::string> names_;
};

struct Pictured {
    const Trace& trace;
    const TimeLine& time_line;
    const FunctionNames& names;
    const FunctionTable& functions;
    const ViewRequest& request; // its rows are some of those that there are, from `first_row`
    const View& view;
    std::size_t first_row = 0;
    bool gathering = false; // when links are gathered, their slots can be narrower
};

// Of no more than 2^16 slots in a row.
std::string picture_bytes(const Pictured& pictured);

} // namespace tactus
