#include "collector/sampler.hpp"

#include "base/ticks.hpp"
#include "collector/call_stacks.hpp"
#include "collector/module_history.hpp"
#include "collector/modules.hpp"
#include "collector/python_program.hpp"
#include "collector/sampled_paths.hpp"
#include "collector/sampled_stack.hpp"
#include "collector/scripts.hpp"
#include "collector/selection.hpp"
#include "collector/session.hpp"
#include "sampling/pages.hpp"
#include "sampling/perf_ring.hpp"
#include "sampling/sleeping.hpp"
#include "system_call_number.hpp"
#include "trace/sample.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tactus {
namespace {

constexpr auto between_looks_ns = static_cast<std::int64_t>(1e9 * sampled::between_looks_s); // on average
constexpr std::int64_t between_lists_ns = 250'000'000; // of the threads that there are
constexpr std::size_t most_threads = 1024;
constexpr std::size_t most_pending = 2048;                  // samples of a look
constexpr std::size_t longest_name = Scripts::longest_name; // of a file
constexpr std::size_t looked_at_once = sampled::threads_a_look;
constexpr std::size_t stack_room = 16384;

class Sampler {
  public:
    Sampler(std::uint64_t per_second, CallLevels levels, double tick_ns) : levels_{levels}, tick_ns_{tick_ns} {
        pending_.reserve(most_pending);
        const PythonSearch search = find_python();
        python_ = search.known;
        said_.python = search.known ? 1 : search.any ? 2 : 0;
        if (python_) scripts_.emplace(python_->python);
        if (std::byte probe{}; copy_own_memory(reinterpret_cast<std::uint64_t>(&probe), {&probe, 1}) == 0)
            said_.stacks_refused = errno;
        if (per_second == 0) return;
        said_.period_ns = static_cast<std::int64_t>(1'000'000'000 / per_second);
        threads_.reserve(most_threads);
    }
    [[nodiscard]] const Python* python() const { return python_ ? &python_->python : nullptr; }
    // Whether there was memory for all that it needs.
    [[nodiscard]] bool ready() const {
        return paths_.ready() && (!scripts_ || scripts_->ready()) && stack_ != nullptr && lane_ != nullptr;
    }

    // Returns in how many nanoseconds to look again.
    std::int64_t look() {
        const std::int64_t now_ns = monotonic_ns();
        if (now_ns >= next_look_ns_) {
            // A half of the time to one and a half of it, so that it is not in step with what the program repeats.
            random_ = random_ * 6364136223846793005U + 1442695040888963407U;
            next_look_ns_ = std::max(now_ns, next_look_ns_ + between_looks_ns / 2 +
                                                 static_cast<std::int64_t>((random_ >> 33) % between_looks_ns));
            if (session->live() && is_time_selected()) look_at_all(now_ns);
        }
        return std::max<std::int64_t>(next_look_ns_ - monotonic_ns(), 0);
    }

    void look_at_all(std::int64_t now_ns) {
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
        if (session->begun()) look_at_python(); // until then the threads are in MPI_Init
    }

    Sampling end() {
        take_calls();
        said_.calls_lost += lost_call_stacks();
        take_samples();
        store_pending();
        for (const Watched& thread : threads_) said_.lost += thread.ring.lost();
        said_.memory = sizeof *this + SampledPaths::memory() + (scripts_ ? Scripts::memory() : 0) + stack_room +
                       pending_.capacity() * sizeof pending_[0] + threads_.capacity() * sizeof threads_[0] +
                       most_threads_ * PerfRing::memory() + memory_of_call_stacks() + sizeof(Lane) +
                       lane_size(buffers_per_lane, slots_per_buffer);
        threads_.clear(); // the kernel takes no more samples
        return said_;
    }

  private:
    struct Watched {
        pid_t number = 0;
        std::uint32_t lane = 0; // and one more; 0: it has none
        PerfRing ring;
        bool lives = true;
        Ticks off_since = 0;            // it records nothing (VT_traceoff); 0: it does
        std::uint64_t python_state = 0; // where the interpreter keeps it; 0: it does not
        bool in_python = false;         // at the last look of look_at_python()
        // At the last look that found it blocked: the sample, and how much time on a core it had taken.
        Blocked blocked;
        Signature sample;
        std::int64_t used_ns = 0;
        bool all_read = false; // its stack and its frames of Python: the sample holds until the thread runs
    };

    [[nodiscard]] bool looks_at_threads() const { return said_.period_ns != 0; }

    void list_threads() {
        for (Watched& thread : threads_) thread.lives = false;
        DIR* const list = opendir("/proc/self/task");
        if (list == nullptr) {
            if (said_.refused == 0 && said_.threads == 0) said_.refused = errno; // not one that is full for a moment
            return;
        }
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
        for (Watched& thread : threads_) look_again(thread);
        take_samples(); // the last ones of threads that have ended
        std::erase_if(threads_, [&](const Watched& thread) {
            if (!thread.lives) said_.lost += thread.ring.lost();
            return !thread.lives;
        });
    }

    // A thread may have got a lane, or have come to Python.
    void look_again(Watched& thread) {
        if (thread.lane == 0) thread.lane = session->lanes().lane_of_thread(thread.number);
        // The interpreter may keep it elsewhere by now.
        const std::uint64_t before = std::exchange(thread.python_state, 0);
        if (python_) python_->python.frames_of(thread.number, std::span<PythonFrame>{}, thread.python_state);
        if (thread.python_state != before) thread.all_read = false;
    }

    void watch(pid_t number) {
        Watched& thread = threads_.emplace_back();
        thread.number = number;
        begin_samples(thread);
        if (thread.ring)
            ++said_.threads;
        else if (errno != ESRCH && said_.refused == 0) // it has ended
            said_.refused = errno;
        most_threads_ = std::max(most_threads_, threads_.size());
    }

    void begin_samples(Watched& thread) {
        // Each thread has another period, so that none is in step with what its program repeats.
        const std::int64_t spread = said_.period_ns / 10;
        const std::int64_t period =
            said_.period_ns - spread / 2 + (7919 * ++watched_) % std::max<std::int64_t>(spread, 1);
        thread.ring = PerfRing{thread.number, static_cast<std::uint64_t>(period)};
    }

    // Of a thread that records nothing there are no samples either. A thread that never called MPI cannot say so, and
    // follows the main thread. What a ring still has is taken once more.
    void ask_who_is_off() {
        const bool any_was_off = std::exchange(any_off_, session->lanes().any_off());
        if (!any_was_off && !any_off_) return;
        const std::uint32_t main_lane = session->lanes().lane_of_thread(getpid());
        const Ticks main_off = main_lane != 0 ? session->lanes().off_since(main_lane - 1) : 0;
        for (Watched& thread : threads_) {
            if (thread.lane == 0) thread.lane = session->lanes().lane_of_thread(thread.number);
            const Ticks off = thread.lane != 0 ? session->lanes().off_since(thread.lane - 1) : main_off;
            const Ticks before = std::exchange(thread.off_since, off);
            if (before != 0 && thread.off_since == 0 && !thread.ring) begin_samples(thread);
            if (before == 0 || before != thread.off_since || !thread.ring) continue; // it was on meanwhile
            said_.lost += thread.ring.lost();
            thread.ring = PerfRing{};
        }
    }

    void take_samples() {
        if (selective.load(std::memory_order_relaxed)) ask_who_is_off();
        const Anchor here = read_anchor();
        const auto tick_of = [&](std::int64_t time_ns) {
            return here.tick -
                   static_cast<Ticks>(std::max(0.0, static_cast<double>(here.monotonic_ns - time_ns)) / tick_ns_);
        };
        CoreSample sample;
        for (Watched& thread : threads_)
            while (thread.ring.next(sample)) {
                const Ticks at = tick_of(sample.monotonic_ns);
                if (thread.off_since != 0 && at >= thread.off_since) continue;
                const NativePath path = native_path(sample.registers, sample.stack);
                // look_at_python() takes samples of what an interpreter runs.
                if (thread.python_state != 0 && (path.interpreter != path.end || (!path.complete && thread.in_python)))
                    continue;
                keep_sample(at, sample_of(thread, sampled::on_core, places_of(path, {})));
            }
    }

    // Of very many threads some at a time.
    void look_at_blocked() {
        for (std::size_t i = 0; i < std::min(threads_.size(), looked_at_once); ++i) {
            Watched& thread = threads_[next_blocked_++ % threads_.size()];
            if (thread.off_since != 0) continue;
            const Ticks at = now();
            if (!knows_where_blocked(thread)) continue;
            std::array<char, longest_name> name;
            const std::string_view file = file_of(thread.blocked, name);
            if (processor_time_ns(thread.number) != thread.used_ns) continue; // that may be the file of another one
            Record record;
            record.enter = record.leave = at;
            record.what = thread.sample;
            record.what.bytes = file.size();
            record.what.type = thread.lane;
            store_with_text(record, file);
            ++said_.blocked;
            if (record.what.has(flag::unfinished)) ++said_.incomplete;
        }
    }

    // /proc is slow. It is not asked about a thread that is on a core, nor again about one that has been on none since
    // the last look.
    bool knows_where_blocked(Watched& thread) {
        const auto used_ns = processor_time_ns(thread.number);
        if (!used_ns) return false; // it has ended
        if (*used_ns == thread.used_ns && thread.all_read) return true;
        if (processor_time_ns(thread.number) != used_ns) return false; // it runs
        const auto blocked = blocked_in(thread.number);
        if (!blocked) return false;
        const StackCopy stack = copy_of_stack(blocked->registers.sp, {stack_.get(), stack_room});
        const PythonStack frames = python_stack_of(thread);
        if (processor_time_ns(thread.number) != used_ns) return false; // the stack may be another one
        const auto call = blocked->call < 0 ? sampled::blocked_elsewhere
                                            : static_cast<std::int32_t>(processor::number_in_traces(blocked->call));
        thread.blocked = *blocked;
        thread.sample = sample_of(thread, call, places_of(native_path(blocked->registers, stack), frames));
        thread.used_ns = *used_ns;
        thread.all_read = !stack.bytes.empty() && (thread.python_state == 0 || frames.known.complete);
        return true;
    }

    // The kernel's samples do not tell the functions of Python, which keeps them in memory of its own.
    void look_at_python() {
        std::size_t looked_at = 0;
        for (std::size_t i = 0; i < threads_.size() && looked_at < looked_at_once; ++i) {
            Watched& thread = threads_[next_in_python_++ % threads_.size()];
            if (thread.python_state == 0 || thread.off_since != 0) continue;
            ++looked_at;
            const Ticks at = now();
            const PythonStack frames = python_stack_of(thread);
            thread.in_python = frames.known.frames > 0;
            if (!thread.in_python || !runs(thread.number)) continue;
            if (thread.lane == 0) thread.lane = session->lanes().lane_of_thread(thread.number);
            if (thread.lane != 0 && session->lanes().in_call(thread.lane - 1)) continue;
            const SampledPlaces places = places_of({}, frames);
            if (places.count == 0) {
                ++said_.lost;
                continue;
            }
            keep_sample(at, sample_of(thread, sampled::in_python, places));
        }
    }

    [[nodiscard]] PythonStack python_stack_of(Watched& thread) const {
        PythonStack stack;
        if (thread.python_state != 0)
            stack.known = python_->python.frames_of(thread.number, stack.frames, thread.python_state);
        return stack;
    }

    NativePath native_path(const Registers& registers, const StackCopy& stack) {
        NativePath path;
        const Unwinder::Path walked = unwinder_.walk(registers, stack, path.addresses);
        path.end = walked.frames;
        path.complete = walked.complete;
        while (path.interpreter < path.end && !in_interpreter(path.addresses[path.interpreter])) ++path.interpreter;
        return path;
    }
    [[nodiscard]] bool in_interpreter(std::uint64_t address) const {
        return python_ && address >= python_->interpreter.begin && address < python_->interpreter.end;
    }

    // Puts the functions of Python in place of those of its interpreter, and of what lies outside of these.
    SampledPlaces places_of(const NativePath& path, const PythonStack& python) {
        const bool in_python = python.known.frames > 0;
        SampledPlaces places;
        for (std::size_t i = path.begin; i < (in_python ? path.interpreter : path.end); ++i)
            places.add(call_place(reinterpret_cast<const void*>(path.addresses[i])));
        if (!in_python) {
            places.whole = places.whole && path.complete;
            return places;
        }
        const bool all_known = path.interpreter < path.end || path.end == 0 || path.complete;
        scripts_->each_place(
            std::span{python.frames}.first(python.known.frames),
            [&](std::uint64_t place, const PythonLine& line) { define_script(place, line); },
            [&](std::uint64_t place) { places.add(place); });
        places.whole = places.whole && all_known && python.known.complete;
        return places;
    }

    void define_script(std::uint64_t place, const PythonLine& line) {
        std::array<char, 2 * longest_name> text;
        const auto end = std::ranges::copy(line.function, text.begin()).out;
        std::ranges::copy(line.file, end);
        const std::size_t size = line.function.size() + line.file.size();
        Record record;
        record.what = {.place = place,
                       .bytes = size,
                       .comm = static_cast<std::uint32_t>(line.function.size()),
                       .tag = static_cast<std::int32_t>(line.line),
                       .kind = Kind::script};
        store_with_text(record, {text.data(), size});
    }

    void take_calls() {
        take_call_stacks([](void* self, const CallStack& copy) { static_cast<Sampler*>(self)->store_call(copy); },
                         this);
    }

    // The functions of tactus that lie between the call and the copy are left out.
    void store_call(const CallStack& copy) {
        NativePath path = native_path(copy.registers, copy.stack);
        const auto all = std::span{path.addresses}.first(path.end);
        const auto call = std::ranges::find(all, address_of(copy.call.place));
        if (call == all.end()) { // such as a call that the compiler made a jump
            ++said_.calls_lost;
            return;
        }
        path.begin = static_cast<std::size_t>(call - all.begin()) + 1;
        PythonStack python{.frames = {}, .known = {copy.python.size(), copy.all_of_python}};
        std::ranges::copy(copy.python, python.frames.begin());
        const SampledPlaces places = places_of(path, python);
        std::span<const std::uint64_t> callers = places.callers_from(0);
        const std::size_t skipped = std::max<std::size_t>(levels_.skip, 1) - 1;
        const std::size_t end = std::max<std::size_t>(levels_.skip + levels_.count, 1) - 1;
        bool whole = places.whole && skipped == 0 && callers.size() <= end;
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
        return paths_.number_of(callers, whole, [&](const SampledPaths::Known& known) {
            record.what.comm = known.number;
            record.what.bytes = known.callers;
            record.what.place = known.place;
            store_in_order(record, {});
        });
    }

    Signature sample_of(const Watched& thread, std::int32_t call, const SampledPlaces& places) {
        bool whole = places.whole;
        const std::uint32_t number = number_of(places.callers_from(1), whole);
        return {.place = places.count > 0 ? places.all[0] : 0,
                .comm = number,
                .peer = call,
                .tag = thread.number,
                .type = thread.lane,
                .kind = Kind::sample,
                .flags = whole ? std::uint8_t{0} : flag::unfinished};
    }

    void keep_sample(Ticks at, const Signature& what) {
        Record record;
        record.enter = record.leave = at;
        record.what = what;
        keep(record);
        ++said_.samples;
        if (what.has(flag::unfinished)) ++said_.incomplete;
    }

    void store_with_text(Record& record, std::string_view text) {
        std::array<std::int64_t, longest_name / 4> words{}; // eight characters to a word, as append_text() does
        if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
        store_in_order(record, std::span{words}.first((text.size() + 7) / 8));
    }

    CallLevels levels_;
    double tick_ns_;
    Sampling said_;
    Lane* lane_ = session->lanes().acquire_for_samples();
    std::vector<Watched> threads_;
    std::vector<Record> pending_;
    Ticks last_at_ = now(); // of the records in the lane
    std::int64_t watched_ = 0;
    bool any_off_ = false;         // at the last look
    std::size_t most_threads_ = 0; // at one time
    std::int64_t next_look_ns_ = monotonic_ns();
    std::int64_t next_list_ns_ = 0;
    std::uint64_t module_changes_ = 0;
    std::size_t next_blocked_ = 0;
    std::optional<PythonProgram> python_;
    std::optional<Scripts> scripts_;
    std::size_t next_in_python_ = 0;
    std::uint64_t random_ = static_cast<std::uint64_t>(monotonic_ns());
    SampledPaths paths_;
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
    if (sampler == nullptr || !calls) return false;
    if (sampler->python() != nullptr) find_python_in_calls(*sampler->python());
    return true;
}

std::int64_t look_at_threads() { return sampler != nullptr ? sampler->look() : std::int64_t{1'000'000'000}; }

std::vector<Sampling> end_sampling() {
    if (sampler == nullptr) return {};
    const Sampling said = sampler->end();
    delete sampler; // finishing the trace needs its memory
    sampler = nullptr;
    return {said};
}

} // namespace tactus
