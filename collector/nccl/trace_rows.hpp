// Where assembled records go: into the rank file of the collector that traces this process, or into a file of the
// plugin. Only the drainer uses it.
#pragma once

#include "trace/definitions.hpp"
#include "trace/record.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace tactus::nccl {

class TraceRows {
  public:
    using Row = std::uint32_t;
    static constexpr Row no_row = ~Row{0};

    virtual ~TraceRows() = default;
    // Makes a lane of that name; no_row when that is impossible.
    virtual Row add(const std::string& name) = 0;
    // As Lane::store.
    virtual void store(Row row, const Record& record, std::span<const std::int64_t> words) = 0;
    virtual void define(const Definitions& more) = 0;
    virtual void count(Loss loss, std::uint64_t count) = 0;
};

} // namespace tactus::nccl
