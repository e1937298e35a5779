#include "base/thread_use.hpp"

#include "base/errno_kept.hpp"

#include <charconv>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus {

ThreadUse read_thread_use() {
    const ErrnoKept kept;
    ThreadUse use;
    timespec ran{};
    if (syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ran) == 0)
        use.ran_ns = 1'000'000'000 * ran.tv_sec + ran.tv_nsec;
    rusage counted{};
    if (syscall(SYS_getrusage, RUSAGE_THREAD, &counted) == 0) {
        use.system_ns = 1'000'000'000 * counted.ru_stime.tv_sec + 1000 * counted.ru_stime.tv_usec;
        use.minor_faults = counted.ru_minflt;
        use.major_faults = counted.ru_majflt;
        use.voluntary_switches = counted.ru_nvcsw;
        use.involuntary_switches = counted.ru_nivcsw;
    }
    use.cpu = sched_getcpu();
    return use;
}

std::int64_t waited_ns_of(std::string_view schedstat) {
    const auto blank = schedstat.find(' ');
    if (blank == std::string_view::npos) return -1;
    schedstat.remove_prefix(blank + 1);
    std::int64_t waited = -1;
    const auto [end, error] = std::from_chars(schedstat.data(), schedstat.data() + schedstat.size(), waited);
    const bool whole = error == std::errc{} && end != schedstat.data() + schedstat.size() && *end == ' ';
    return whole ? waited : -1;
}

std::int64_t read_waited_ns() {
    const ErrnoKept kept;
    const auto file =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    if (file < 0) return -1;
    char text[128];
    const long size = syscall(SYS_read, file, text, sizeof text);
    syscall(SYS_close, file);
    return size > 0 ? waited_ns_of({text, static_cast<std::size_t>(size)}) : -1;
}

} // namespace tactus
