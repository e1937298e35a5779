// Writes the trace of a simulated run (bench/made_run.hpp), whose clocks are wrong in a known way.
//
//   made_trace TRACE [--ranks N] [--host-ranks N] [--records N] [--seconds S] [--idle S] [--pattern line|grid|ring]
//              [--reduce-every N] [--clocks right|constant|thermal|slew|step] [--seed N]
//
// --records is the approximate number for each rank. --host-ranks is the number of ranks that share a clock.
// --reduce-every is the number of steps between calls of MPI_Allreduce; 0 means no calls. --idle is the time in seconds
// between each round of clock measurements and the messages.
#include "bench/made_run.hpp"

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

using namespace tactus;

namespace {

bool set(MadeRun& run, std::string_view name, const char* value) {
    const std::uint64_t number = std::strtoull(value, nullptr, 10);
    const auto small = static_cast<std::uint32_t>(number);
    const auto pattern = made_pattern(value);
    const auto profile = clock_profile(value);
    if (name == "--ranks" && small > 1)
        run.ranks = small;
    else if (name == "--host-ranks" && small > 0)
        run.ranks_a_host = small;
    else if (name == "--records")
        run.records_a_rank = number;
    else if (name == "--seconds")
        run.seconds = std::strtod(value, nullptr);
    else if (name == "--idle")
        run.idle_seconds = std::strtod(value, nullptr);
    else if (name == "--reduce-every")
        run.steps_a_reduction = small;
    else if (name == "--seed")
        run.seed = number;
    else if (name == "--pattern" && pattern)
        run.pattern = *pattern;
    else if (name == "--clocks" && profile)
        run.profile = *profile;
    else
        return false;
    return true;
}

// The files of all ranks are open at the same time.
void allow_many_files() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

} // namespace

int main(int argc, char** argv) {
    MadeRun run;
    bool understood = argc > 1 && argc % 2 == 0;
    for (int i = 2; understood && i + 1 < argc; i += 2) understood = set(run, argv[i], argv[i + 1]);
    if (!understood) {
        std::fprintf(stderr, "made_trace: not understood; bench/made_trace.cpp says what is\n");
        return 2;
    }
    allow_many_files();
    const std::string trace = argv[1];
    const auto made = make_run(run, trace);
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().line().c_str());
        return 1;
    }
    std::printf("%llu records, %llu bytes\n", static_cast<unsigned long long>(made->records),
                static_cast<unsigned long long>(made->bytes));
    return 0;
}
