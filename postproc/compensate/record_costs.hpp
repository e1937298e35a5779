// What recording each call took from its thread, in nanoseconds, as the process measured it at its start (CallCosts).
// Sealing a block is assumed to take the same time for each of its records.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

namespace tactus {

class RecordCosts {
  public:
    explicit RecordCosts(const RankFile& file);

    // The cost until the call begins. `sealed`: LaneWalk::sealed().
    [[nodiscard]] double before(const Record& record, std::uint64_t sealed) const;
    // The cost from then until the MPI begins to work.
    [[nodiscard]] double before_work(const Record& record, Words words) const;
    // The cost of the calls after the first one, where one record stands for several.
    [[nodiscard]] double inside(const Record& record) const;
    // The cost from the moment the MPI has done its work.
    [[nodiscard]] double after(const Record& record, Words words) const;

  private:
    // Whether a message of this size has no header although others have one.
    [[nodiscard]] bool is_bare(std::uint64_t bytes) const;
    // The cost of copying a message, or of making a datatype for it: when it is sent, and when a receive takes it in.
    [[nodiscard]] double carried(std::uint64_t bytes) const;
    [[nodiscard]] double taken_in(std::uint64_t bytes) const;

    CallCosts costs_;
    double sealing_ = 0; // per record
};

} // namespace tactus
