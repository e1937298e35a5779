// Counters of the processor for one thread (perf_event_open(2)), which the thread itself opens and reads. They form one
// group, so that all of them are counted at the same times. Only what the thread does outside of the kernel counts,
// except for the task clock.
//
// Where the kernel lets programs read the processor's registers, a reading takes no system call, and no descriptor is
// kept. Elsewhere, and for counters of the system, one descriptor of the thread stays open. Its number is among the
// highest that the process may have, and below 16,640. It is asked for its identity before it is used, in case the
// program has closed it. A process has at most 256 of them; further threads count nothing. The system is called
// directly, because a library that is loaded beside tactus may have put functions of its own in front of those of libc.
#pragma once

#include "base/counted_events.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus {

// What a page of the kernel tells about one counter. While it is not counted, because others have the registers,
// `running` stands still and `enabled` goes on; both are nanoseconds.
struct CounterNow {
    std::uint64_t count = 0;
    std::uint64_t enabled = 0;
    std::uint64_t running = 0;
};
// `read_register` gives the register of that number, `read_ticks` the time stamp counter. The formulas are those of the
// manual page.
CounterNow read_counter_page(const perf_event_mmap_page& page, std::uint64_t (*read_register)(std::uint32_t),
                             std::uint64_t (*read_ticks)());

// How much was counted between two readings. If it was counted for a part of the time only, that is taken for all of
// it. -1 if it was not counted at all.
std::int64_t counted_between(const CounterNow& first, const CounterNow& last);

// Has no destructor, since it is part of what is kept for each thread: whoever opens it closes it.
class ThreadCounters {
  public:
    // Opens the counters for the calling thread. Of each, gives 0 or the error number why there is none.
    std::array<int, most_counters> open(std::span<const CountedEvent* const> events);
    // Gives the increase of each since the last reading, or since it was opened; -1: it is not known. No other
    // counters, and errno is kept by the caller.
    void read(std::span<std::int64_t> increases);
    void close();
    // Nanoseconds of the thread on a core since the counters were opened, and those of them in which they were counted.
    [[nodiscard]] std::uint64_t enabled_ns() const { return enabled_ns_; }
    [[nodiscard]] std::uint64_t running_ns() const { return running_ns_; }

    // To be called in the child of a fork, which has the descriptors of all threads, and none of the pages: closes
    // them.
    static void leave_to_parent();
    // No thread counts on. Those that have descriptors close them when they end.
    static void stop_all();

  private:
    struct Opened {
        perf_event_mmap_page* page = nullptr; // nullptr: it was refused
        CounterNow last;
    };
    [[nodiscard]] bool read_group(std::array<CounterNow, most_counters>& now) const;

    std::array<Opened, most_counters> opened_{};
    std::size_t count_ = 0;
    bool by_registers_ = false;
    std::size_t descriptor_ = 0; // number of the descriptor in the table of the process, and one more; 0: there is none
    std::uint64_t enabled_ns_ = 0;
    std::uint64_t running_ns_ = 0;
};

} // namespace tactus
