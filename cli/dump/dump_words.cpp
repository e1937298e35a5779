#include "cli/dump/dump_words.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/samples_text.hpp"
#include "trace/sample.hpp"
#include "trace/shapes.hpp"
#include "trace/stretch.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

constexpr std::uint32_t world = 1; // the numbers of the predefined communicators, see trace/definitions.hpp
constexpr std::uint32_t self = 2;

bool is_plain(const std::string& name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c != '"' && c != 0x7f; });
}

std::string not_recorded_text(const NotRecorded& missing) {
    switch (missing.direction) {
    case Direction::sent:
        return fmt::format("  {} sent to {} comm #{}", missing.count, missing.peer, missing.comm);
    case Direction::received:
        return fmt::format("  {} received from {} comm #{}", missing.count, missing.peer, missing.comm);
    case Direction::window:
        return fmt::format("  {} fences and the like of windows on comm #{}", missing.count, missing.comm);
    default:
        return fmt::format("  {} collectives comm #{}", missing.count, missing.comm);
    }
}

bool is_rooted(Shape shape) {
    return pattern_of(shape) == Pattern::one_to_all || pattern_of(shape) == Pattern::all_to_one;
}

} // namespace

std::string comm_text(const Comm* comm, std::uint32_t number) {
    if (comm != nullptr && !comm->name.empty()) {
        const std::string name = printable(comm->name);
        return is_plain(name) ? name : '"' + name + '"';
    }
    if (number == world) return "MPI_COMM_WORLD";
    if (number == self) return "MPI_COMM_SELF";
    return fmt::format("#{}", number);
}

std::string peer_text(const Comm* comm, std::int32_t peer) {
    if (peer == peer::any) return "any";
    if (peer == peer::proc_null) return "MPI_PROC_NULL";
    if (peer == peer::root) return "MPI_ROOT";
    if (peer < 0) return "none";
    const std::int64_t rank = comm == nullptr ? peer : comm->world_rank(peer);
    return rank == peer ? std::to_string(peer)
                        : fmt::format("{} (world {})", peer, rank < 0 ? "none" : std::to_string(rank));
}

std::string request_text(std::uint64_t request) {
    constexpr std::uint64_t serial = (std::uint64_t{1} << request_serial_bits) - 1;
    return fmt::format("{}:{}", lane_of_request(request), request & serial);
}

std::string envelope_text(const Comm* comm, const char* direction, const Signature& what) {
    std::string text = fmt::format("{} {}", direction, peer_text(comm, what.peer));
    if (what.has(flag::any_source) && what.peer != peer::any) text += " (posted any)";
    text += what.has(flag::any_tag) && what.tag < 0 ? std::string{" tag any"} : fmt::format(" tag {}", what.tag);
    if (what.comm != 0) text += " comm " + comm_text(comm, what.comm);
    // In the record of equal calls in a row, `bytes` holds ticks.
    return what.has(flag::repeated) ? text : text + fmt::format(" bytes {}", what.bytes);
}

std::string started_text(const Comm* comm, const Started& started) {
    const Shape shape = shape_of(started.function);
    const Signature what{.bytes = started.bytes,
                         .comm = started.comm,
                         .peer = started.peer,
                         .tag = started.tag,
                         .function = started.function,
                         .flags = started.flags};
    std::string text;
    if (pattern_of(shape) != Pattern::none)
        text = collective_text(comm, what);
    else
        text = is_send(shape) ? "send " + envelope_text(comm, "to", what)
                              : "receive posted " + envelope_text(comm, "from", what);
    return fmt::format("{} {} request {}", name_of(started.function), text, request_text(started.request));
}

std::string completion_text(const Comm* comm, std::uint32_t number, const Completion& done) {
    if (!done.received) return "complete request " + request_text(done.request);
    return fmt::format("receive from {} tag {}{} bytes {} request {}", peer_text(comm, done.source), done.tag,
                       number == 0 ? std::string{} : " comm " + comm_text(comm, number), done.bytes,
                       request_text(done.request));
}

std::string collective_text(const Comm* comm, const Signature& what) {
    std::string text = "comm " + comm_text(comm, what.comm);
    if (is_rooted(shape_of(what.function))) text += " root " + peer_text(comm, what.peer);
    if (shape_of(what.function) != Shape::barrier) text += fmt::format(" bytes {}", what.bytes);
    return text;
}

std::string comm_note_text(const Comm* comm, const Signature& what, Words words) {
    Comm defined;
    if (!from_words(words, defined)) return fmt::format("note communicator #{}", what.comm);
    const std::string made = what.comm > self ? " made by " + name_of(defined.made_by) : "";
    return fmt::format("note communicator #{} {}{} ranks {}", what.comm, comm_text(comm, what.comm), made,
                       defined.size());
}

std::string message_ids_text(Words words) {
    std::string text = "note messages";
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] != 0)
            text +=
                fmt::format(" {} {}", i == 0 ? "sent" : "received", request_text(static_cast<std::uint64_t>(words[i])));
    return text;
}

std::string loss_text(const Signature& what, Words words) {
    const char* name = what.type < loss_count ? losses[what.type].name : "unknown";
    std::string text = fmt::format("note {} calls not recorded: {}", what.bytes, name);
    for (const NotRecorded& missing : not_recorded_of(words)) text += not_recorded_text(missing);
    return text;
}

std::string shared_object_text(const Comm* comm, const Signature& what, Words words) {
    SharedObject object;
    const char* const type = what.kind == Kind::window ? "window" : "file";
    if (!from_words(words, object)) return fmt::format("note {} #{}", type, what.tag);
    const std::string name = object.name.empty() ? "" : fmt::format(" \"{}\"", printable(object.name));
    return fmt::format("note {} #{}{} made by {} comm {}", type, what.tag, name, name_of(object.made_by),
                       comm_text(comm, what.comm));
}

std::string stretch_text(const Record& record, Words words) {
    const auto stretch = Stretch::from(record, words);
    if (!stretch) return "note what the system counted";
    const auto ns_text = [](std::int64_t ns) { return duration_text(1e-9 * static_cast<double>(ns)); };
    std::string text = fmt::format("note since the last of these the thread ran for {}", ns_text(stretch->ran_ns));
    if (stretch->waited_ns >= 0)
        text += fmt::format(", had no core for {} since that was last told", ns_text(stretch->waited_ns));
    if (stretch->system_ns > 0) text += fmt::format(", was in the kernel for {}", ns_text(stretch->system_ns));
    if (stretch->minor_faults + stretch->major_faults > 0)
        text += fmt::format(", {} page faults", stretch->minor_faults + stretch->major_faults);
    for (std::size_t i = Stretch::words; i < std::min(words.size(), Stretch::most_words); ++i)
        text += fmt::format("{}{}", i == Stretch::words ? "; counters: " : ", ",
                            words[i] < 0 ? "not known" : std::to_string(words[i]));
    return text;
}

std::string sample_text(const Signature& what, Words words) {
    if (sampled::is_of_call(what.peer))
        return fmt::format("note the call that {} now was made by a function in path {}",
                           what.peer == sampled::call_begins ? "begins" : "ended", what.comm);
    std::string text = fmt::format("note thread {} in path {} ", what.tag, what.comm);
    if (what.peer == sampled::on_core) return text + "on a core";
    if (what.peer == sampled::in_python) return text + "in Python, not blocked";
    if (what.peer == sampled::blocked_elsewhere) return text + "blocked";
    text += "blocked in " + system_call_name(what.peer);
    return what.bytes > 0 ? text + " of " + printable(text_in(words, what.bytes)) : text;
}

std::string note_text(const Comm* comm, const Record& record, Words words) {
    const Signature& what = record.what;
    switch (what.kind) {
    case Kind::comm:
        return comm_note_text(comm, what, words);
    case Kind::comm_name:
        return fmt::format("note communicator #{} named \"{}\"", what.comm, printable(text_in(words, what.bytes)));
    case Kind::stall:
        return "note the thread waited for the tracer";
    case Kind::stretch:
        return stretch_text(record, words);
    case Kind::sample:
        return sample_text(what, words);
    case Kind::path:
        return fmt::format("note path {}: returns to {:#x}, in path {}", what.comm, what.place, what.bytes);
    case Kind::script: {
        const std::string text = text_in(words, what.bytes);
        const std::size_t size = std::min<std::size_t>(what.comm, text.size());
        return fmt::format("note place {:#x}: line {} of {}, in {}", what.place, what.tag, printable(text.substr(size)),
                           printable(text.substr(0, size)));
    }
    case Kind::sync:
        return fmt::format("note clocks measured ({})",
                           what.type < round_reason_names.size() ? round_reason_names[what.type] : "unknown");
    case Kind::message_ids:
        return message_ids_text(words);
    case Kind::delay:
        if (words.size() < 2) return "note delay";
        return fmt::format("note delayed by the tracer: {} before, {} after what it received",
                           duration_text(1e-9 * static_cast<double>(words[0])),
                           duration_text(1e-9 * static_cast<double>(words[1])));
    case Kind::loss:
        return loss_text(what, words);
    case Kind::window:
    case Kind::file:
        return shared_object_text(comm, what, words);
    default:
        return fmt::format("note of unknown kind {}", static_cast<unsigned>(what.kind));
    }
}

} // namespace tactus
