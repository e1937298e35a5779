#include "cli/dump_words.hpp"

#include "cli/messages.hpp"
#include "postproc/profile/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

constexpr std::uint32_t world = 1; // the predefined communicators' numbers, see trace/definitions.hpp
constexpr std::uint32_t self = 2;

bool is_plain(const std::string& name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c != '"' && c != 0x7f; });
}

bool is_rooted(Shape shape) {
    return pattern_of(shape) == Pattern::one_to_all || pattern_of(shape) == Pattern::all_to_one;
}

} // namespace

std::string name_in(const Record& record, Words words) {
    std::string name;
    for (std::uint64_t i = 0; i < record.what.bytes && i / 8 < words.size(); ++i)
        name += static_cast<char>(static_cast<std::uint64_t>(words[i / 8]) >> (8 * (i % 8)));
    return name;
}

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
    constexpr std::uint64_t serial = (std::uint64_t{1} << 48) - 1;
    return fmt::format("{}:{}", lane_of_request(request), request & serial);
}

std::string envelope_text(const Comm* comm, const char* direction, const Signature& what) {
    std::string text = fmt::format("{} {}", direction, peer_text(comm, what.peer));
    if (what.has(flag::any_source) && what.peer != peer::any) text += " (posted any)";
    text += what.has(flag::any_tag) && what.tag < 0 ? std::string{" tag any"} : fmt::format(" tag {}", what.tag);
    if (what.comm != 0) text += " comm " + comm_text(comm, what.comm);
    return text + fmt::format(" bytes {}", what.bytes);
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

std::string note_text(const Comm* comm, const Record& record, Words words) {
    const Signature& what = record.what;
    switch (what.kind) {
    case Kind::comm: {
        Comm defined;
        if (!from_words(words, defined)) return fmt::format("note communicator #{}", what.comm);
        const std::string made = what.comm > self ? " made by " + name_of(defined.made_by) : "";
        return fmt::format("note communicator #{} {}{} ranks {}", what.comm, comm_text(comm, what.comm), made,
                           defined.size());
    }
    case Kind::naming:
        return fmt::format("note communicator #{} named \"{}\"", what.comm, printable(name_in(record, words)));
    case Kind::stall:
        return "note the thread waited for the tracer";
    case Kind::loss: {
        const char* name = what.type < loss_count ? losses[what.type].name : "unknown";
        return fmt::format("note {} calls lost: {}", what.bytes, name);
    }
    default:
        return fmt::format("note of unknown kind {}", static_cast<unsigned>(what.kind));
    }
}

} // namespace tactus
