// What the operating system says of this process and of the machine that it runs on, without any privilege. Reading
// never fails: a number that the system does not tell is -1, and a list is empty. Any thread; a reading of a process
// with one thread takes some 100 microseconds on a small machine, and 10 more for each further thread. Machines with
// many CPUs take longer to tell what these did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct ThreadTime {
    std::int64_t number = 0;    // its id in the system
    std::int64_t ran_ns = 0;    // on a core
    std::int64_t waited_ns = 0; // able to run, without a core
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("ran_ns", self.ran_ns);
        field("waited_ns", self.waited_ns);
    }
};

// All counters are since the process began, or since the machine started.
struct OsReading {
    std::int64_t monotonic_ns = 0; // when it was read
    std::int64_t user_ns = -1;     // of all threads, also of those that have ended; likewise what follows
    std::int64_t system_ns = -1;
    std::int64_t minor_faults = -1;
    std::int64_t major_faults = -1; // which had to read from a disk
    std::int64_t voluntary_switches = -1;
    std::int64_t involuntary_switches = -1;
    std::int64_t peak_bytes = -1; // of memory
    std::int64_t read_bytes = -1; // by system calls, from files and others
    std::int64_t written_bytes = -1;
    std::int64_t throttled_ns = -1; // processes of the control group were held back by its limit, added up over cores
    std::vector<std::int32_t> cpus; // on which a thread that does the work may run
    std::vector<std::int64_t> busy_ns; // of each of these CPUs, by any process; counted by ticks on most systems
    std::int64_t swapped_in = -1;      // pages of all processes of the machine that were read back from swap space
    std::vector<ThreadTime> threads;   // those that live now, without the tracer's own
    static constexpr void fields(auto& self, auto&& field) {
        field("monotonic_ns", self.monotonic_ns);
        field("user_ns", self.user_ns);
        field("system_ns", self.system_ns);
        field("minor_faults", self.minor_faults);
        field("major_faults", self.major_faults);
        field("voluntary_switches", self.voluntary_switches);
        field("involuntary_switches", self.involuntary_switches);
        field("peak_bytes", self.peak_bytes);
        field("read_bytes", self.read_bytes);
        field("written_bytes", self.written_bytes);
        field("throttled_ns", self.throttled_ns);
        field("cpus", self.cpus);
        field("busy_ns", self.busy_ns);
        field("swapped_in", self.swapped_in);
        field("threads", self.threads);
    }
};

struct Machine {
    std::int64_t cpus = -1; // that are online
    double core_limit = 0;  // how many cores the control group may use, 2.5 for example; 0: no limit
    std::int64_t memory_bytes = -1;
    static constexpr void fields(auto& self, auto&& field) {
        field("cpus", self.cpus);
        field("core_limit", self.core_limit);
        field("memory_bytes", self.memory_bytes);
    }
};

// Where the system tells it. Tests have folders of their own.
struct OsPlaces {
    std::string proc = "/proc";
    std::string cgroup = "/sys/fs/cgroup";
};

OsReading read_os(const OsPlaces& places = {});
Machine read_machine(const OsPlaces& places = {});

} // namespace tactus
