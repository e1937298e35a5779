// What the operating system has counted for the calling thread. Neither function allocates memory, changes errno or can
// be canceled, and both ask the kernel itself, because a library that is loaded beside tactus may have put functions of
// its own in front of those of libc.
#pragma once

#include <cstdint>
#include <string_view>

namespace tactus {

// Since the thread began. A number that the system does not tell is -1.
struct ThreadUse {
    std::int64_t ran_ns = -1;    // on a core
    std::int64_t system_ns = -1; // the part of it in the kernel, counted by ticks of the scheduler on many systems
    std::int64_t minor_faults = -1;
    std::int64_t major_faults = -1;         // which had to read from a disk
    std::int64_t voluntary_switches = -1;   // the thread went to sleep
    std::int64_t involuntary_switches = -1; // another thread took the core
    int cpu = -1;                           // on which it runs now
};

// Takes about a microsecond.
ThreadUse read_thread_use();

// How long the thread was able to run and had no core, in nanoseconds; -1 if the system does not tell. Takes about six
// microseconds, because it opens a file.
std::int64_t read_waited_ns();
// The second number of a text such as "5234 81 12"; -1 if there is none.
std::int64_t waited_ns_of(std::string_view schedstat);

} // namespace tactus
