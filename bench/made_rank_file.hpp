// The file of one rank of a made run, by the writer's own encoder and by blocks, so that memory does not grow with it.
#pragma once

#include "trace/codec.hpp"
#include "trace/words.hpp"
#include "writer/rank_writer.hpp"

#include <string>
#include <vector>

namespace tactus {

// What all ranks of a run share while they are written.
struct MadeBlocks {
    explicit MadeBlocks(std::size_t most_slots) : slots{most_slots}, encoder{most_slots}, room(encoder.most_bytes()) {}
    std::size_t slots; // of a block
    BlockEncoder encoder;
    Bytes room;
    LossCounters lost;
};

class MadeRankFile {
  public:
    MadeRankFile(MadeBlocks& blocks, std::uint64_t job) : blocks_{blocks}, writer_{blocks.lost, job} {
        slots_.reserve(blocks.slots);
    }
    Outcome open(const std::string& path, const Header& header) { return writer_.open(path, header, {}); }
    void add(Record record, Words words = {});
    // Totals are filled in. False when the file system refused anything.
    bool close(Definitions closing);

    [[nodiscard]] std::uint64_t records() const { return records_; }
    [[nodiscard]] std::uint64_t bytes() const { return writer_.size(); }

  private:
    void seal();

    MadeBlocks& blocks_;
    RankWriter writer_;
    std::vector<Record> slots_;
    std::uint64_t sequence_ = 0;
    std::uint64_t records_ = 0;
    bool good_ = true;
};

} // namespace tactus
