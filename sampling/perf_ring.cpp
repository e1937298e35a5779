#include "sampling/perf_ring.hpp"

#include "processor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr std::size_t ring_size = 65536;   // room for 15 samples; a whole number of pages of any size
constexpr std::uint32_t stack_size = 4096; // copied with each sample

// What a sample consists of.
struct Layout {
    std::uint32_t process;
    std::uint32_t thread;
    std::uint64_t time;
    std::uint64_t abi; // of the registers; 0: there are none
    processor::SampledRegisters registers;
    std::uint64_t stack_size;
};

// The record that is being read, without its header.
alignas(8) std::array<std::byte, 2 * stack_size> record;

std::uint64_t lost_in(std::size_t size) {
    std::uint64_t count = 0;
    constexpr std::size_t at = 8; // behind the event's number
    if (size >= at + sizeof count) std::memcpy(&count, record.data() + at, sizeof count);
    return count;
}

// False for a sample without registers.
bool read_sample(std::size_t size, CoreSample& sample) {
    Layout layout{};
    if (size < sizeof layout) return false;
    std::memcpy(&layout, record.data(), sizeof layout);
    std::uint64_t used = 0; // of the stack
    const std::size_t rest = size - sizeof layout;
    if (layout.stack_size > 0 && rest >= sizeof used && layout.stack_size <= rest - sizeof used)
        std::memcpy(&used, record.data() + sizeof layout + layout.stack_size, sizeof used);
    const processor::SampledRegisters& own = layout.registers;
    sample = {.monotonic_ns = static_cast<std::int64_t>(layout.time),
              .registers = {.pc = own.pc, .sp = own.sp, .fp = own.fp, .ra = own.ra},
              .stack = {.begin = own.sp, .bytes = {record.data() + sizeof layout, std::min(used, layout.stack_size)}}};
    return layout.abi != 0;
}

} // namespace

std::size_t PerfRing::memory() { return system_page_size() + ring_size; }

PerfRing::PerfRing(pid_t thread, std::uint64_t period_ns) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_SOFTWARE;
    wanted.config = PERF_COUNT_SW_TASK_CLOCK;
    wanted.sample_period = period_ns;
    wanted.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    wanted.sample_regs_user = processor::sampled_registers;
    wanted.sample_stack_user = stack_size;
    wanted.exclude_hv = 1;
    wanted.use_clockid = 1;
    wanted.clockid = CLOCK_MONOTONIC;
    const auto open = [&] {
        return static_cast<int>(syscall(SYS_perf_event_open, &wanted, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
    };
    int event = open(); // with samples of the time in the kernel, where these are allowed
    if (event < 0 && (errno == EACCES || errno == EPERM)) {
        wanted.exclude_kernel = 1;
        event = open();
    }
    if (event < 0) return;
    void* const mapped = mmap(nullptr, memory(), PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    const int why = errno;
    close(event); // the mapping keeps the event alive
    errno = why;
    if (mapped != MAP_FAILED) memory_ = mapped;
}

PerfRing::~PerfRing() {
    if (memory_ != nullptr) munmap(memory_, memory());
}

bool PerfRing::next(CoreSample& sample) {
    if (memory_ == nullptr) return false;
    auto* const head_page = static_cast<perf_event_mmap_page*>(memory_);
    const std::uint64_t head = std::atomic_ref{head_page->data_head}.load(std::memory_order_acquire); // the kernel's
    std::uint64_t tail = head_page->data_tail;
    bool found = false;
    while (tail < head && !found) {
        perf_event_header header{};
        copy(&header, tail, sizeof header);
        if (header.size < sizeof header) break; // which the kernel never writes
        const std::size_t size = header.size - sizeof header;
        if (size <= record.size()) {
            copy(record.data(), tail + sizeof header, size);
            found = header.type == PERF_RECORD_SAMPLE && read_sample(size, sample);
            if (header.type == PERF_RECORD_LOST) lost_ += lost_in(size);
        }
        tail += header.size;
    }
    std::atomic_ref{head_page->data_tail}.store(tail, std::memory_order_release); // the kernel may write there again
    return found;
}

void PerfRing::copy(void* to, std::uint64_t at, std::size_t size) const {
    const auto* const ring = static_cast<const std::byte*>(memory_) + system_page_size();
    const std::size_t first = std::min<std::size_t>(size, ring_size - at % ring_size);
    std::memcpy(to, ring + at % ring_size, first);
    std::memcpy(static_cast<std::byte*>(to) + first, ring, size - first);
}

} // namespace tactus
