#include "cli/dump/dump_events.hpp"

#include "cli/dump/dump_application.hpp"
#include "cli/dump/dump_nccl.hpp"
#include "cli/dump/dump_words.hpp"
#include "cli/format.hpp"
#include "trace/shapes.hpp"

#include <fmt/format.h>

namespace tactus {
namespace {

// The lines between "enter" and "exit": events at the tick of the enter, and events at the tick of the exit.
struct Between {
    std::vector<std::string> at_enter;
    std::vector<std::string> at_exit;
};

// Whether the call posts a receive that another call completes.
bool posts_receive(Function function) {
    const Shape shape = shape_of(function);
    return (shape == Shape::receive || shape == Shape::matched_receive) && mode_of(function) != Mode::blocking;
}
bool receives(Function function) {
    const Shape shape = shape_of(function);
    return shape == Shape::receive || shape == Shape::matched_receive;
}
bool has_object(Shape shape) { return shape >= Shape::window && shape <= Shape::file; }

std::string assertion_text(std::int64_t bits) {
    std::string text;
    const auto add = [&](std::int64_t bit, const char* name) {
        if ((bits & bit) != 0) text += (text.empty() ? " asserts " : "+") + std::string{name};
    };
    add(fence::no_store, "NOSTORE");
    add(fence::no_put, "NOPUT");
    add(fence::no_precede, "NOPRECEDE");
    add(fence::no_succeed, "NOSUCCEED");
    return text;
}

std::string object_text(const Signature& what, Words words) {
    const Shape shape = shape_of(what.function);
    const bool window = shape < Shape::file_open;
    std::string text = fmt::format("{} #{}", window ? "window" : "file", what.tag);
    if (what.peer >= 0) text += fmt::format(" target {}", what.peer);
    if (what.bytes > 0) text += fmt::format(" bytes {}", what.bytes);
    if (shape == Shape::window_fence && !words.empty()) text += assertion_text(words[0]);
    return text;
}

std::string received_text(const Comm* comm, const Record& record, Words words) {
    const auto half = received_half(words);
    if (!half) return {};
    Signature what = record.what;
    what.peer = half->source;
    what.tag = half->tag;
    what.bytes = half->bytes;
    return envelope_text(comm, "from", what);
}

// A call that failed, and equal calls in a row, moved nothing, whatever their arguments were.
Between between(const Comm* comm, const Record& record, Words words) {
    const Signature& what = record.what;
    Between list;
    if (what.has(flag::repeated) || what.has(flag::failed)) return list;
    const Shape shape = shape_of(what.function);
    const std::string started = what.has(flag::starts) ? " request " + request_text(record.request) : "";
    if (mode_of(what.function) == Mode::persistent) return list;
    if (is_send(shape)) list.at_enter.push_back("send " + envelope_text(comm, "to", what) + started);
    for (const Started& start : starts_of(record, words)) list.at_enter.push_back(started_text(comm, start));
    if (shape == Shape::sendrecv && words.size() >= 2)
        list.at_exit.push_back("receive " + received_text(comm, record, words));
    if (posts_receive(what.function))
        list.at_enter.push_back("receive posted " + envelope_text(comm, "from", what) + started);
    else if (receives(what.function))
        list.at_exit.push_back("receive " + envelope_text(comm, "from", what));
    if (is_probe(shape)) list.at_exit.push_back("probe " + envelope_text(comm, "from", what));
    if (has_completions(shape))
        for (const Completion& done : completions_of(record, words))
            list.at_exit.push_back(completion_text(comm, what.comm, done));
    return list;
}

std::string flags_text(const Record& record) {
    std::string text;
    if (record.what.has(flag::repeated))
        text += fmt::format("  {}{} times", found_nothing(record.what) ? "unsuccessful " : "", record.request);
    if (record.what.has(flag::failed)) text += "  failed";
    if (record.what.has(flag::nested)) text += "  nested";
    if (record.what.has(flag::unfinished)) text += "  unfinished";
    return text;
}

std::string moved_text(const Comm* comm, const Record& record, Words words) {
    const Signature& what = record.what;
    const Shape shape = shape_of(what.function);
    const std::string started = what.has(flag::starts) ? " request " + request_text(record.request) : "";
    if (what.has(flag::repeated) && !is_probe(shape)) return {};
    if (shape == Shape::sendrecv && mode_of(what.function) == Mode::blocking)
        return envelope_text(comm, "to", what) + ", " + received_text(comm, record, words);
    if (is_send(shape)) return envelope_text(comm, "to", what) + started;
    if (receives(what.function) || is_probe(shape)) return envelope_text(comm, "from", what) + started;
    if (is_collective(what.function)) return collective_text(comm, what) + started;
    if (has_object(shape) && what.tag != 0) return object_text(what, words) + started;
    std::string text;
    for (const Started& start : starts_of(record, words))
        text += (text.empty() ? "" : ", ") + started_text(comm, start);
    if (has_completions(shape))
        for (const Completion& done : completions_of(record, words))
            text += (text.empty() ? "" : ", ") + completion_text(comm, what.comm, done);
    else if (what.comm != 0)
        text = "comm " + comm_text(comm, what.comm);
    return text;
}

} // namespace

std::string record_text(const RankFile& file, const Record& record, Words words) {
    const Comm* comm = file.comm(record.what.comm);
    if (record.what.kind == Kind::stall || record.what.kind == Kind::sync || record.what.kind == Kind::stretch)
        return fmt::format("{}  {}", note_text(comm, record, words),
                           duration_text(file.seconds(record.leave - record.enter)));
    if (is_applications(record.what.kind)) return application_text(file, record, words);
    if (record.what.kind == Kind::nccl) return nccl_text(file, record, words);
    if (record.what.kind != Kind::call) return note_text(comm, record, words);
    const std::string time = duration_text(file.seconds(inside_of(record)));
    const std::string moved = moved_text(comm, record, words);
    return fmt::format("{:<22} {:>12}{}{}{}", name_of(record.what.function), time, moved.empty() ? "" : "  ", moved,
                       flags_text(record));
}

std::vector<EventLine> event_lines(const RankFile& file, const Record& record, Words words) {
    const Comm* comm = file.comm(record.what.comm);
    if (is_applications(record.what.kind)) return {{record.enter, application_text(file, record, words)}};
    if (record.what.kind == Kind::nccl) return {{record.enter, nccl_text(file, record, words)}};
    if (record.what.kind != Kind::call) return {{line_tick(record), note_text(comm, record, words)}};
    const std::string name = name_of(record.what.function);
    const std::string flags = flags_text(record);
    std::vector<EventLine> lines;
    lines.push_back({record.enter, "enter " + name});
    const Between list = between(comm, record, words);
    for (const std::string& text : list.at_enter) lines.push_back({record.enter, text});
    for (const std::string& text : list.at_exit) lines.push_back({record.leave, text});
    const bool together = is_collective(record.what.function) && mode_of(record.what.function) == Mode::blocking &&
                          !record.what.has(flag::failed);
    lines.push_back({record.leave, together
                                       ? fmt::format("collective exit {} {}", name, collective_text(comm, record.what))
                                       : "exit " + name});
    lines.back().text += flags;
    return lines;
}

} // namespace tactus
