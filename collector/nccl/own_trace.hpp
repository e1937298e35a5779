// The rows in a process without MPI: a separate trace, with a file for each process, in one directory for all processes
// of the job.
#pragma once

#include "base/options/options.hpp"
#include "base/result.hpp"
#include "collector/nccl/trace_rows.hpp"
#include "writer/lane.hpp"
#include "writer/rank_writer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tactus::nccl {

class OwnTrace final : public TraceRows {
  public:
    explicit OwnTrace(const Options& options) : options_{options}, writer_{losses_, 0} {}

    // `communicator` is NCCL's id of the process's first communicator. Processes that no launcher started together find
    // the same trace by it.
    Outcome open(std::uint64_t communicator);
    [[nodiscard]] const std::string& path() const { return path_; } // of the file

    Row add(const std::string& name) override;
    void store(Row row, const Record& record, std::span<const std::int64_t> words) override {
        lanes_[row]->store(record, words);
    }
    void define(const Definitions& more) override { writer_.add_definitions(more); }
    void count(Loss loss, std::uint64_t count) override { losses_.add(loss, count); }

    void beat();  // once a second: so that the time of a kill is known
    void close(); // nothing is stored any more

  private:
    Outcome open_file(const std::string& directory);
    bool protect(Lane& lane);

    const Options& options_;
    LossCounters losses_;
    RankWriter writer_;
    Header header_;
    std::string directory_;
    std::string path_;
    std::vector<std::string> lane_places_;
    std::vector<std::unique_ptr<Lane>> lanes_;
};

} // namespace tactus::nccl
