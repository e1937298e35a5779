#include "postproc/profile/core_use.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tactus {
namespace {

constexpr double ns = 1e-9;

// What a thread did from the first reading to the second. It counts from 0 if it began in between.
ThreadTime difference(const OsReading& first, const ThreadTime& last) {
    const auto same = [&](const ThreadTime& thread) { return thread.number == last.number; };
    const auto found = std::find_if(first.threads.begin(), first.threads.end(), same);
    // The system may have given the number of a thread that had ended to another one.
    if (found == first.threads.end() || found->ran_ns > last.ran_ns || found->waited_ns > last.waited_ns) return last;
    return {last.number, last.ran_ns - found->ran_ns, last.waited_ns - found->waited_ns};
}

// What is known of one host before its sums are made.
struct HostSums {
    HostCores sums{};
    std::set<std::int32_t> cores{};
    std::map<std::int32_t, std::vector<std::uint32_t>> bound{}; // ranks that may run on just this core
    std::map<std::int32_t, double> busy_s{};                    // cores, whoever used them
    double used_s = 0;                                          // by the ranks, with threads that have ended
    bool used_known = true;                                     // by all ranks
};

void add(HostSums& host, std::uint32_t rank, const Definitions& definitions) {
    const OsReading& first = definitions.os_readings.front();
    const OsReading& last = definitions.os_readings.back();
    const std::int64_t lasted_ns = last.monotonic_ns - first.monotonic_ns;
    for (const ThreadTime& thread : last.threads) {
        const ThreadTime did = difference(first, thread);
        host.sums.ran_s += ns * static_cast<double>(did.ran_ns);
        host.sums.waited_s += ns * static_cast<double>(did.waited_ns);
        if (2 * (did.ran_ns + did.waited_ns) > lasted_ns) ++host.sums.busy_threads;
    }
    ++host.sums.ranks;
    host.cores.insert(last.cpus.begin(), last.cpus.end());
    if (last.cpus.size() == 1) host.bound[last.cpus.front()].push_back(rank);
    if (!definitions.machines.empty()) host.sums.core_limit = definitions.machines.back().core_limit;
    for (std::size_t i = 0; i < std::min(last.busy_ns.size(), last.cpus.size()); ++i) {
        const auto before = std::ranges::find(first.cpus, last.cpus[i]) - first.cpus.begin();
        if (before >= static_cast<std::ptrdiff_t>(first.busy_ns.size())) continue;
        const std::int64_t busy_ns = last.busy_ns[i] - first.busy_ns[static_cast<std::size_t>(before)];
        if (first.busy_ns[static_cast<std::size_t>(before)] < 0 || busy_ns < 0) continue;
        double& busy_s = host.busy_s[last.cpus[i]];
        busy_s = std::max(busy_s, ns * static_cast<double>(busy_ns));
    }
    host.used_known = host.used_known && first.user_ns >= 0 && last.user_ns >= 0;
    host.used_s += ns * static_cast<double>(last.user_ns + last.system_ns - first.user_ns - first.system_ns);
    host.sums.lasted_s = std::max(host.sums.lasted_s, ns * static_cast<double>(lasted_ns));
    host.sums.members.push_back(rank);
    if (first.swapped_in >= 0 && last.swapped_in >= first.swapped_in)
        host.sums.swapped_in = std::max(host.sums.swapped_in.value_or(0), last.swapped_in - first.swapped_in);
    if (first.throttled_ns >= 0 && last.throttled_ns >= first.throttled_ns)
        host.sums.throttled_s =
            std::max(host.sums.throttled_s, ns * static_cast<double>(last.throttled_ns - first.throttled_ns));
}

template <class Get> double sum(const std::vector<HostCores>& hosts, Get get) {
    double all = 0;
    for (const HostCores& host : hosts) all += get(host);
    return all;
}

} // namespace

double HostCores::usable() const {
    const auto all = static_cast<double>(cores);
    return core_limit > 0 ? std::min(all, core_limit) : all;
}

bool HostCores::taken_by_others() const {
    constexpr double all_the_time = 0.9;
    constexpr double tick_s = 0.01; // by which the system counts
    const bool busy = busy_s >= all_the_time * lasted_s * static_cast<double>(cores);
    return busy && others_s && *others_s >= waited_s / 2 && *others_s >= 2 * tick_s * static_cast<double>(cores);
}

double CoreUse::ran_s() const {
    return sum(hosts, [](const HostCores& host) { return host.ran_s; });
}

double CoreUse::waited_s() const {
    return sum(hosts, [](const HostCores& host) { return host.waited_s; });
}

double CoreUse::waited_share() const {
    const double wanted_s = ran_s() + waited_s();
    return wanted_s > 0 ? waited_s() / wanted_s : 0;
}

bool CoreUse::oversubscribed() const { return std::ranges::any_of(hosts, &HostCores::oversubscribed); }

CoreUse core_use(const Trace& trace) {
    CoreUse use;
    std::vector<std::string> names; // one host is one boot of a machine
    std::vector<HostSums> all;
    const auto host_of = [&](const Header& header) -> HostSums& {
        const std::string& name = header.boot_id.empty() ? header.host : header.boot_id;
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end()) return all[static_cast<std::size_t>(found - names.begin())];
        names.push_back(name);
        all.emplace_back().sums.host = header.host;
        return all.back();
    };
    for (const RankFile& file : trace.ranks) {
        const Definitions& definitions = file.definitions();
        HostSums& host = host_of(file.header());
        if (definitions.os_readings.size() >= 2 && !definitions.os_readings.back().threads.empty()) {
            add(host, file.header().rank, definitions);
        } else {
            ++use.unknown;
            host.used_known = false;
        }
    }
    const bool whole = !trace.ranks.empty() && trace.ranks.size() == trace.ranks.front().header().ranks;
    for (HostSums& host : all) {
        if (host.sums.ranks == 0) continue; // nothing is known of it
        host.sums.cores = host.cores.size();
        if (host.busy_s.size() == host.cores.size())
            for (const auto& [core, seconds] : host.busy_s) host.sums.busy_s += seconds;
        if (host.sums.busy_s > 0 && host.used_known && whole)
            host.sums.others_s = std::max(0.0, host.sums.busy_s - host.used_s);
        for (const auto& [core, ranks] : host.bound)
            if (ranks.size() > 1) host.sums.shared.push_back({core, ranks});
        use.hosts.push_back(std::move(host.sums));
    }
    return use;
}

} // namespace tactus
