// `tactus run`: inserts the preload library into the command line before each program, runs it, and ends with one
// screen. The exit status is the launcher's. An error of the tracer or in this command does not change it.
#include "cli/bring_in_order.hpp"
#include "cli/commands.hpp"
#include "cli/find_traces.hpp"
#include "cli/launch/execute.hpp"
#include "cli/launch/no_trace.hpp"
#include "cli/launch/plan.hpp"
#include "cli/messages.hpp"
#include "cli/report/closing_screen.hpp"
#include "cli/trace_folder.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr const char* run_token_variable = "VT_TACTUS_RUN";
constexpr const char* prefix_variable = "VT_LOGFILE_PREFIX";

// The options travel to the ranks in the command line, because launchers do not pass the environment on to other nodes
// by themselves.
std::vector<EnvironmentPair> options_for_ranks(const std::string& token, const TraceFolder& folder) {
    std::vector<EnvironmentPair> pairs;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string pair = *entry;
        const std::size_t equals = pair.find('=');
        if (pair.rfind("VT_", 0) != 0 || equals == std::string::npos) continue;
        const std::string name = pair.substr(0, equals);
        if (name != run_token_variable && (name != prefix_variable || folder.prefix.empty()))
            pairs.emplace_back(name, pair.substr(equals + 1));
    }
    if (!folder.prefix.empty()) pairs.emplace_back(prefix_variable, folder.prefix);
    pairs.emplace_back(run_token_variable, token);
    return pairs;
}

// What to say of a run with MPI that left no trace.
std::string why_no_trace(const LaunchPlan& plan, const Arguments& argv) {
    if (std::string found = suspect(argv, plan.parts); !found.empty()) return found;
    return "its ranks said why above, or the program ended before MPI_Init, or it uses another MPI than " +
           plan.library.filename().string() + " is for (--mpi chooses), or something took LD_PRELOAD away from it";
}

void show_traces(const TraceFolder& folder, const std::string& token, const LaunchPlan& plan, const Arguments& argv) {
    constexpr std::size_t most_screens = 3;
    const std::vector<std::string> traces = find_traces(folder.path, token);
    if (traces.empty() && plan.library.empty())
        fmt::print(stderr,
                   "tactus: this run left no trace in {}: it made no NCCL communicator, or its NCCL is older than 2.26 "
                   "(NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,PROFILE says more)\n",
                   printable(folder.path.string()));
    else if (traces.empty())
        fmt::print(stderr, "tactus: this run left no trace in {}: {}\n", printable(folder.path.string()),
                   printable(why_no_trace(plan, argv)));
    for (std::size_t i = 0; i < traces.size() && i < most_screens; ++i) {
        bring_in_order(traces[i]);
        show_closing_screen(traces[i]);
    }
    for (std::size_t i = most_screens; i < traces.size(); ++i)
        fmt::print(stderr, "tactus: also traced: {}\n", printable(traces[i]));
}

} // namespace

int run(const RunRequest& asked) {
    RunRequest request = asked;
    for (const Preset preset : take_presets(request.command)) request.presets.push_back(preset);
    for (const Preset preset : request.presets) apply(preset);
    if (!request.name.empty()) setenv("VT_LOGFILE_NAME", request.name.c_str(), 1);
    const auto libraries = find_library_directory();
    if (!libraries) return fail(libraries.error());
    const std::string token = new_run_token();
    const TraceFolder folder = choose_trace_folder(request.command);
    LaunchRequest launch{.argv = request.command, .library_directory = *libraries};
    if (request.mpi)
        launch.forced = parse_mpi(*request.mpi);
    else if (const char* const flavor = std::getenv("VT_MPI_FLAVOR"); flavor != nullptr && *flavor != '\0') {
        launch.forced = parse_mpi(flavor);
        if (!launch.forced)
            return misused("VT_MPI_FLAVOR=" + std::string{flavor} + " is none of openmpi, mpich and abi");
    }
    launch.nccl = request.nccl;
    launch.environment = options_for_ranks(token, folder);
    const auto plan = plan_launch(launch);
    if (!plan) return fail(plan.error());
    if (!plan->note.empty()) fmt::print(stderr, "tactus: {}\n", printable(plan->note));
    const Ended ended = execute(plan->command);
    if (!ended.problem.empty()) fmt::print(stderr, "tactus: {}\n", printable(ended.problem));
    if (plan->traced && ended.problem.empty()) show_traces(folder, token, *plan, request.command);
    return ended.code;
}

} // namespace tactus
