// Adds up one rank's times with and without the tracer, record by record. Used by one thread.
#pragma once

#include "postproc/compensate/compensate.hpp"
#include "trace/compensated_rows.hpp"

#include <map>
#include <utility>

namespace tactus {

class RankSums {
  public:
    // `file` must outlive this object.
    explicit RankSums(const RankFile& file) : file_{&file} {}

    // Adds the next record of one of the rank's lanes.
    void add(const Delayed& delayed);
    // Returns the sums so far, together with these counts, which only the caller knows.
    [[nodiscard]] CompensatedRank row(const DelayCounts& counts, std::uint64_t released) const;

  private:
    struct Lane {
        Ticks leave = 0; // of the previous call; 0: there was none
        double delay = 0;
    };
    void add_span(Lane& lane, const Delayed& delayed);
    void clamp(double span_s, double saved_ns);

    const RankFile* file_;
    std::map<std::uint32_t, Lane> lanes_;
    std::map<Function, TimePair> functions_;
    std::pair<std::uint32_t, Lane*> last_lane_{};
    std::pair<Function, TimePair*> last_function_{};
    TimePair mpi_;
    Ticks first_ = ~Ticks{0};
    Ticks last_ = 0;
    double delay_at_first_ = 0;
    double delay_at_last_ = 0;
    std::uint64_t spans_ = 0;
    std::uint64_t clamped_ = 0;
    double clamped_s_ = 0;
};

} // namespace tactus
