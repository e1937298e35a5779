// The binary form of a view for the page: a JSON text, and columns of numbers that JavaScript can use without a
// conversion (docs/viewer.md, "Pictures"). Pure functions.
#pragma once

#include "postproc/view/view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// Numbers the functions of a trace without gaps. Functions that do not fit into 2^16 numbers share the last one.
class FunctionTable {
  public:
    explicit FunctionTable(const FunctionNames& names);
    [[nodiscard]] std::uint16_t index_of(std::uint32_t number) const; // `number` is that of FunctionNames
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  private:
    std::vector<std::string> names_;
};

struct Pictured {
    const Trace& trace;
    const TimeLine& time_line;
    const FunctionNames& names;
    const FunctionTable& functions;
    const ViewRequest& request; // may have only some of the rows, from `first_row` on
    const View& view;
    std::size_t first_row = 0;
    bool gathering = false; // links are still being gathered; after that their slots can be narrower
};

// The view must have at most 2^16 slots in each row.
std::string picture_bytes(const Pictured& pictured);

} // namespace tactus
