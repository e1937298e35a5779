// What the owner of a lane counts while it records. Only the owner writes; the atomics may be read by any thread.
#pragma once

#include "base/ticks.hpp"
#include "trace/definitions.hpp"
#include "trace/record.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace tactus {

class LaneCounts {
  public:
    std::uint64_t begun_calls = 0;    // only those that are recorded
    std::uint64_t repeated_calls = 0; // recorded calls that only changed the record before them; not among the former

    [[nodiscard]] std::uint64_t number() const { return lane_of_request(next_request_); }
    // Gives a number that no other request or message of this rank has. hot
    std::uint64_t next_request() { return next_request_++; }
    // The ticks that the tracer took in addition to the costs of the calls. hot
    [[nodiscard]] Ticks working_ticks() const {
        return sealing_ticks() + stalled_ticks() + reading_ticks() + test_overhead();
    }

    [[nodiscard]] Ticks sealing_ticks() const { return sealing_.load(std::memory_order_relaxed); }
    [[nodiscard]] Ticks stalled_ticks() const { return stalled_.load(std::memory_order_relaxed); }
    [[nodiscard]] Ticks reading_ticks() const { return reading_.load(std::memory_order_relaxed); }
    [[nodiscard]] Ticks test_overhead() const { return test_overhead_.load(std::memory_order_relaxed); }
    void add_test_overhead(Ticks ticks) { test_overhead_.fetch_add(ticks, std::memory_order_relaxed); }

    void add_reading(Ticks ticks) { reading_.fetch_add(ticks, std::memory_order_relaxed); }

    // The number of calls that found out by this basis how late they were.
    [[nodiscard]] std::uint64_t delays(std::size_t basis) const {
        return delays_[basis].load(std::memory_order_relaxed);
    }
    void count(DelayBasis basis) { // hot
        std::atomic<std::uint64_t>& count = delays_[static_cast<std::size_t>(basis)];
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); // pairs with nothing
    }

  protected:
    void start_counting(std::uint32_t lane) {
        begun_calls = repeated_calls = 0;
        next_request_ = request_number(lane, 0);
        sealing_ = stalled_ = reading_ = test_overhead_ = 0;
        for (auto& count : delays_) count = 0;
    }
    void add_sealing(Ticks ticks) { sealing_.fetch_add(ticks, std::memory_order_relaxed); }
    void add_stalled(Ticks ticks) { stalled_.fetch_add(ticks, std::memory_order_relaxed); }

  private:
    std::uint64_t next_request_ = 0;
    std::atomic<Ticks> sealing_{0};
    std::atomic<Ticks> stalled_{0};
    std::atomic<Ticks> reading_{0};       // what the operating system counts
    std::atomic<Ticks> test_overhead_{0}; // the time that VT_TEST_OVERHEAD asked for
    std::array<std::atomic<std::uint64_t>, delay_bases> delays_{};
};

} // namespace tactus
