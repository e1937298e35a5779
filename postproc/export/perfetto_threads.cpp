#include "postproc/export/perfetto_threads.hpp"

#include "postproc/export/perfetto_fields.hpp"
#include "postproc/export/perfetto_numbers.hpp"
#include "trace/sample.hpp"
#include "trace/symbols.hpp"

#include <vector>

namespace tactus {
namespace {

namespace fields = perfetto;

constexpr std::array all_counters{ThreadCounter::on_core, ThreadCounter::without_core, ThreadCounter::page_faults};

} // namespace

PerfettoThreads::PerfettoThreads(const RankFile& file, const StepClock& clock, const PlaceNames& names,
                                 std::uint64_t sequence, OutputFile& out, NotSaid& not_said)
    : file_{file}, clock_{clock}, names_{names}, packets_{sequence, out}, not_said_{not_said},
      rank_{file.header().rank}, places_{file.definitions().modules} {}

void PerfettoThreads::put_timed(std::uint64_t time, std::uint32_t field, const Protobuf& content) {
    packets_.put_timed(time, field, content);
    ++events_;
}

void PerfettoThreads::stretch(std::uint32_t lane, const Record& record, Words words) {
    const auto stretch = Stretch::from(record, words);
    if (!stretch) return;
    Thread& thread = threads_[lane];
    const Known known{.from = record.enter - stretch->length,
                      .to = record.enter,
                      .time = core_time(*stretch, file_.seconds(stretch->length))};
    thread.stretches.add(known, *stretch, [&](const Known& told) { put_stretch(lane, thread, told); });
}

// After the last stretch of a thread nothing is known: the counters go to 0.
void PerfettoThreads::finish_stretches() {
    for (auto& of_lane : threads_) {
        const std::uint32_t lane = of_lane.first;
        Thread& thread = of_lane.second;
        thread.stretches.finish([&](const Known& known) { put_stretch(lane, thread, known); });
        for (const ThreadCounter which : all_counters) put_value(lane, thread, which, thread.end, 0);
    }
    threads_.clear();
}

void PerfettoThreads::put_stretch(std::uint32_t lane, Thread& thread, const Known& known) {
    const DelayLine* const delay = clock_.delay_of(rank_, lane);
    const std::uint64_t begin = clock_.at(file_, delay, known.from);
    const double whole_s = known.time.total_s();
    put_value(lane, thread, ThreadCounter::on_core, begin, 100 * known.time.ran_s / whole_s);
    put_value(lane, thread, ThreadCounter::without_core, begin, 100 * known.time.waited_s / whole_s);
    put_value(lane, thread, ThreadCounter::page_faults, begin, known.time.page_faults / whole_s);
    thread.end = clock_.at(file_, delay, known.to);
}

// Puts a value that differs from the one before.
void PerfettoThreads::put_value(std::uint32_t lane, Thread& thread, ThreadCounter which, std::uint64_t time,
                                double value) {
    std::uint64_t& track = thread.tracks[static_cast<std::size_t>(which)];
    double& shown = thread.shown[static_cast<std::size_t>(which)];
    if (track != 0 && shown == value) return;
    if (track == 0) track = describe_counter(lane, which);
    shown = value;
    Protobuf event;
    event.number(fields::event::type, fields::event::counter_type)
        .number(fields::event::track, track)
        .floating(fields::event::double_counter_value, value);
    put_timed(time, fields::packet::track_event, event);
}

std::uint64_t PerfettoThreads::describe_counter(std::uint32_t lane, ThreadCounter which) {
    const std::uint64_t number = track_number(fields::TrackKind::core_time, rank_, counter_tracks_++);
    const ThreadCounterText& text = thread_counters[static_cast<std::size_t>(which)];
    Protobuf unit;
    unit.text(fields::counter::unit_name, text.unit);
    Protobuf track;
    track.number(fields::descriptor::uuid, number)
        .text(fields::descriptor::name, text.name)
        .number(fields::descriptor::parent, fields::thread_track(rank_, lane))
        .message(fields::descriptor::counter, unit);
    packets_.put_track(track);
    return number;
}

void PerfettoThreads::sampled(const Record& record, Words words) {
    places_.add(record, words);
    const Signature& what = record.what;
    if (what.kind != Kind::sample) return;
    if (sampled::is_of_call(what.peer)) return not_said_.add("samples of who made calls, which are not taken evenly");
    const DelayLine* const delay = what.type > 0 ? clock_.delay_of(rank_, what.type - 1) : nullptr;
    Protobuf sample;
    sample.number(fields::sample::pid, fields::process_number(rank_))
        .number(fields::sample::tid, thread_of(what))
        .number(fields::sample::callstack, callstack(what, words));
    if (what.has(flag::unfinished)) sample.number(fields::sample::unwind_error, fields::sample::unknown_error);
    put_timed(clock_.at(file_, delay, record.enter), fields::packet::perf_sample, sample);
}

// Threads without a lane get numbers and names here.
std::uint64_t PerfettoThreads::thread_of(const Signature& sample) {
    if (sample.type > 0) return fields::thread_number(rank_, sample.type - 1);
    constexpr std::uint32_t first = 256; // few ranks have so many threads that make calls
    const auto which = static_cast<std::uint32_t>(without_lane_.size());
    const auto [known, fresh] = without_lane_.try_emplace(sample.tag, fields::thread_number(rank_, first + which));
    if (!fresh) return known->second;
    Protobuf thread;
    thread.number(fields::thread::pid, fields::process_number(rank_))
        .number(fields::thread::tid, known->second)
        .text(fields::thread::name, "thread without calls (" + std::to_string(sample.tag) + ")");
    Protobuf track;
    track.number(fields::descriptor::uuid, track_number(fields::TrackKind::sampled, rank_, which))
        .number(fields::descriptor::parent, track_number(fields::TrackKind::process, rank_, 0))
        .message(fields::descriptor::thread, thread);
    packets_.put_track(track);
    return known->second;
}

// The outermost function comes first. The innermost of a blocked thread is what it is blocked in.
std::uint64_t PerfettoThreads::callstack(const Signature& sample, Words words) {
    std::uint64_t blocked = 0;
    if (!sampled::is_on_core(sample.peer)) {
        std::string name = "blocked";
        if (sample.peer >= 0) name += " in " + names_.system_call(sample.peer);
        if (const std::string file = text_in(words, sample.bytes); !file.empty()) name += " (" + file + ")";
        blocked = blocked_frame(name);
    }
    const auto [known, fresh] = callstacks_.try_emplace({sample.place, sample.comm, blocked}, callstacks_.size() + 1);
    if (!fresh) return known->second;
    std::vector<std::uint64_t> frames;
    if (blocked != 0) frames.push_back(blocked);
    frames.push_back(frame(places_.at(sample.place)));
    places_.each_caller(sample.comm, [&](const Place& caller) {
        frames.push_back(frame(caller));
        return true;
    });
    Protobuf stack;
    stack.number(fields::callstack::iid, known->second);
    for (std::size_t i = frames.size(); i-- > 0;) stack.number(fields::callstack::frame, frames[i]);
    packets_.new_names().message(fields::interned::callstacks, stack);
    return known->second;
}

std::uint64_t PerfettoThreads::frame(const Place& place) {
    std::uint64_t& known = frames_[&place];
    if (known == 0) known = new_frame(names_.function_or_place(place), place.module, place.offset);
    return known;
}

std::uint64_t PerfettoThreads::blocked_frame(const std::string& name) {
    std::uint64_t& known = blocked_frames_[name];
    if (known == 0) known = new_frame(name, "kernel", blocked_frames_.size());
    return known;
}

// A function's name has the number of its frame.
std::uint64_t PerfettoThreads::new_frame(const std::string& function, const std::string& module, std::uint64_t offset) {
    const std::uint64_t of_module = mapping(module);
    const std::uint64_t number = ++last_frame_;
    Protobuf name;
    name.number(fields::text::iid, number).text(fields::text::text, function);
    packets_.new_names().message(fields::interned::function_names, name);
    Protobuf frame;
    frame.number(fields::frame::iid, number)
        .number(fields::frame::function, number)
        .number(fields::frame::mapping, of_module)
        .number(fields::frame::offset, offset);
    packets_.new_names().message(fields::interned::frames, frame);
    return number;
}

// Readers put a slash in front of each part of a path. The path is one part.
std::uint64_t PerfettoThreads::mapping(const std::string& module) {
    const auto [known, fresh] = mappings_.try_emplace(module, mappings_.size() + 1);
    if (!fresh) return known->second;
    Protobuf path;
    path.number(fields::text::iid, known->second)
        .text(fields::text::text, module.empty() ? "unknown" : module.substr(module.front() == '/' ? 1 : 0));
    packets_.new_names().message(fields::interned::mapping_paths, path);
    Protobuf mapping;
    mapping.number(fields::mapping::iid, known->second).number(fields::mapping::path, known->second);
    packets_.new_names().message(fields::interned::mappings, mapping);
    return known->second;
}

} // namespace tactus
