// Writes records that an import made, not a run recorded, into the file of a rank, a block at a time. One thread.
#pragma once

#include "trace/codec.hpp"
#include "trace/words.hpp"
#include "writer/rank_writer.hpp"

#include <vector>

namespace tactus {

class LaneRecords {
  public:
    explicit LaneRecords(RankWriter& writer);

    void begin_lane(std::uint32_t lane);
    // Records must come in the order of their leave ticks, which must strictly increase.
    void add(Record record, Words words = {});
    // Must be called after the last record of a lane.
    void end_lane();

    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] std::uint64_t records() const { return records_; }
    [[nodiscard]] std::uint64_t lanes() const { return lanes_; }
    [[nodiscard]] bool good() const { return good_; } // no write has failed

  private:
    void put(const Record& record, Words words);
    void seal();

    RankWriter& writer_;
    BlockEncoder encoder_;
    Bytes room_;
    std::vector<Record> slots_;
    Ticks first_ = ~Ticks{0};
    std::uint32_t lane_ = 0;
    std::uint64_t sequence_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t records_ = 0;
    std::uint64_t lanes_ = 0;
    bool good_ = true;
};

} // namespace tactus
