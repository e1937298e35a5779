// Counters of the processor: pages as the kernel would write them, and counters of the system, which any machine has.
#include "sampling/thread_counters.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tactus;

namespace {

constexpr std::uint64_t of_48_bits(std::int64_t value) {
    return static_cast<std::uint64_t>(value) & ((1ULL << 48) - 1);
}

perf_event_mmap_page made_page() {
    perf_event_mmap_page page{};
    page.cap_user_rdpmc = 1;
    page.pmc_width = 48;
    page.index = 3;
    page.offset = 1'000'000;
    page.time_enabled = 500;
    page.time_running = 400;
    return page;
}

perf_event_mmap_page* page_in_use = nullptr;
int registers_read = 0;

// The kernel moves the thread to another core in the middle of the first reading.
std::uint64_t moved_meanwhile(std::uint32_t number) {
    CHECK(number == 2);
    if (++registers_read > 1) return 70;
    page_in_use->lock += 2;
    page_in_use->offset = 5000;
    return 50;
}

std::uint64_t never(std::uint32_t) {
    FAIL("a register was read that the counter does not have");
    return 0;
}
std::uint64_t no_ticks() { return 0; }

const CountedEvent& event(std::string_view name) {
    for (const CountedEvent& known : counted_events)
        if (known.name == name) return known;
    FAIL("no such event");
    return counted_events[0];
}

// Causes so many page faults in this thread.
void touch_pages(std::size_t count) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const memory = mmap(nullptr, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    madvise(memory, count * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < count; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
    munmap(memory, count * page);
}

// The highest descriptor that is open below the highest that counters may have, -1 if there is none.
int high_descriptor() {
    for (int descriptor = 1 << 14; descriptor >= 0; --descriptor)
        if (fcntl(descriptor, F_GETFD) >= 0) return descriptor;
    return -1;
}

} // namespace

TEST_CASE("thread counters: a page's count and its register add up") {
    const perf_event_mmap_page page = made_page();
    const CounterNow up = read_counter_page(
        page, [](std::uint32_t) { return of_48_bits(234); }, no_ticks);
    CHECK(up.count == 1'000'234);
    CHECK(up.enabled == 500);
    CHECK(up.running == 400);
    // A register counts up from a negative number where the counter is about to overflow.
    CHECK(read_counter_page(
              page, [](std::uint32_t) { return of_48_bits(-100); }, no_ticks)
              .count == 999'900);
}

TEST_CASE("thread counters: without a register, or without the right to read it, the page's count holds") {
    perf_event_mmap_page page = made_page();
    page.index = 0;
    CHECK(read_counter_page(page, never, no_ticks).count == 1'000'000);
    page = made_page();
    page.cap_user_rdpmc = 0;
    CHECK(read_counter_page(page, never, no_ticks).count == 1'000'000);
}

TEST_CASE("thread counters: the times go on since the page was written") {
    perf_event_mmap_page page = made_page();
    page.cap_user_time = 1;
    page.time_shift = 4;
    page.time_mult = 32; // two nanoseconds a tick
    page.time_offset = 1000;
    const auto ticks = [] { return std::uint64_t{0x1009}; };
    const auto zero = [](std::uint32_t) { return std::uint64_t{0}; };
    const CounterNow counted = read_counter_page(page, zero, ticks);
    CHECK(counted.enabled == 500 + 1000 + 2 * 0x1009);
    CHECK(counted.running == 400 + 1000 + 2 * 0x1009);
    page.index = 0; // others have the register
    CHECK(read_counter_page(page, never, ticks).running == 400);
}

TEST_CASE("thread counters: a page that the kernel changes meanwhile is read again") {
    perf_event_mmap_page page = made_page();
    page_in_use = &page;
    registers_read = 0;
    CHECK(read_counter_page(page, moved_meanwhile, no_ticks).count == 5070);
    CHECK(registers_read == 2);
}

TEST_CASE("thread counters: what was counted for a part of the time is taken for all of it") {
    CHECK(counted_between({100, 1000, 1000}, {300, 2000, 2000}) == 200);
    CHECK(counted_between({100, 1000, 1000}, {300, 3000, 2000}) == 400);
    CHECK(counted_between({100, 1000, 1000}, {100, 3000, 1000}) == -1); // others had it all the time
    CHECK(counted_between({300, 1000, 1000}, {100, 2000, 2000}) == -1);
    CHECK(counted_between({100, 1000, 1000}, {100, 1000, 1000}) == 0);
}

TEST_CASE("thread counters: page faults of this thread, by a descriptor that nobody comes upon") {
    const std::vector<const CountedEvent*> events = {&event("task_clock"), &event("page_faults")};
    const int highest = high_descriptor();
    ThreadCounters counters;
    const auto refused = counters.open(events);
    if (refused[0] != 0) {
        WARN("the kernel refuses counters: " << strerror(refused[0]));
        return;
    }
    REQUIRE(refused[1] == 0);
    std::array<std::int64_t, 2> increases{};
    counters.read(increases); // its own first faults
    touch_pages(300);
    counters.read(increases);
    CHECK(increases[0] > 0);
    CHECK(increases[1] >= 300);
    CHECK(increases[1] < 3000); // with those of a sanitizer
    counters.read(increases);
    CHECK(increases[1] < 300);
    CHECK(counters.running_ns() > 0);
    CHECK(counters.running_ns() == counters.enabled_ns());
    CHECK(high_descriptor() > std::max(highest, 200));
    counters.close();
    CHECK(high_descriptor() == highest);
    counters.read(increases);
    CHECK(increases == std::array<std::int64_t, 2>{-1, -1});
}

TEST_CASE("thread counters: a program that closes all descriptors, and opens others, loses nothing but the counters") {
    const std::vector<const CountedEvent*> events = {&event("page_faults")};
    ThreadCounters counters;
    if (counters.open(events)[0] != 0) return; // said above
    const int taken = high_descriptor();
    REQUIRE(taken > 200);
    close(taken);
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    REQUIRE(write(ends[1], "whole", 5) == 5);
    REQUIRE(dup2(ends[0], taken) == taken); // the program's own by now
    std::array<std::int64_t, 1> increases{};
    counters.read(increases);
    CHECK(increases[0] == -1);
    counters.close();
    std::array<char, 8> read_back{};
    CHECK(read(taken, read_back.data(), read_back.size()) == 5); // neither read by the counters nor closed
    for (const int descriptor : {taken, ends[0], ends[1]}) close(descriptor);
}

TEST_CASE("thread counters: nor does one whose own counter has the number now") {
    const std::vector<const CountedEvent*> events = {&event("page_faults")};
    ThreadCounters counters;
    if (counters.open(events)[0] != 0) return; // said above
    const int taken = high_descriptor();
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_SOFTWARE;
    wanted.config = PERF_COUNT_SW_TASK_CLOCK;
    wanted.exclude_kernel = 1;
    const auto own = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
    REQUIRE(own >= 0);
    REQUIRE(dup2(own, taken) == taken);
    std::array<std::int64_t, 1> increases{};
    counters.read(increases);
    CHECK(increases[0] == -1);
    counters.close();
    CHECK(fcntl(taken, F_GETFD) >= 0); // it is still open
    close(taken);
    close(own);
}

TEST_CASE("thread counters: an event that the machine does not have is refused, and the others are counted") {
    const CountedEvent absent{"absent", "absent", PERF_TYPE_HARDWARE, 0x7fff};
    const std::vector<const CountedEvent*> events = {&absent, &event("page_faults")};
    ThreadCounters counters;
    const auto refused = counters.open(events);
    CHECK(refused[0] != 0);
    if (refused[1] != 0) return; // said above
    touch_pages(50);
    std::array<std::int64_t, 2> increases{};
    counters.read(increases);
    CHECK(increases[0] == -1);
    CHECK(increases[1] >= 50);
    counters.close();
}

TEST_CASE("thread counters: the child of a fork has none of the descriptors, also not those of other threads") {
    const std::vector<const CountedEvent*> events = {&event("page_faults")};
    const int highest = high_descriptor();
    ThreadCounters own;
    if (own.open(events)[0] != 0) return; // said above
    std::promise<void> opened;
    std::promise<void> end;
    std::thread other{[&] {
        ThreadCounters counters;
        counters.open(events);
        opened.set_value();
        end.get_future().wait();
        counters.close();
    }};
    opened.get_future().wait();
    const int both = high_descriptor();
    const pid_t child = fork();
    if (child == 0) {
        ThreadCounters::leave_to_parent();
        _exit(high_descriptor() == highest ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(high_descriptor() == both); // the parent still has them
    std::array<std::int64_t, 1> increases{};
    touch_pages(40);
    own.read(increases);
    CHECK(increases[0] >= 40);
    ThreadCounters::stop_all();
    own.read(increases);
    touch_pages(40);
    own.read(increases);
    CHECK(increases[0] <= 0); // no more
    end.set_value();
    other.join();
    own.close();
    CHECK(high_descriptor() == highest);
}
