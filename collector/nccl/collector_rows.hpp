// The rows in a process that the collector traces: lanes in the collector's rank file, on its clock.
#pragma once

#include "collector/nccl/trace_rows.hpp"
#include "writer/lane_service.hpp"

#include <vector>

namespace tactus::nccl {

// nullptr: this process has no collector, or no rank file is open.
const LaneService* lane_service();

class CollectorRows final : public TraceRows {
  public:
    explicit CollectorRows(const LaneService& service) : service_{service} {}

    Row add(const std::string& name) override;
    void store(Row row, const Record& record, std::span<const std::int64_t> words) override {
        service_.store(lanes_[row], record, words.data(), words.size());
    }
    void define(const Definitions& more) override { service_.define(more); }
    void count(Loss loss, std::uint64_t count) override { service_.count_loss(loss, count); }

  private:
    const LaneService& service_;
    std::vector<Lane*> lanes_;
};

} // namespace tactus::nccl
