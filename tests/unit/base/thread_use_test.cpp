// What the operating system counts for a thread, read from the kernel itself.
#include "base/thread_use.hpp"
#include "tests/unit/made/catch.hpp"

#include <cerrno>
#include <ctime>
#include <string>
#include <vector>

using namespace tactus;

TEST_CASE("thread use: computing counts as running, sleeping does not") {
    const ThreadUse begin = read_thread_use();
    REQUIRE(begin.ran_ns >= 0);
    ThreadUse end = begin;
    while (end.ran_ns < begin.ran_ns + 5'000'000) end = read_thread_use();
    const timespec pause{0, 50'000'000};
    nanosleep(&pause, nullptr);
    const ThreadUse after = read_thread_use();
    CHECK(after.ran_ns - end.ran_ns < 50'000'000); // however busy the machine is
    CHECK(after.voluntary_switches > end.voluntary_switches);
    CHECK(after.cpu >= 0);
}

TEST_CASE("thread use: touching memory counts as page faults") {
    const ThreadUse begin = read_thread_use();
    constexpr std::size_t page = 4096;
    std::vector<char> memory(1000 * page);
    for (std::size_t i = 0; i < memory.size(); i += page) memory[i] = 1;
    CHECK(read_thread_use().minor_faults > begin.minor_faults);
}

TEST_CASE("thread use: the time without a core is the second number") {
    CHECK(waited_ns_of("5234 81 12\n") == 81);
    CHECK(waited_ns_of("5234 81") == -1); // the file was cut
    for (const std::string wrong : {"", "5234", "5234 ", "a b c", "1 -", "1 99999999999999999999 3"})
        CHECK(waited_ns_of(wrong) == -1);
    errno = EDOM;
    const std::int64_t first = read_waited_ns();
    CHECK(read_waited_ns() >= first);
    CHECK(errno == EDOM);
}
