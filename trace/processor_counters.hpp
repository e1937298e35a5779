// Counters of the processor in the stretches of a process (Stretch::counted).
#pragma once

#include "trace/definitions.hpp"
#include "trace/stretch.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tactus {

// Those of a process, in the order of Stretch::counted. The definitions have the list again when the file was closed.
std::vector<ProcessorCounter> processor_counters(const Definitions& definitions);

// What was counted in a stretch, by name; nothing where it is not known.
class NamedCounts {
  public:
    explicit NamedCounts(const Definitions& definitions) : counters_{processor_counters(definitions)} {}
    [[nodiscard]] std::optional<double> count(const Stretch& stretch, std::string_view name) const;

  private:
    std::vector<ProcessorCounter> counters_;
};

} // namespace tactus
