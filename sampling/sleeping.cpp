#include "sampling/sleeping.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <iterator>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

template <class Number> bool take(std::string_view& text, Number& number, int base) {
    const auto begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{};
}

std::string_view read_of_thread(pid_t thread, const char* name, std::span<char> room) {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", static_cast<int>(thread), name);
    const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    const ssize_t size = read(file, room.data(), room.size());
    close(file);
    return {room.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

// System calls whose first argument is a descriptor.
constexpr long about_descriptors[] = {SYS_read,     SYS_write,     SYS_pread64,   SYS_pwrite64,  SYS_readv,
                                      SYS_writev,   SYS_preadv,    SYS_fsync,     SYS_fdatasync, SYS_sync_file_range,
                                      SYS_flock,    SYS_fallocate, SYS_ftruncate, SYS_close,     SYS_pwritev,
                                      SYS_recvfrom, SYS_sendto};

} // namespace

std::optional<Blocked> blocked_by(std::string_view text) {
    Blocked blocked;
    if (!take(text, blocked.call, 10)) return {}; // "running"
    if (blocked.call >= 0)
        for (std::uint64_t& argument : blocked.arguments)
            if (!take(text, argument, 16)) return {};
    blocked.registers.fp_known = false;
    if (!take(text, blocked.registers.sp, 16) || !take(text, blocked.registers.pc, 16)) return {};
    return blocked;
}

std::optional<Blocked> blocked_in(pid_t thread) {
    std::array<char, 256> room;
    return blocked_by(read_of_thread(thread, "syscall", room));
}

bool runs(pid_t thread) {
    std::array<char, 256> room;
    return read_of_thread(thread, "syscall", room) == "running\n";
}

std::optional<std::int64_t> processor_time_ns(pid_t thread) {
    // As pthread_getcpuclockid() makes it, which knows no thread by its number (clock_getres(2), Linux's ABI).
    constexpr clockid_t of_a_thread = 4;
    constexpr clockid_t of_the_scheduler = 2;
    const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | of_a_thread | of_the_scheduler);
    timespec time{};
    if (syscall(SYS_clock_gettime, clock, &time) != 0) return {}; // past a tool that sets clocks
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool is_of_tactus(pid_t thread) {
    std::array<char, 32> room;
    const std::string_view name = read_of_thread(thread, "comm", room);
    return thread != getpid() && (name == "tactus\n" || name == "tactus-nccl\n");
}

std::string_view file_of(const Blocked& blocked, std::span<char> room) {
    if (std::ranges::find(about_descriptors, blocked.call) == std::end(about_descriptors)) return {};
    std::array<char, 64> link;
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", static_cast<int>(blocked.arguments[0]));
    const ssize_t size = readlink(link.data(), room.data(), room.size());
    return {room.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

} // namespace tactus
