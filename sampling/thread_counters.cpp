#include "sampling/thread_counters.hpp"

#include "base/ticks.hpp"
#include "processor.hpp"
#include "sampling/pages.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr std::uint64_t in_a_group =
    PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

// What the kernel gives for a group.
struct GroupLayout {
    std::uint64_t counters;
    std::uint64_t enabled;
    std::uint64_t running;
    std::uint64_t counts[most_counters];
};

int open_event(const CountedEvent& event, int group) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = event.type;
    wanted.config = event.config;
    wanted.read_format = in_a_group;
    if (group < 0) wanted.disabled = 1; // all of the group begin together
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, group, PERF_FLAG_FD_CLOEXEC));
}

long close_descriptor(int descriptor) { return syscall(SYS_close, descriptor); }

// The descriptors of all threads. They are known here, so that the child of a fork can close them.
class Descriptors {
  public:
    static constexpr std::size_t most = 256;

    // Moves a descriptor to a number that the program does not come upon, and returns its number here and one more; 0
    // where there is no room, and the descriptor is closed.
    std::size_t take(int descriptor) {
        const int moved = moved_up(descriptor);
        close_descriptor(descriptor);
        if (moved < 0) return 0;
        for (std::size_t i = 0; i < most; ++i) {
            int free = 0;
            if (!all_[i].descriptor.compare_exchange_strong(free, moved)) continue;
            std::uint64_t identity = 0;
            syscall(SYS_ioctl, moved, PERF_EVENT_IOC_ID, &identity);
            all_[i].identity.store(identity);
            return i + 1;
        }
        close_descriptor(moved);
        errno = EMFILE;
        return 0;
    }
    // -1 where the program has closed it, and may have another file under its number.
    [[nodiscard]] int at(std::size_t number) const {
        if (number == 0) return -1;
        const Known& known = all_[number - 1];
        const int descriptor = known.descriptor.load();
        std::uint64_t identity = 0;
        const bool same = descriptor > 0 && syscall(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, &identity) == 0 &&
                          identity == known.identity.load();
        return same ? descriptor : -1;
    }
    void close(std::size_t number) {
        if (number == 0) return;
        if (const int descriptor = at(number); descriptor >= 0) close_descriptor(descriptor);
        all_[number - 1].identity.store(0);
        all_[number - 1].descriptor.store(0);
    }

  private:
    static int moved_up(int descriptor) {
        constexpr std::uint64_t highest = 1 << 14; // the kernel makes its table as large as the number
        rlimit limit{};
        if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit) != 0) return -1;
        const std::uint64_t end = std::min<std::uint64_t>(limit.rlim_cur, highest + most);
        if (end <= 2 * most) {
            errno = EMFILE;
            return -1;
        }
        return static_cast<int>(syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, end - most));
    }
    struct Known {
        std::atomic<int> descriptor; // 0: none, since the program has that one
        std::atomic<std::uint64_t> identity;
    };
    std::array<Known, most> all_{};
};
constinit Descriptors descriptors;

} // namespace

CounterNow read_counter_page(const perf_event_mmap_page& page, std::uint64_t (*read_register)(std::uint32_t),
                             std::uint64_t (*read_ticks)()) {
    const volatile perf_event_mmap_page& now = page; // the kernel writes it whenever the thread gets a core
    CounterNow all;
    std::uint32_t version = 0;
    do {
        version = now.lock;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        all = {
            .count = static_cast<std::uint64_t>(now.offset), .enabled = now.time_enabled, .running = now.time_running};
        const std::uint32_t index = now.index; // 0: it is not counted now
        if (now.cap_user_time != 0) {
            const std::uint64_t ticks = read_ticks();
            const std::uint32_t shift = now.time_shift;
            const std::uint64_t factor = now.time_mult;
            const std::uint64_t rest = ticks & ((std::uint64_t{1} << shift) - 1);
            const std::uint64_t since = now.time_offset + (ticks >> shift) * factor + ((rest * factor) >> shift);
            all.enabled += since;
            if (index != 0) all.running += since;
        }
        if (now.cap_user_rdpmc != 0 && index != 0) {
            const unsigned unused = 64U - now.pmc_width;
            all.count +=
                static_cast<std::uint64_t>(static_cast<std::int64_t>(read_register(index - 1) << unused) >> unused);
        }
        std::atomic_signal_fence(std::memory_order_seq_cst);
    } while (now.lock != version);
    return all;
}

std::int64_t counted_between(const CounterNow& first, const CounterNow& last) {
    const std::uint64_t enabled = last.enabled - first.enabled;
    const std::uint64_t running = last.running - first.running;
    const auto counted = static_cast<std::int64_t>(last.count - first.count);
    if (counted < 0) return -1; // which no counter does
    if (running >= enabled) return counted;
    if (running == 0) return -1;
    return static_cast<std::int64_t>(static_cast<double>(counted) * static_cast<double>(enabled) /
                                     static_cast<double>(running));
}

std::array<int, most_counters> ThreadCounters::open(std::span<const CountedEvent* const> events) {
    std::array<int, most_counters> refused{};
    count_ = std::min(events.size(), most_counters);
    by_registers_ = true;
    int leader = -1;
    std::array<int, most_counters> others{};
    others.fill(-1);
    for (std::size_t i = 0; i < count_; ++i) {
        const int event = open_event(*events[i], leader);
        if (event < 0) {
            refused[i] = errno;
            continue;
        }
        const long page = syscall(SYS_mmap, nullptr, system_page_size(), PROT_READ, MAP_SHARED, event, 0);
        if (page == -1) {
            refused[i] = errno;
            close_descriptor(event);
            continue;
        }
        opened_[i] = {.page = reinterpret_cast<perf_event_mmap_page*>(page), .last = {}};
        by_registers_ = by_registers_ && processor::reads_counting_registers(*opened_[i].page);
        (leader < 0 ? leader : others[i]) = event;
    }
    for (const int other : others)
        if (other >= 0) close_descriptor(other); // its page keeps it alive
    if (leader < 0) return refused;
    syscall(SYS_ioctl, leader, PERF_EVENT_IOC_ENABLE, 0);
    if (by_registers_) {
        close_descriptor(leader);
    } else if (descriptor_ = descriptors.take(leader); descriptor_ == 0) {
        for (std::size_t i = 0; i < count_; ++i)
            if (opened_[i].page != nullptr) refused[i] = errno;
        close();
        return refused;
    }
    std::array<std::int64_t, most_counters> none{};
    read(std::span{none}.first(count_)); // so that the next reading begins here
    return refused;
}

bool ThreadCounters::read_group(std::array<CounterNow, most_counters>& now) const {
    GroupLayout group{};
    const int descriptor = descriptors.at(descriptor_);
    if (descriptor < 0) return false;
    const long size = syscall(SYS_read, descriptor, &group, sizeof group);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count_; ++i)
        if (opened_[i].page != nullptr && at < most_counters)
            now[i] = {.count = group.counts[at++], .enabled = group.enabled, .running = group.running};
    return size >= static_cast<long>(offsetof(GroupLayout, counts) + at * sizeof group.counts[0]);
}

void ThreadCounters::read(std::span<std::int64_t> increases) {
    std::array<CounterNow, most_counters> now{};
    const bool known = by_registers_ || read_group(now);
    for (std::size_t i = 0; i < increases.size(); ++i) {
        increases[i] = -1;
        if (!known || i >= count_ || opened_[i].page == nullptr) continue;
        if (by_registers_) now[i] = read_counter_page(*opened_[i].page, processor::counting_register, processor::count);
        increases[i] = counted_between(opened_[i].last, now[i]);
        opened_[i].last = now[i];
        enabled_ns_ = now[i].enabled;
        running_ns_ = now[i].running;
    }
}

void ThreadCounters::close() {
    descriptors.close(descriptor_);
    for (const Opened& opened : opened_)
        if (opened.page != nullptr) syscall(SYS_munmap, opened.page, system_page_size());
    *this = {};
}

void ThreadCounters::leave_to_parent() {
    for (std::size_t number = 1; number <= Descriptors::most; ++number) descriptors.close(number);
}

void ThreadCounters::stop_all() {
    for (std::size_t number = 1; number <= Descriptors::most; ++number)
        if (const int descriptor = descriptors.at(number); descriptor >= 0)
            syscall(SYS_ioctl, descriptor, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

} // namespace tactus
