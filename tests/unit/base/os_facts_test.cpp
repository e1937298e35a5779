// What the operating system says of a process: from a made /proc, and of this process itself.
#include "base/os_facts.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace tactus;

namespace {

class MadeSystem {
  public:
    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream{path} << text;
    }
    [[nodiscard]] OsPlaces places() const {
        return {.proc = (folder_.path() / "proc").string(), .cgroup = (folder_.path() / "cgroup").string()};
    }

  private:
    TestFolder folder_;
};

} // namespace

TEST_CASE("threads, bytes and limits are read from /proc and the control group") {
    const MadeSystem system;
    system.write("proc/self/task/10/comm", "app\n");
    system.write("proc/self/task/10/schedstat", "5000 700 12\n");
    system.write("proc/self/task/11/comm", "tactus\n");
    system.write("proc/self/task/11/schedstat", "1 1 1\n");
    system.write("proc/self/task/12/comm", "worker\n");
    system.write("proc/self/task/12/schedstat", "60 8 1\n");
    system.write("proc/self/task/13/comm", "no schedstat\n");
    system.write("proc/self/io", "rchar: 123\nwchar: 45\nsyscr: 6\n");
    system.write("proc/self/cgroup", "0::/user/job\n");
    system.write("proc/meminfo", "MemTotal:       2048 kB\nMemFree: 5 kB\n");
    system.write("cgroup/user/job/cpu.max", "max 100000\n");
    system.write("cgroup/user/job/cpu.stat", "usage_usec 9\nthrottled_usec 250\n");
    system.write("cgroup/user/cpu.max", "250000 100000\n");
    OsReading reading = read_os(system.places());
    std::ranges::sort(reading.threads, {}, &ThreadTime::number);
    REQUIRE(reading.threads.size() == 2); // not the tracer's own, nor one of which nothing is told
    CHECK(reading.threads[0].ran_ns == 5000);
    CHECK(reading.threads[0].waited_ns == 700);
    CHECK(reading.threads[1].number == 12);
    CHECK(reading.read_bytes == 123);
    CHECK(reading.written_bytes == 45);
    CHECK(reading.throttled_ns == 250'000);
    const Machine machine = read_machine(system.places());
    CHECK(machine.core_limit == 2.5); // of a group above
    CHECK(machine.memory_bytes == 2048 * 1024);
}

TEST_CASE("limits of control groups of version 1 are read") {
    const MadeSystem system;
    system.write("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n0::/job\n");
    system.write("cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
    system.write("cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    system.write("cgroup/cpu/job/cpu.stat", "nr_periods 5\nnr_throttled 1\nthrottled_time 77\n");
    CHECK(read_machine(system.places()).core_limit == 0.5);
    CHECK(read_os(system.places()).throttled_ns == 77);
}

TEST_CASE("what all processes did on the CPUs of this one is read, and what the machine swapped") {
    const MadeSystem system;
    const std::string other = "cpu99999 7 7 7 7 7 7 7 7 0 0\n";
    std::string lines = "cpu  100 100 100 100 100 100 100 100 0 0\n";
    cpu_set_t mine;
    REQUIRE(sched_getaffinity(0, sizeof mine, &mine) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &mine))
            lines += "cpu" + std::to_string(cpu) + " 10 20 30 4000 5000 6 7 800 0 0\n";
    system.write("proc/stat", lines + other + "intr 5 6 7\n");
    system.write("proc/vmstat", std::string(9000, 'x') + " 1\npswpin 321\npswpout 5\n");
    const OsReading reading = read_os(system.places());
    CHECK(reading.swapped_in == 321);
    REQUIRE(reading.busy_ns.size() == reading.cpus.size());
    const std::int64_t ns_per_tick = 1'000'000'000 / sysconf(_SC_CLK_TCK);
    for (std::size_t i = 0; i < reading.cpus.size(); ++i) CHECK(reading.busy_ns[i] == ns_per_tick * (10 + 20 + 30));
    system.write("proc/stat", "cpu0 1 2\ncpu one 2\n");
    for (const std::int64_t busy_ns : read_os(system.places()).busy_ns) CHECK(busy_ns == -1);
}

TEST_CASE("a system that tells nothing is no error") {
    const MadeSystem system;
    const OsReading reading = read_os(system.places());
    CHECK(reading.threads.empty());
    CHECK(reading.read_bytes == -1);
    CHECK(reading.throttled_ns == -1);
    CHECK(read_machine(system.places()).core_limit == 0);
    system.write("proc/self/cgroup", "nonsense\n::\n0::\n");
    system.write("proc/self/io", "rchar: many\n");
    system.write("proc/self/task/10/schedstat", "\n");
    CHECK(read_os(system.places()).read_bytes == -1);
    CHECK(read_os(system.places()).threads.empty());
}

TEST_CASE("the CPUs are those of the threads that do the work") {
    cpu_set_t mine;
    REQUIRE(sched_getaffinity(0, sizeof mine, &mine) == 0);
    std::vector<std::int32_t> cpus;
    for (std::int32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &mine)) cpus.push_back(cpu);
    if (cpus.size() < 2) return;
    // Two threads, each bound to a CPU of its own, while this one may use all.
    std::promise<void> end;
    const std::shared_future<void> ended{end.get_future()};
    std::promise<std::int64_t> numbers[2];
    std::thread threads[2];
    for (std::size_t i = 0; i < 2; ++i)
        threads[i] = std::thread{[&, i] {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(static_cast<std::size_t>(cpus[i]), &one);
            sched_setaffinity(0, sizeof one, &one);
            numbers[i].set_value(gettid());
            ended.wait();
        }};
    const auto cpus_of = [&](const std::vector<std::pair<std::int64_t, std::int64_t>>& times) {
        const MadeSystem system;
        for (const auto& [number, ran_ns] : times) {
            const std::string thread = "proc/self/task/" + std::to_string(number);
            system.write(thread + "/comm", "app\n");
            system.write(thread + "/schedstat", std::to_string(ran_ns) + " 0 1\n");
        }
        return read_os(system.places()).cpus;
    };
    const std::int64_t first = numbers[0].get_future().get();
    const std::int64_t second = numbers[1].get_future().get();
    CHECK(cpus_of({{first, 1000}, {second, 900}}) == std::vector<std::int32_t>{cpus[0], cpus[1]});
    CHECK(cpus_of({{first, 1000}, {gettid(), 9}}) == std::vector<std::int32_t>{cpus[0]}); // this one sleeps
    CHECK(cpus_of({}) == cpus);
    end.set_value();
    for (std::thread& thread : threads) thread.join();
}

TEST_CASE("the system tells of this process") {
    const OsReading reading = read_os();
    CHECK(reading.monotonic_ns > 0);
    CHECK(reading.user_ns + reading.system_ns > 0);
    CHECK(reading.minor_faults > 0);
    CHECK(reading.peak_bytes > 1'000'000);
    CHECK(reading.cpus.size() >= 1);
    CHECK(read_machine().cpus >= static_cast<std::int64_t>(1));
}
