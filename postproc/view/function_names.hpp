// The functions of a whole trace: each rank numbers its regions as it comes to them, here one name is one number.
// Numbers as in span_function; of regions they go by name. Pure.
#pragma once

#include "postproc/lod/span.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tactus {

class FunctionNames {
  public:
    explicit FunctionNames(const Trace& trace);

    // Of what a rank (index into Trace::ranks) calls `function`.
    [[nodiscard]] std::uint32_t number(std::size_t rank, std::uint32_t function) const;
    // "MPI_Send", "class:name" of a region, "(application)", "(tracer)", "(not recorded)".
    [[nodiscard]] std::string name(std::uint32_t number) const;
    [[nodiscard]] std::size_t symbols() const { return symbols_.size(); } // that have a name

  private:
    std::vector<std::map<std::uint32_t, std::uint32_t>> by_rank_; // symbols
    std::vector<std::string> symbols_;
};

} // namespace tactus
