// What other threads of this process do: on a core by the kernel's samples, blocked by /proc.
#include "sampling/perf_ring.hpp"
#include "sampling/sleeping.hpp"
#include "tests/unit/made/catch.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace tactus;

namespace {

double own_cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[gnu::noinline]] double burn(double seconds) {
    volatile double x = 1;
    for (const double end = own_cpu_s() + seconds; own_cpu_s() < end;)
        for (int i = 0; i < 10000; ++i) x = x * 1.0000001 + 1e-9;
    return x;
}

pid_t own_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

} // namespace

TEST_CASE("perf ring: samples of another thread by its time on a core") {
    std::atomic<pid_t> thread{0};
    std::atomic<bool> go{false};
    std::atomic<bool> done{false};
    std::thread other{[&] {
        thread = own_thread();
        while (!go) std::this_thread::yield();
        burn(0.3);
        done = true;
    }};
    while (thread == 0) std::this_thread::yield();
    PerfRing ring{thread, 5'000'000};
    const int why = errno;
    go = true;
    std::size_t samples = 0;
    std::size_t with_stack = 0;
    const auto take_all = [&] {
        CoreSample sample;
        while (ring.next(sample)) {
            ++samples;
            const bool whole = sample.stack.begin == sample.registers.sp && !sample.stack.bytes.empty();
            with_stack += sample.registers.pc != 0 && whole ? 1 : 0;
            std::uint64_t word = 0;
            CHECK_FALSE(sample.stack.word(sample.registers.sp - 8, word));
        }
    };
    while (ring && !done) {
        take_all();
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    other.join();
    take_all();
    if (!ring) {
        WARN("the kernel refuses samples: " << std::strerror(why));
        CHECK((why == EACCES || why == EPERM || why == ENOSYS));
        return;
    }
    CHECK(samples > 20); // of 60: those in the kernel do not come
    CHECK(samples <= 65);
    CHECK(with_stack == samples);
}

TEST_CASE("perf ring: of a thread that does not exist there is none") {
    const PerfRing ring{1 << 30, 10'000'000};
    CHECK_FALSE(ring);
}

TEST_CASE("sleeping: the system call and its file") {
    int ends[2] = {};
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    std::atomic<pid_t> thread{0};
    std::thread reader{[&] {
        thread = own_thread();
        char byte = 0;
        while (read(ends[0], &byte, 1) < 0) {
        }
    }};
    std::optional<Blocked> blocked;
    while (thread == 0 || !(blocked = blocked_in(thread)) || blocked->call != SYS_read) std::this_thread::yield();
    CHECK(static_cast<int>(blocked->arguments[0]) == ends[0]);
    std::array<char, 256> name{};
    CHECK(file_of(*blocked, name).starts_with("pipe:["));
    CHECK(file_of(*blocked, std::span{name}.first(3)) == "pip");
    std::array<std::byte, 8192> room{};
    const StackCopy stack = copy_of_stack(blocked->registers.sp, room);
    CHECK(!stack.bytes.empty());
    const auto used = processor_time_ns(thread);
    REQUIRE(used);
    CHECK(*used > 0);
    CHECK(processor_time_ns(thread) == used); // it is blocked
    const auto own = processor_time_ns(own_thread());
    CHECK(write(ends[1], "x", 1) == 1);
    reader.join();
    close(ends[0]);
    close(ends[1]);
    CHECK(processor_time_ns(own_thread()) > own); // it ran
    CHECK_FALSE(blocked_in(1 << 30));             // no such thread
    CHECK_FALSE(processor_time_ns(1 << 22));      // the kernel gives no number so large
}

TEST_CASE("sleeping: the text of /proc") {
    CHECK_FALSE(blocked_by("running\n"));
    CHECK_FALSE(blocked_by(""));
    CHECK_FALSE(blocked_by("0 0x3 0x10"));
    const auto read = blocked_by("0 0x3 0x7f0010 0x100 0x0 0x0 0x0 0x7ffe10 0x7f1234\n");
    REQUIRE(read);
    CHECK(read->call == 0);
    CHECK(read->arguments[0] == 3);
    CHECK(read->registers.sp == 0x7ffe10);
    CHECK(read->registers.pc == 0x7f1234);
    CHECK_FALSE(read->registers.fp_known);
    const auto elsewhere = blocked_by("-1 0x7ffe10 0x7f1234\n");
    REQUIRE(elsewhere);
    CHECK(elsewhere->call == -1);
    std::array<char, 8> name{};
    CHECK(file_of(*elsewhere, name).empty());
}

TEST_CASE("sleeping: memory that is not there is not copied") {
    std::array<std::byte, 8192> room{};
    CHECK(copy_of_stack(0, room).bytes.empty());
    CHECK(copy_of_stack(~std::uint64_t{0} - 100, room).bytes.empty());
}
