// What a thread of this process is blocked in, by /proc, without stopping it or sending it a signal. Nothing here
// allocates memory.
#pragma once

#include "sampling/unwinder.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace tactus {

struct Blocked {
    std::int64_t call = -1; // number of the system call; -1: it waits for something else, such as a page of memory
    std::array<std::uint64_t, 6> arguments{};
    Registers registers; // the frame pointer is not known
    bool operator==(const Blocked&) const = default;
};

// Returns nothing for a thread that runs or could run, or where the system does not tell.
std::optional<Blocked> blocked_in(pid_t thread);
// Whether the system says that the thread runs or could run.
bool runs(pid_t thread);
// The same as blocked_in(), from the text of /proc/self/task/N/syscall.
std::optional<Blocked> blocked_by(std::string_view text);

// The name of the file that the system call reads from or writes to, in `room`, as much as fits; empty if it is about
// none.
std::string_view file_of(const Blocked& blocked, std::span<char> room);

// How much time on a core the thread of this process has taken, to the nanosecond. If it has not grown, the thread is
// where it was. Nothing for a thread that has ended.
std::optional<std::int64_t> processor_time_ns(pid_t thread);

// Whether the thread is one of tactus's own, by its name. (The first thread of a process has the program's name.)
bool is_of_tactus(pid_t thread);

} // namespace tactus
