#include "collector/sampler.hpp"

#include "base/ticks.hpp"
#include "collector/call_stacks.hpp"
#include "collector/module_history.hpp"
#include "collector/modules.hpp"
#include "collector/selection.hpp"
#include "collector/session.hpp"
#include "sampling/perf_ring.hpp"
#include "sampling/sleeping.hpp"
#include "trace/sample.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tactus {
namespace {

constexpr auto between_looks_ns = static_cast<std::int64_t>(1e9 * sampled::between_looks_s);
constexpr std::int64_t between_lists_ns = 250'000'000; // of the threads that there are
constexpr std::size_t most_frames = 64;
constexpr std::uint32_t most_paths = 1 << 13;
constexpr std::size_t most_threads = 1024;
constexpr std::size_t most_pending = 2048; // samples of a look
constexpr std::size_t longest_name = 256;  // of a file
constexpr std::size_t looked_at_once = sampled::threads_a_look;
constexpr std::size_t stack_room = 16384;

// Paths of functions, each with a number. The table has its room from the start, because memory may be refused later.
class Paths {
  public:
    [[nodiscard]] bool ready() const { return known_ != nullptr; }

    // Gives the path of these return addresses, the innermost first, and calls `define` for each new one on the way.
    // Where there is no room for a new one it is 0, of no known callers, and `whole` becomes false.
    template <class Define>
    std::uint32_t number_of(std::span<const std::uint64_t> addresses, bool& whole, Define&& define) {
        std::uint32_t path = 0;
        for (std::size_t i = addresses.size(); i-- > 0;) {
            const std::uint64_t place = call_place(reinterpret_cast<const void*>(addresses[i]));
            Known* const known = find(path, place);
            if (known->number == 0) {
                if (count_ == most_paths) {
                    whole = false;
                    return 0;
                }
                *known = {.place = place, .callers = path, .number = ++count_};
                define(*known);
            }
            path = known->number;
        }
        return path;
    }
    struct Known {
        std::uint64_t place = 0;
        std::uint32_t callers = 0;
        std::uint32_t number = 0; // 0: this slot is free
    };

  private:
    static constexpr std::size_t slots = 2 * most_paths; // open addressing

    Known* find(std::uint32_t callers, std::uint64_t place) {
        const std::uint64_t hash = (place ^ std::uint64_t{callers} << 32) * 0x9e3779b97f4a7c15U;
        std::size_t slot = static_cast<std::size_t>(hash >> 40) % slots;
        while (known_[slot].number != 0 && (known_[slot].callers != callers || known_[slot].place != place))
            slot = (slot + 1) % slots;
        return &known_[slot];
    }
    std::unique_ptr<Known[]> known_{new (std::nothrow) Known[slots]};
    std::uint32_t count_ = 0;
};

class Sampler {
  public:
    Sampler(std::uint64_t per_second, CallLevels levels, double tick_ns) : levels_{levels}, tick_ns_{tick_ns} {
        pending_.reserve(most_pending);
        if (per_second == 0) return;
        said_.period_ns = static_cast<std::int64_t>(1'000'000'000 / per_second);
        threads_.reserve(most_threads);
    }
    // Whether there was memory for all that it needs.
    [[nodiscard]] bool ready() const { return paths_.ready() && stack_ != nullptr && lane_ != nullptr; }

    void look() {
        const std::int64_t now_ns = monotonic_ns();
        if (now_ns < next_look_ns_ || !session->live() || !is_time_selected()) return;
        next_look_ns_ = now_ns + between_looks_ns;
        if (now_ns >= next_list_ns_) {
            next_list_ns_ = now_ns + between_lists_ns;
            if (const std::uint64_t changes = module_changes(); changes != module_changes_) {
                module_changes_ = changes;
                unwinder_.forget();
            }
            if (looks_at_threads()) list_threads();
        }
        take_calls();
        take_samples();
        store_pending();
        look_at_blocked();
    }

    Sampling end() {
        take_calls();
        said_.calls_lost += lost_call_stacks();
        take_samples();
        store_pending();
        for (const Watched& thread : threads_) said_.lost += thread.ring.lost();
        threads_.clear(); // the kernel takes no more samples
        return said_;
    }

  private:
    struct Watched {
        pid_t number = 0;
        std::uint32_t lane = 0; // and one more; 0: it has none
        PerfRing ring;
        bool lives = true;
    };

    [[nodiscard]] bool looks_at_threads() const { return said_.period_ns != 0; }

    void list_threads() {
        for (Watched& thread : threads_) thread.lives = false;
        DIR* const list = opendir("/proc/self/task");
        if (list == nullptr) return;
        while (const dirent* const entry = readdir(list)) {
            const std::string_view name{entry->d_name};
            pid_t number = 0;
            if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc{}) continue;
            const auto known = std::ranges::find(threads_, number, &Watched::number);
            if (known != threads_.end())
                known->lives = true;
            else if (threads_.size() < most_threads && !is_of_tactus(number))
                watch(number);
        }
        closedir(list);
        for (Watched& thread : threads_)
            if (thread.lane == 0) thread.lane = session->lanes().lane_of_thread(thread.number);
        take_samples(); // the last ones of threads that have ended
        std::erase_if(threads_, [&](const Watched& thread) {
            if (!thread.lives) said_.lost += thread.ring.lost();
            return !thread.lives;
        });
    }

    void watch(pid_t number) {
        Watched& thread = threads_.emplace_back();
        thread.number = number;
        // Each thread has another period, so that none is in step with what its program repeats.
        const std::int64_t spread = said_.period_ns / 10;
        const std::int64_t period =
            said_.period_ns - spread / 2 + (7919 * ++watched_) % std::max<std::int64_t>(spread, 1);
        thread.ring = PerfRing{number, static_cast<std::uint64_t>(period)};
        if (thread.ring)
            ++said_.threads;
        else if (errno != ESRCH && said_.refused == 0) // it has ended
            said_.refused = errno;
    }

    void take_samples() {
        const Anchor here = read_anchor();
        const auto tick_of = [&](std::int64_t time_ns) {
            return here.tick -
                   static_cast<Ticks>(std::max(0.0, static_cast<double>(here.monotonic_ns - time_ns)) / tick_ns_);
        };
        CoreSample sample;
        for (Watched& thread : threads_)
            while (thread.ring.next(sample)) {
                store(thread, tick_of(sample.monotonic_ns), sampled::on_core, sample.registers, sample.stack, {});
                ++said_.samples;
            }
    }

    // Of very many threads some at a time.
    void look_at_blocked() {
        for (std::size_t i = 0; i < std::min(threads_.size(), looked_at_once); ++i) {
            const Watched& thread = threads_[next_blocked_++ % threads_.size()];
            const Ticks at = now();
            const auto blocked = blocked_in(thread.number);
            if (!blocked) continue;
            const StackCopy stack = copy_of_stack(blocked->registers.sp, {stack_.get(), stack_room});
            const auto call = blocked->call < 0 ? sampled::blocked_elsewhere : static_cast<std::int32_t>(blocked->call);
            std::array<char, longest_name> name;
            const std::string_view file = file_of(*blocked, name);
            if (blocked_in(thread.number) != blocked) continue; // it went on, and the stack may be another one
            store(thread, at, call, blocked->registers, stack, file);
            ++said_.blocked;
        }
    }

    void take_calls() {
        take_call_stacks([](void* self, const CallStack& copy) { static_cast<Sampler*>(self)->store_call(copy); },
                         this);
    }

    // The functions of tactus that lie between the call and the copy are left out.
    void store_call(const CallStack& copy) {
        std::array<std::uint64_t, most_frames> addresses;
        const Unwinder::Path path = unwinder_.walk(copy.registers, copy.stack, addresses);
        const std::span<const std::uint64_t> all{addresses.data(), path.frames};
        const auto call = std::ranges::find(all, address_of(copy.call.place));
        if (call == all.end()) { // such as a call that the compiler made a jump
            ++said_.calls_lost;
            return;
        }
        std::span<const std::uint64_t> callers{call + 1, all.end()};
        const std::size_t skipped = std::max<std::size_t>(levels_.skip, 1) - 1;
        const std::size_t end = std::max<std::size_t>(levels_.skip + levels_.count, 1) - 1;
        bool whole = path.complete && skipped == 0 && callers.size() <= end;
        callers = callers.first(std::min(end, callers.size()));
        callers = callers.subspan(std::min(skipped, callers.size()));
        ++said_.calls;
        const std::uint32_t number = number_of(callers, whole);
        Record record;
        record.enter = record.leave = copy.call.at;
        record.what = {.place = copy.call.place,
                       .bytes = copy.call.stands_for,
                       .comm = number,
                       .peer = copy.call.moment,
                       .type = copy.call.lane + 1,
                       .kind = Kind::sample,
                       .flags = whole ? std::uint8_t{0} : flag::unfinished};
        keep(record);
    }

    // The samples of a look come thread by thread; in the lane they are in the order of time.
    void keep(const Record& record) {
        if (pending_.size() == most_pending) store_pending();
        pending_.push_back(record);
    }
    void store_pending() {
        std::ranges::sort(pending_, {}, &Record::enter);
        for (Record& record : pending_) store_in_order(record, {});
        pending_.clear();
    }
    void store_in_order(Record& record, std::span<const std::int64_t> words) {
        last_at_ = std::max(last_at_, record.enter);
        record.enter = record.leave = last_at_;
        lane_->store(record, words);
    }

    // Stores the paths that are new.
    std::uint32_t number_of(std::span<const std::uint64_t> callers, bool& whole) {
        Record record;
        record.what.kind = Kind::path;
        return paths_.number_of(callers, whole, [&](const Paths::Known& known) {
            record.what.comm = known.number;
            record.what.bytes = known.callers;
            record.what.place = known.place;
            store_in_order(record, {});
        });
    }

    void store(const Watched& thread, Ticks at, std::int32_t call, const Registers& registers, const StackCopy& stack,
               std::string_view file) {
        std::array<std::uint64_t, most_frames> addresses{};
        const Unwinder::Path path = unwinder_.walk(registers, stack, addresses);
        bool whole = path.complete;
        const std::span<const std::uint64_t> callers{addresses.data() + 1, std::max<std::size_t>(path.frames, 1) - 1};
        const std::uint32_t number = number_of(callers, whole);
        if (!whole) ++said_.incomplete;
        Record record;
        record.enter = record.leave = at;
        record.what = {.place = call_place(reinterpret_cast<const void*>(addresses[0])),
                       .bytes = file.size(),
                       .comm = number,
                       .peer = call,
                       .tag = thread.number,
                       .type = thread.lane,
                       .kind = Kind::sample,
                       .flags = whole ? std::uint8_t{0} : flag::unfinished};
        if (call == sampled::on_core) return keep(record);
        std::array<std::int64_t, longest_name / 8> words{};
        // Eight characters to a word, as append_text() does.
        if (!file.empty()) std::memcpy(words.data(), file.data(), file.size());
        store_in_order(record, std::span{words}.first((file.size() + 7) / 8));
    }

    CallLevels levels_;
    double tick_ns_;
    Sampling said_;
    Lane* lane_ = session->lanes().acquire_for_samples();
    std::vector<Watched> threads_;
    std::vector<Record> pending_;
    Ticks last_at_ = now(); // of the records in the lane
    std::int64_t watched_ = 0;
    std::int64_t next_look_ns_ = 0;
    std::int64_t next_list_ns_ = 0;
    std::uint64_t module_changes_ = 0;
    std::size_t next_blocked_ = 0;
    Paths paths_;
    Unwinder unwinder_;
    std::unique_ptr<std::byte[]> stack_{new (std::nothrow) std::byte[stack_room]};
};

// Made before the background thread begins, and deleted after its end.
Sampler* sampler = nullptr;

} // namespace

bool begin_sampling(std::uint64_t per_second, CallLevels levels, double tick_ns) {
    const bool calls = levels.count > 0 && levels.skip + levels.count > 1; // more than the place of the call
    if ((per_second == 0 && !calls) || starts_off()) return false;
    auto* const made = new (std::nothrow) Sampler{per_second, levels, tick_ns};
    if (made != nullptr && made->ready())
        sampler = made;
    else
        delete made;
    return sampler != nullptr && calls;
}

std::int64_t nanoseconds_between_looks() { return sampler != nullptr ? between_looks_ns : 0; }

void look_at_threads() {
    if (sampler != nullptr) sampler->look();
}

std::vector<Sampling> end_sampling() {
    if (sampler == nullptr) return {};
    const Sampling said = sampler->end();
    delete sampler; // finishing the trace needs its memory
    sampler = nullptr;
    return {said};
}

} // namespace tactus
