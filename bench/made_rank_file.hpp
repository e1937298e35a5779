// Writes the file of one rank of a made run with the writer's own encoder. It writes block by block, so that memory
// does not grow with the file.
#pragma once

#include "trace/codec.hpp"
#include "trace/words.hpp"
#include "writer/rank_writer.hpp"

#include <string>
#include <vector>

namespace tactus {

// The encoder and buffer that all ranks of a run share.
struct MadeBlocks {
    explicit MadeBlocks(std::size_t most_slots) : slots{most_slots}, encoder{most_slots}, room(encoder.most_bytes()) {}
    std::size_t slots; // in each block
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
    // Fills in the totals and closes the file. Returns false if the file system refused anything.
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
