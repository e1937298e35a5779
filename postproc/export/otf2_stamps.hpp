// How the stamps of an archive become the ticks of a trace. Several events of a location may have the same stamp, but
// the ticks of a lane increase. So a trace gets finer ticks than its archive where that is needed:
//
//   tick = (stamp - origin) x factor + 1, 2, ... for stamps of a lane that are equal
//
// All stamps of an archive are multiples of a step, counted from any one of them. ticks_per_stamp() is that step in
// ticks of the trace: ticks within it are the same stamp (trace/shown_time.hpp).
#pragma once

#include "base/ticks.hpp"
#include "postproc/export/otf2_archive.hpp"

#include <algorithm>
#include <cstdint>

namespace tactus {

class Otf2Stamps {
  public:
    // Reads the stamps of all events once. Archives of tactus have no equal stamps, and are taken as they are.
    static Result<Otf2Stamps> find(const Otf2Archive& archive);

    [[nodiscard]] Ticks ticks_per_stamp() const { return step_ * factor_; } // 1: as in the archive
    [[nodiscard]] std::uint64_t ticks_per_second() const { return per_second_ * factor_; }
    // The first tick of a stamp. A time before all stamps, such as a marker's, has that of the earliest.
    [[nodiscard]] Ticks tick_of(std::uint64_t stamp) const {
        constexpr Ticks latest = ~Ticks{0};
        const Ticks ticks = (std::max(stamp, earliest_) - origin_) * factor_;
        return ticks + std::min(first_tick_, latest - ticks);
    }

  private:
    explicit Otf2Stamps(const Otf2Content& content) : per_second_{content.resolution} {}
    void choose(std::uint64_t earliest, std::uint64_t latest, std::uint64_t most_equal);

    std::uint64_t per_second_; // of the archive
    std::uint64_t earliest_ = 0;
    std::uint64_t origin_ = 0; // becomes first_tick_; the difference of stamps to it is taken modulo 2^64
    Ticks first_tick_ = 1;     // a tick is never 0
    std::uint64_t step_ = 1;   // of stamps, in ticks of the archive
    std::uint64_t factor_ = 1; // ticks of the trace for one of the archive
};

} // namespace tactus
