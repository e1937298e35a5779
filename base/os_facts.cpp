#include "base/os_facts.hpp"

#include "base/system_file.hpp"
#include "base/ticks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <dirent.h>
#include <optional>
#include <sched.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace tactus {
namespace {

// Takes the next word off the front of a text.
std::string_view take_word(std::string_view& text) {
    const auto begin = std::min(text.find_first_not_of(" \t\n"), text.size());
    const auto end = std::min(text.find_first_of(" \t\n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

std::optional<std::int64_t> number_of(std::string_view word) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return {};
    return number;
}

std::int64_t take_number(std::string_view& text) { return number_of(take_word(text)).value_or(-1); }

// The number behind a name at the begin of a line: "rchar: 323934931"; -1 if there is none.
std::int64_t number_behind(std::string_view text, std::string_view name) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.starts_with(name)) continue;
        line.remove_prefix(name.size());
        return take_number(line);
    }
    return -1;
}

std::vector<ThreadTime> read_threads(const std::string& folder) {
    std::vector<ThreadTime> threads;
    DIR* const list = opendir(folder.c_str());
    if (list == nullptr) return threads;
    while (const dirent* const entry = readdir(list)) {
        const auto number = number_of(entry->d_name);
        if (!number) continue; // "." and ".."
        const std::string thread = folder + "/" + entry->d_name;
        if (read_system_file(thread + "/comm").starts_with("tactus")) continue; // our own
        const std::string times = read_system_file(thread + "/schedstat");
        std::string_view rest = times;
        const std::int64_t ran = take_number(rest);
        const std::int64_t waited = take_number(rest);
        if (ran >= 0 && waited >= 0) threads.push_back({.number = *number, .ran_ns = ran, .waited_ns = waited});
    }
    closedir(list);
    return threads;
}

// Where at least one of the threads may run that do the work: a runtime of OpenMP binds each of its threads to another
// core, while threads that an MPI has for itself, and that mostly sleep, may run anywhere.
std::vector<std::int32_t> allowed_cpus(const std::vector<ThreadTime>& threads) {
    constexpr int most = 8192;
    std::vector<std::int32_t> cpus;
    cpu_set_t* const set = CPU_ALLOC(most);
    cpu_set_t* const all = CPU_ALLOC(most);
    const std::size_t size = CPU_ALLOC_SIZE(most);
    if (set != nullptr && all != nullptr) {
        CPU_ZERO_S(size, all);
        const auto wanted_ns = [](const ThreadTime& thread) { return thread.ran_ns + thread.waited_ns; };
        std::int64_t most_ns = 0;
        for (const ThreadTime& thread : threads) most_ns = std::max(most_ns, wanted_ns(thread));
        bool any = false;
        for (const ThreadTime& thread : threads) {
            if (10 * wanted_ns(thread) < most_ns) continue;
            if (sched_getaffinity(static_cast<pid_t>(thread.number), size, set) != 0) continue;
            CPU_OR_S(size, all, all, set);
            any = true;
        }
        if (!any) any = sched_getaffinity(0, size, all) == 0;
        for (int cpu = 0; any && cpu < most; ++cpu)
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, all)) cpus.push_back(cpu);
    }
    if (set != nullptr) CPU_FREE(set);
    if (all != nullptr) CPU_FREE(all);
    return cpus;
}

// The folders of this process's control group that limit its cores, from its own up to the root.
struct ControlGroup {
    bool unified = true; // version 2, which has one tree for all kinds of limits
    std::vector<std::string> folders;
};

ControlGroup control_group(const OsPlaces& places) {
    const std::string lines = read_system_file(places.proc + "/self/cgroup");
    std::string_view text = lines;
    ControlGroup group;
    std::string root;
    std::string path;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n')); // "0::/path" or "4:cpu,cpuacct:/path"
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) continue;
        const std::string controllers = "," + std::string{line.substr(first + 1, second - first - 1)} + ",";
        const bool has_cpu = controllers.find(",cpu,") != std::string::npos;
        if (controllers != ",," && !has_cpu) continue;
        group.unified = !has_cpu;
        root = places.cgroup + (has_cpu ? "/cpu" : "");
        path = line.substr(second + 1);
        if (has_cpu) break; // where both versions are in use, the older one has the limit
    }
    if (root.empty()) return group;
    for (; path.size() > 1 && path.front() == '/'; path.erase(path.rfind('/'))) group.folders.push_back(root + path);
    group.folders.push_back(root);
    return group;
}

// The limit of one folder in cores; 0: none.
double limit_of(const std::string& folder, bool unified) {
    const std::string text = unified ? read_system_file(folder + "/cpu.max")
                                     : read_system_file(folder + "/cpu.cfs_quota_us") + " " +
                                           read_system_file(folder + "/cpu.cfs_period_us");
    std::string_view rest = text; // "max 100000", "250000 100000"
    const std::int64_t quota = take_number(rest);
    const std::int64_t period = take_number(rest);
    return quota > 0 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : 0;
}

// A limit may be that of a group further up, which then counts.
std::int64_t throttled_ns(const ControlGroup& group) {
    std::int64_t most = -1;
    for (const std::string& folder : group.folders) {
        const std::string text = read_system_file(folder + "/cpu.stat");
        const std::int64_t us = number_behind(text, "throttled_usec");
        most = std::max(most, us >= 0 ? 1000 * us : number_behind(text, "throttled_time"));
    }
    return most;
}

// For how long each CPU was in user programs, in niced ones and in the kernel, by lines such as
// "cpu1 8392 12 4021 99182 301 0 77 0 0 0", in hundredths of a second. Interrupts stand further behind. A CPU without a
// line has -1.
std::vector<std::int64_t> busy_ns_of(std::string_view text, const std::vector<std::int32_t>& cpus) {
    const std::int64_t ns_per_tick = 1'000'000'000 / std::max(sysconf(_SC_CLK_TCK), 1L);
    std::vector<std::int64_t> all(cpus.size(), -1);
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.starts_with("cpu")) break; // these lines come first
        line.remove_prefix(3);
        if (line.starts_with(' ')) continue; // the sum
        const std::int64_t number = take_number(line);
        const auto cpu = std::ranges::find(cpus, number);
        std::array<std::int64_t, 3> ticks{};
        for (std::int64_t& state : ticks) state = take_number(line);
        if (cpu == cpus.end() || std::ranges::any_of(ticks, [](std::int64_t state) { return state < 0; })) continue;
        all[static_cast<std::size_t>(cpu - cpus.begin())] = ns_per_tick * (ticks[0] + ticks[1] + ticks[2]);
    }
    return all;
}

std::int64_t ns_of(const timeval& time) { return 1'000'000'000 * time.tv_sec + 1000 * time.tv_usec; }

} // namespace

OsReading read_os(const OsPlaces& places) {
    OsReading reading;
    reading.monotonic_ns = monotonic_ns();
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        reading.user_ns = ns_of(usage.ru_utime);
        reading.system_ns = ns_of(usage.ru_stime);
        reading.minor_faults = usage.ru_minflt;
        reading.major_faults = usage.ru_majflt;
        reading.voluntary_switches = usage.ru_nvcsw;
        reading.involuntary_switches = usage.ru_nivcsw;
        reading.peak_bytes = 1024 * usage.ru_maxrss;
    }
    const std::string io = read_system_file(places.proc + "/self/io");
    reading.read_bytes = number_behind(io, "rchar:");
    reading.written_bytes = number_behind(io, "wchar:");
    reading.throttled_ns = throttled_ns(control_group(places));
    reading.threads = read_threads(places.proc + "/self/task");
    reading.cpus = allowed_cpus(reading.threads);
    constexpr std::size_t most = 1 << 17; // a line for each CPU
    reading.busy_ns = busy_ns_of(read_system_file(places.proc + "/stat", most), reading.cpus);
    reading.swapped_in = number_behind(read_system_file(places.proc + "/vmstat", most), "pswpin");
    return reading;
}

Machine read_machine(const OsPlaces& places) {
    Machine machine;
    machine.cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const ControlGroup group = control_group(places);
    for (const std::string& folder : group.folders) {
        const double limit = limit_of(folder, group.unified);
        if (limit > 0 && (machine.core_limit == 0 || limit < machine.core_limit)) machine.core_limit = limit;
    }
    const std::int64_t kib = number_behind(read_system_file(places.proc + "/meminfo"), "MemTotal:");
    if (kib >= 0) machine.memory_bytes = 1024 * kib;
    return machine;
}

} // namespace tactus
