// What recording one call took of its thread, by what the process measured of itself (CallCosts); sealing takes
// as long for each record. Nanoseconds.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

namespace tactus {

class RecordCosts {
  public:
    explicit RecordCosts(const RankFile& file);

    // Until the call begins.
    [[nodiscard]] double before(const Record& record, std::uint64_t sealed) const; // as LaneWalk has it
    // From then until the MPI is at work.
    [[nodiscard]] double in_front(const Record& record, Words words) const;
    // Of several unsuccessful calls in one record, those behind the first.
    [[nodiscard]] double inside(const Record& record) const;
    // From the moment the MPI has done it.
    [[nodiscard]] double behind(const Record& record, Words words) const;

  private:
    // Of a message: copying it, or making a datatype for it.
    [[nodiscard]] bool is_bare(std::uint64_t bytes) const; // of a message without a header, where others have one
    [[nodiscard]] double carried(std::uint64_t bytes) const;
    [[nodiscard]] double taken_in(std::uint64_t bytes) const; // by a receive

    CallCosts costs_;
    double sealing_ = 0; // a record
};

} // namespace tactus
