#include "postproc/waits/locks.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tactus {
namespace {

// A time during which one rank held the lock of a target.
struct Held {
    std::size_t rank = 0;
    const LockCall* lock = nullptr;
    const LockCall* unlock = nullptr;
};
using Target = std::pair<std::uint64_t, std::uint32_t>; // identity of the window, and rank of the target

std::map<Target, std::vector<Held>> all_held(const std::vector<RankCalls>& calls) {
    std::map<Target, std::vector<Held>> held;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::map<Target, const LockCall*> open;
        for (const LockCall& call : calls[i].locks) {
            const Target target{call.window, call.target};
            if (!call.unlocks) {
                open[target] = &call;
            } else if (const auto known = open.find(target); known != open.end()) {
                held[target].push_back({i, known->second, &call});
                open.erase(known);
            }
        }
    }
    return held;
}

} // namespace

std::vector<LockWait> lock_waits(const std::vector<RankCalls>& calls) {
    std::vector<LockWait> waits;
    for (auto& [target, held] : all_held(calls)) {
        std::vector<Held> by_release = held;
        std::sort(by_release.begin(), by_release.end(),
                  [](const Held& a, const Held& b) { return a.unlock->enter < b.unlock->enter; });
        for (const Held& held_lock : held) {
            // The last lock on this target that another rank had begun to give back before this rank got its lock.
            auto last = std::lower_bound(by_release.begin(), by_release.end(), held_lock.lock->leave,
                                         [](const Held& a, GlobalTime time) { return a.unlock->enter < time; });
            while (last != by_release.begin() && std::prev(last)->rank == held_lock.rank &&
                   std::prev(last)->unlock->enter > held_lock.lock->enter)
                --last;
            if (last == by_release.begin()) continue;
            const Held& other = *std::prev(last);
            if (other.rank == held_lock.rank || other.unlock->enter <= held_lock.lock->enter) continue;
            waits.push_back({.victim = held_lock.rank,
                             .causer = other.rank,
                             .enter = held_lock.lock->enter,
                             .given = other.unlock->enter,
                             .locked = other.lock->leave,
                             .computed = held_lock.lock->computed,
                             .causer_computed = other.unlock->computed,
                             .victim_place = held_lock.lock->place,
                             .causer_place = other.unlock->place});
        }
    }
    std::sort(waits.begin(), waits.end(), [](const LockWait& a, const LockWait& b) {
        return std::tuple{a.victim, a.enter, a.given} < std::tuple{b.victim, b.enter, b.given};
    });
    return waits;
}

} // namespace tactus
