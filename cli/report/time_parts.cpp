#include "cli/report/time_parts.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/trace_facts.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace tactus {
namespace {

constexpr double many_pages = 100;          // to be read from a disk, some 0.1 ms each or more
constexpr double least_shown = 0.001;       // of all time
constexpr double least_without_core = 0.05; // of the time in which threads could run

std::string cores_of(const HostCores& host) {
    const std::string limit = host.core_limit > 0 && host.core_limit < static_cast<double>(host.cores)
                                  ? fmt::format("{:.4g} of ", host.core_limit)
                                  : std::string{};
    return limit + plural(host.cores, "core", "cores");
}

// Why threads of a host had no core, as far as the readings show it; empty if they do not.
std::string reason_of(const HostCores& host) {
    if (!host.shared.empty() && host.oversubscribed()) {
        const SharedCore& shared = host.shared.front();
        return fmt::format("ranks {} of {} may run on core {} only", fmt::join(shared.ranks, ", "),
                           printable(host.host), shared.core);
    }
    if (host.core_limit > 0 && host.throttled_s > host.waited_s / 10)
        return fmt::format("the control group of {} has a limit of {:.4g} cores, by which it was held back for {} in "
                           "all on its cores",
                           printable(host.host), host.core_limit, duration_text(host.throttled_s));
    if (host.oversubscribed())
        return fmt::format("{} share {} on {}", plural(host.busy_threads, "busy thread", "busy threads"),
                           cores_of(host), printable(host.host));
    if (host.taken_by_others())
        return fmt::format("processes other than these ranks were on the {} of {} for {}", cores_of(host),
                           printable(host.host), duration_text(*host.others_s));
    return {};
}

const HostCores* worst_host(const CoreUse& cores) {
    const auto worst = std::ranges::max_element(cores.hosts, {}, &HostCores::waited_s);
    return worst != cores.hosts.end() ? &*worst : nullptr;
}

// The time of all ranks outside of MPI, without what they waited between their unsuccessful tests.
struct Outside {
    CoreTime time;
    double polled_s = 0;
};

Outside outside_of(const Report& report) {
    std::map<Function, double> polled_share; // how much of its waits lies outside of the function
    for (const FunctionProfile& function : report.profile.functions)
        if (const double waited_s = waited_in(*report.waits, function.function); waited_s > function.stats.time_s)
            polled_share[function.function] = 1 - function.stats.time_s / waited_s;
    std::map<std::uint32_t, double> polled_s; // by rank
    for (const WaitGroup& group : report.waits->groups)
        if (const auto share = polled_share.find(group.victim_function); share != polled_share.end())
            polled_s[group.victim] += share->second * group.seconds;
    Outside outside;
    for (const RankProfile& rank : report.profile.ranks) {
        CoreTime own = rank.use.outside;
        outside.polled_s += polled_s[rank.rank];
        if (own.total_s() > 0) own = own.times(std::max(0.0, 1 - polled_s[rank.rank] / own.total_s()));
        outside.time += own;
    }
    return outside;
}

} // namespace

TimePart part_of(Function function) {
    switch (shape_of(function)) {
    case Shape::file_open:
    case Shape::file_close:
    case Shape::file_read:
    case Shape::file_write:
    case Shape::file_done:
    case Shape::file:
        return TimePart::io;
    case Shape::init:
    case Shape::init_thread:
    case Shape::session_init:
    case Shape::comm_from_group: // starts MPI in a program without MPI_Init
    case Shape::session_finalize:
    case Shape::finalize:
        return TimePart::ends;
    default:
        return TimePart::mpi;
    }
}

TimeParts time_parts(const Report& report) {
    const Profile& profile = report.profile;
    const RunWaits& waits = *report.waits;
    TimeParts parts{.total_s = profile.total_s};
    const auto add = [&](TimePart part, double seconds) { parts.seconds[static_cast<std::size_t>(part)] += seconds; };
    double waited_s = 0;
    for (const FunctionProfile& function : profile.functions) {
        const double waited = std::min(waited_in(waits, function.function), function.stats.time_s);
        waited_s += waited;
        add(part_of(function.function), function.stats.time_s - waited);
    }
    const double unlisted_s = std::min(waits.others_s, parts.of(TimePart::mpi));
    add(TimePart::mpi, -unlisted_s);
    add(TimePart::waiting, waited_s + unlisted_s);

    // What the tracer takes of a call lies around the call, and its start in the first of them.
    const TracerCost cost = tracer_cost(report.trace);
    double other_s = 0;
    double measuring_s = 0;
    for (const RankProfile& rank : profile.ranks) {
        other_s += rank.other_s();
        measuring_s += rank.measuring_s;
    }
    const double start_s = std::min(cost.starting_s, parts.of(TimePart::ends));
    add(TimePart::ends, -start_s);
    add(TimePart::tracer, start_s + measuring_s);
    parts.tracers_start_s = start_s;
    // What is known outside of MPI comes first. What recording took while a thread polled is a part of its waiting.
    double rest_s = other_s;
    const auto take = [&](TimePart part, double seconds) {
        const double taken = std::min(seconds, rest_s);
        rest_s -= taken;
        add(part, taken);
    };
    const Outside outside = outside_of(report);
    take(TimePart::waiting, outside.polled_s);
    take(TimePart::asleep, outside.time.asleep_s);
    take(TimePart::no_core, outside.time.waited_s);
    take(TimePart::tracer, cost.recording_s + cost.sealing_s + cost.stalled_s + cost.reading_s);
    take(TimePart::application, rest_s);
    return parts;
}

std::string time_text(const TimeParts& parts) {
    std::array<std::size_t, time_part_names.size()> order{};
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return parts.seconds[i]; });
    std::string text;
    for (const std::size_t i : order)
        if (const double share = share_of(parts.seconds[i], parts.total_s); share >= least_shown)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", time_part_names[i], percent_text(share));
    return text;
}

std::string cores_text(const CoreUse& cores) {
    if (cores.waited_share() < least_without_core) return {};
    std::string text = fmt::format("for {} of the time in which threads could run they had no core",
                                   percent_text(cores.waited_share()));
    const std::string reason = reason_of(*worst_host(cores));
    return text + (reason.empty() ? "; the system does not show why" : ": " + reason);
}

bool has_reason(const CoreUse& cores) { return !cores.hosts.empty() && !reason_of(*worst_host(cores)).empty(); }

std::string memory_text(const Report& report) {
    constexpr double seconds_a_fault = 1e-4; // or more, where it reads from a disk
    constexpr double worth_it = 0.01;        // of the rank's time
    constexpr std::int64_t many_pages = 100;
    const HostCores* of = nullptr;
    double most = 0;
    std::uint32_t who = 0;
    for (const RankProfile& rank : report.profile.ranks) {
        const double faults = rank.use.inside.major_faults + rank.use.outside.major_faults;
        if (faults <= most || seconds_a_fault * faults < worth_it * rank.threads_s) continue;
        const auto own = std::ranges::find_if(report.cores.hosts, [&](const HostCores& host) {
            return std::ranges::find(host.members, rank.rank) != host.members.end();
        });
        if (own == report.cores.hosts.end() || own->swapped_in.value_or(0) < many_pages) continue;
        of = &*own;
        most = faults;
        who = rank.rank;
    }
    if (of == nullptr) return {};
    return fmt::format("{} page faults of rank {} read from a disk, and its host {} read {} pages back from swap space",
                       count_text(static_cast<std::uint64_t>(std::min(most, 1e18))), who, printable(of->host),
                       count_text(static_cast<std::uint64_t>(*of->swapped_in)));
}

std::string hosts_and_cores_text(const Report& report) {
    const CoreUse& cores = report.cores;
    const std::size_t count = hosts_of(report.trace).size();
    if (cores.hosts.empty()) return plural(count, "host", "hosts");
    const char* const warning = cores.oversubscribed() ? ": OVERSUBSCRIBED" : "";
    const HostCores& first = cores.hosts.front();
    const auto same = [&](const HostCores& host) {
        return host.cores == first.cores && host.core_limit == first.core_limit;
    };
    if (cores.unknown > 0 || !std::ranges::all_of(cores.hosts, same)) return plural(count, "host", "hosts") + warning;
    return fmt::format("{} with {}{}{}", plural(count, "host", "hosts"), cores_of(cores.hosts.front()),
                       count > 1 ? " each" : "", warning);
}

} // namespace tactus
