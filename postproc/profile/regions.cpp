#include "postproc/profile/regions.hpp"

#include "trace/lane_walk.hpp"

#include <algorithm>
#include <unordered_map>

namespace tactus {
namespace {

// Adds up the records of a lane in the window. They are added from the last to the first.
class LaneRegions {
  public:
    LaneRegions(const RankFile& file, const TickWindow& window, Application& application)
        : file_{file}, window_{window}, application_{application} {
        for (const Symbol& symbol : file.definitions().symbols) symbols_[symbol.number] = &symbol;
        for (const Counter& counter : file.definitions().counters) counters_[counter.number] = &counter;
    }

    void add(const Record& record) {
        const Signature& what = record.what;
        if (!window_.touches(record.enter, record.leave)) return;
        if (what.kind == Kind::region) add_region(record);
        if (what.kind == Kind::call && !what.has(flag::nested)) add_call(record);
        if (what.kind == Kind::counter && window_.holds(record.leave)) add_value(what);
    }
    void finish() {
        while (!around_.empty()) close();
    }

  private:
    struct Around {                       // an open region or call; its times are those in the window
        RegionProfile* profile = nullptr; // a call has none
        Ticks enter = 0;
        Ticks time = 0;
        Ticks inside = 0; // in regions and calls directly inside of it
        Ticks mpi = 0;
    };

    // Closes what began after the record ended.
    void leave_later(const Record& record) {
        while (!around_.empty() && record.leave <= around_.back().enter) close();
    }
    void close() {
        const Around done = around_.back();
        around_.pop_back();
        if (done.profile == nullptr) return;
        done.profile->own_s += file_.seconds(difference_or_zero(done.time, done.inside));
        if (--open_[done.profile] == 0) done.profile->mpi_s += file_.seconds(done.mpi);
        if (!around_.empty()) around_.back().mpi += done.mpi;
    }
    void add_region(const Record& record) {
        const auto found = symbols_.find(record.what.type);
        const std::string name = found != symbols_.end() ? found->second->name : '#' + std::to_string(record.what.type);
        const bool scope = found != symbols_.end() && found->second->scope;
        RegionProfile& profile = application_.regions[{name, scope}];
        const Ticks time = window_.part_of(record.enter, record.leave);
        profile.name = name;
        profile.scope = scope;
        if (window_.holds(record.leave)) count(record, profile);
        if (scope) {
            profile.time_s += file_.seconds(time);
            profile.own_s += file_.seconds(time);
            return;
        }
        leave_later(record);
        if (++open_[&profile] == 1) profile.time_s += file_.seconds(time);
        if (!around_.empty()) around_.back().inside += time;
        around_.push_back({&profile, record.enter, time, 0, 0});
    }
    void count(const Record& record, RegionProfile& profile) const {
        const double seconds = file_.seconds(difference_or_zero(record.leave, record.enter));
        ++profile.count;
        profile.unfinished += record.what.has(flag::unfinished) ? 1 : 0;
        profile.sum_s += seconds;
        profile.min_s = std::min(profile.min_s, seconds);
        profile.max_s = std::max(profile.max_s, seconds);
    }
    void add_call(const Record& record) {
        leave_later(record);
        if (around_.empty()) return;
        const Ticks time = window_.part_of(record.enter, record.leave, inside_of(record));
        around_.back().inside += time;
        around_.back().mpi += time;
        around_.push_back({.enter = record.enter}); // regions of a callback lie directly in the call, not in the region
    }
    void add_value(const Signature& what) {
        const auto found = counters_.find(what.type);
        if (found == counters_.end()) return;
        CounterProfile& profile = application_.counters[found->second->name];
        const double value = value_of(*found->second, what.bytes);
        profile.name = found->second->name;
        profile.unit = found->second->unit;
        ++profile.values;
        profile.sum += value;
        profile.min = std::min(profile.min, value);
        profile.max = std::max(profile.max, value);
    }

    const RankFile& file_;
    const TickWindow& window_;
    Application& application_;
    std::map<std::uint32_t, const Symbol*> symbols_;
    std::map<std::uint32_t, const Counter*> counters_;
    std::vector<Around> around_;                                   // the outermost first
    std::unordered_map<const RegionProfile*, std::uint64_t> open_; // how often each region is in around_
};

} // namespace

void Application::add(const RankFile& file, const TickWindow& window) {
    const Definitions& known = file.definitions();
    if (file.closed() && known.symbols.empty() && known.counters.empty()) return; // most programs do not use VT.h
    for (const LaneBlocks all : lanes_of(file)) {
        LaneRegions lane{file, window, *this};
        const std::vector<LaneBlocks> runs = blocks_in(file, all, window);
        for (auto blocks = runs.rbegin(); blocks != runs.rend(); ++blocks)
            for (auto entry = blocks->rbegin(); entry != blocks->rend(); ++entry) {
                const auto block = file.read(*entry);
                if (!block) continue; // RankTally reports it
                for (auto record = block->records.rbegin(); record != block->records.rend(); ++record)
                    lane.add(*record);
            }
        lane.finish();
    }
}

} // namespace tactus
