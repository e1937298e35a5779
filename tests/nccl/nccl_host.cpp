// Drives an NCCL profiler plugin as NCCL does, without NCCL and without a GPU.
//
//   nccl_host SEQUENCE [--core 2.26|2.27|2.28|2.29|2.30] [--newest-version 3|4|5|6] [--seed N] [--operations N]
//             [--truth FILE] [--granularity NS] [--drift-ppm N] [--offset-ns N] [--processes 2..8] [--plugin-fails]
//   nccl_host --list
//
// The plugin is the one that NCCL_PROFILER_PLUGIN names, found by NCCL's own rules. --newest-version uses an older
// version than both sides know, so that NCCL's adapters are tested. FAKE_NCCL_MOST_US=N aborts when a callback takes
// more CPU time than that, and FAKE_NCCL_DEBUG=1 shows what the plugin logs. Prints one line of JSON. The sequence
// "processes" writes the truth of each process to FILE.RANK.
#include "sequences.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <limits>

namespace tactus::fake_nccl {
namespace {

struct Named {
    std::string_view name;
    Sequence run;
};

constexpr Named sequences[] = {
    {"init_all", init_all_sequence},
    {"grouped_p2p", grouped_p2p},
    {"all_to_all", all_to_all},
    {"split", split},
    {"pxn", pxn},
    {"init_failure", init_failure},
    {"in_flight", in_flight},
    {"kernel_race", kernel_race},
    {"graph", graph},
    {"non_blocking", non_blocking},
    {"reload", reload},
    {"mask_changes", mask_changes},
    {"copy_engine", copy_engine},
    {"net_plugin", net_plugin},
    {"coll_net", coll_net},
    {"blind_spots", blind_spots},
    {"forked", forked},
    {"many", many},
    {"steady", steady},
};

constexpr const char* processes_name = "processes";

int wrong(const std::string& what) {
    std::fprintf(stderr,
                 "nccl_host: %s\n"
                 "usage: nccl_host SEQUENCE [--core 2.26|2.27|2.28|2.29|2.30] [--newest-version 3|4|5|6]\n"
                 "  [--seed N] [--operations N] [--truth FILE] [--granularity NS] [--drift-ppm N]\n"
                 "  [--offset-ns N] [--processes 2..8] [--plugin-fails]\n"
                 "nccl_host --list prints the sequences' names\n",
                 what.c_str());
    return 2;
}

int list() {
    std::printf("%s\n", processes_name);
    for (const Named& sequence : sequences) std::printf("%s\n", std::string{sequence.name}.c_str());
    return 0;
}

// Reads `text` as a number. Returns false if not all of it is one, or if the number is not in `least` to `most`.
template <typename Number> bool read(std::string_view text, Number& value, Number least, Number most) {
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stopped == end && value >= least && value <= most;
}

template <typename Number> constexpr Number largest = std::numeric_limits<Number>::max();

bool is_option(std::string_view option) {
    constexpr std::string_view options[] = {"--core",       "--newest-version", "--seed",
                                            "--operations", "--truth",          "--granularity",
                                            "--drift-ppm",  "--offset-ns",      "--processes"};
    return std::find(std::begin(options), std::end(options), option) != std::end(options);
}

// Returns false if the option's value makes no sense.
bool take(Wanted& wanted, std::string_view option, std::string_view value) {
    if (option == "--core") {
        const std::optional<Core> core = core_of(value);
        wanted.library.core = core.value_or(Core::v2_30);
        return core.has_value();
    }
    if (option == "--newest-version") return read(value, wanted.library.newest_version, 3, 6);
    if (option == "--seed") return read(value, wanted.library.seed, std::uint64_t{0}, largest<std::uint64_t>);
    if (option == "--operations") return read(value, wanted.operations, std::size_t{1}, largest<std::size_t>);
    if (option == "--granularity")
        return read(value, wanted.clock.granularity_ns, std::int64_t{1}, std::int64_t{1'000'000'000});
    if (option == "--drift-ppm") return read(value, wanted.clock.drift_ppm, -1e5, 1e5);
    if (option == "--offset-ns")
        return read(value, wanted.clock.offset_ns, -largest<std::int64_t> / 4, largest<std::int64_t> / 4);
    if (option == "--processes") return read(value, wanted.processes, least_processes, most_processes);
    wanted.truth = value;
    return !value.empty();
}

// Returns what is wrong with the options, or "".
std::string read_options(int argc, char** argv, Wanted& wanted) {
    for (int i = 2; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--plugin-fails") {
            wanted.plugin_fails = true;
            continue;
        }
        if (!is_option(option)) return "there is no option " + option;
        if (++i == argc) return option + " needs a value";
        if (!take(wanted, option, argv[i])) return option + " cannot be " + argv[i];
    }
    wanted.library.keep_truth = !wanted.truth.empty();
    return "";
}

Sequence sequence_named(std::string_view name) {
    for (const Named& sequence : sequences)
        if (sequence.name == name) return sequence.run;
    return nullptr;
}

int report(std::string_view name, const Outcome& outcome) {
    std::printf("{\"sequence\": \"%s\", \"plugin_version\": %d, \"loads\": %d, %s, \"operations\": %llu}\n",
                std::string{name}.c_str(), outcome.plugin_version, outcome.loads, json_of(outcome.totals).c_str(),
                static_cast<unsigned long long>(outcome.operations));
    std::fflush(stdout);
    return outcome.failed ? 1 : 0;
}

int run(std::string_view name, Sequence sequence, const Wanted& wanted) {
    // Never freed: like libnccl, it may be in use until exit.
    static Library* const library = new Library{wanted.library};
    Stage stage{.library = *library, .wanted = wanted};
    sequence(stage);
    Outcome outcome = outcome_of(*library);
    if (!wanted.truth.empty()) outcome.failed = !library->truth.write(wanted.truth);
    if (!stage.leave_running) delete library;
    return report(name, outcome);
}

} // namespace

Outcome outcome_of(const Library& library) {
    return {.totals = total_counts(),
            .operations = library.truth.operations(),
            .plugin_version = library.loader.last_version(),
            .loads = library.loader.times_loaded()};
}

} // namespace tactus::fake_nccl

int main(int argc, char** argv) {
    using namespace tactus::fake_nccl;
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "--list") return list();
    if (name.empty()) return wrong("which sequence?");
    const bool forks = name == processes_name;
    const Sequence sequence = sequence_named(name);
    if (!forks && sequence == nullptr) return wrong("there is no sequence " + name);
    Wanted wanted;
    if (const std::string problem = read_options(argc, argv, wanted); !problem.empty()) return wrong(problem);
    return forks ? report(name, run_processes(wanted)) : run(name, sequence, wanted);
}
