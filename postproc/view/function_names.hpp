// Numbers the functions of a whole trace. Each rank numbers its regions in the order in which it meets them; here a
// name has a single number. Numbers are those of span_function, and regions are numbered in the order of their names.
// Pure.
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

    // The number of what `rank` (an index in Trace::ranks) calls `function`.
    [[nodiscard]] std::uint32_t number(std::size_t rank, std::uint32_t function) const;
    // "MPI_Send", "class:name" of a region, "(application)", "(tracer)", "(not recorded)".
    [[nodiscard]] std::string name(std::uint32_t number) const;
    [[nodiscard]] std::size_t symbols() const { return symbols_.size(); } // how many regions have a name

  private:
    std::vector<std::map<std::uint32_t, std::uint32_t>> by_rank_; // a rank's symbol to an index in symbols_
    std::vector<std::string> symbols_;                            // sorted names
};

} // namespace tactus
