// A record is one MPI call (or one note of the tracer itself), as it lies in a lane and as the reader hands it out.
//
//   0        8        16       24       32       40    44    48    52    56    58   59    60    64
//   | enter  | leave  | request| place  | bytes  |comm |peer |tag  |type |func |kind|flags|words|
//                              `------------------ signature: 40 bytes ------------------------'
//
// A call that moves more than fits (several completions, count vectors, members of a communicator) is followed by
// `words` 64-bit words, seven to a continuation slot, the first 8 bytes of which are unused. The record is written in
// place by the thread that owns the lane, in slot order, and published with one release store after its last
// continuation.
#pragma once

#include "base/ticks.hpp"
#include "trace/function.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tactus {

enum class Kind : std::uint8_t {
    call = 0,  // one MPI call
    comm = 1,  // definition of communicator `comm`; words: see trace/definitions.hpp
    stall = 2, // the lane's owner waited from enter to leave for the tracer: no free buffer
    loss = 3, // `bytes` calls between enter and leave were not kept; `type`: which Loss; words: NotRecorded per channel
    comm_name = 4, // communicator `comm` was given a name: `bytes` characters, eight to a word
    more = 5,      // further words of the record before it, which had more than one block holds
    window = 6,    // definition of window `tag`; words: see trace/definitions.hpp
    file = 7,      // definition of file `tag`
    region = 8,    // the application was in symbol `type` from enter to leave; `tag` and `bytes`: scl of begin and end
    counter = 9,   // counter `type` had the value `bytes` at enter; `tag`: scl
    comment = 10,  // `bytes` characters of the application's, eight to a word
    symbol = 11,   // definition of symbol, counter, scl or thread name `type`; `tag` says which, see trace/symbols.hpp
    sync = 12,     // clocks were measured from enter to leave; `type`: why, a RoundReason
    // These two lie before the call that they describe, and have its enter and leave:
    delay = 13,       // how late the thread was because of the tracer; words: nanoseconds at enter, at leave
    message_ids = 14, // the messages of the call; words: number of the message sent (0: none), of those received
    nccl = 15,        // something NCCL did; see trace/nccl.hpp
    stretch = 16,     // what the operating system counted for the thread; see trace/stretch.hpp
    sample = 17,      // what a thread was doing; see trace/sample.hpp, as for the next two
    path = 18,        // definition of a path of functions
    script = 19,      // definition of a place in a program that an interpreter runs
};
constexpr std::uint8_t kind_count = 20;

namespace flag {
constexpr std::uint8_t starts = 1;    // began a request, or prepared a persistent one; `request` is its number
constexpr std::uint8_t completes = 2; // completed exactly one request, `request`; peer, tag, bytes are the receive's
// Equal calls in a row: `request` of them, `bytes` ticks inside. They are unsuccessful tests or probes, or calls of a
// local function.
constexpr std::uint8_t repeated = 4;
constexpr std::uint8_t nested = 8;       // made inside another MPI call
constexpr std::uint8_t failed = 16;      // returned an error
constexpr std::uint8_t any_source = 32;  // posted with MPI_ANY_SOURCE
constexpr std::uint8_t any_tag = 64;     // posted with MPI_ANY_TAG
constexpr std::uint8_t unfinished = 128; // the lane was closed before the call returned (MPI_Finalize, MPI_Abort, exit)
} // namespace flag

// Peers and roots are ranks in the record's communicator, or one of these (both MPIs number them differently).
namespace peer {
constexpr std::int32_t none = -1;
constexpr std::int32_t any = -2;
constexpr std::int32_t proc_null = -3;
constexpr std::int32_t root = -4; // MPI_ROOT of an intercommunicator
} // namespace peer

// The assertions of an MPI_Win_fence, in the word that follows its record (MPI-4.0, 12.5.5).
namespace fence {
constexpr std::int64_t no_store = 1;
constexpr std::int64_t no_put = 2;
constexpr std::int64_t no_precede = 4;
constexpr std::int64_t no_succeed = 8;
} // namespace fence

struct Signature {
    std::uint64_t place = 0; // the call place: a return address (docs/format.md)
    std::uint64_t bytes = 0; // sent, received, or of the block that moves between two ranks of a collective
    std::uint32_t comm = 0;  // number in this rank's table of communicators; 0: none
    std::int32_t peer = peer::none;
    std::int32_t tag = 0;   // for calls on a window or file, the object's number; `comm` is its communicator
    std::uint32_t type = 0; // number in the table of datatypes; 0: none or derived
    Function function{};
    Kind kind = Kind::call;
    std::uint8_t flags = 0;
    std::uint32_t words = 0;

    bool operator==(const Signature&) const = default;
    [[nodiscard]] bool has(std::uint8_t bits) const { return (flags & bits) == bits; }

    static constexpr void fields(auto& self, auto&& field) {
        field("place", self.place);
        field("bytes", self.bytes);
        field("comm", self.comm);
        field("peer", self.peer);
        field("tag", self.tag);
        field("type", self.type);
        field("function", self.function);
        field("kind", self.kind);
        field("flags", self.flags);
        field("words", self.words);
    }
};
static_assert(sizeof(Signature) == 40, "the signature is five words without padding");

struct alignas(64) Record {
    Ticks enter = 0;
    Ticks leave = 0;
    std::uint64_t request = 0;
    Signature what;
};
static_assert(sizeof(Record) == 64, "a record is one cache line");

// The number of MPI calls that a record stands for.
inline std::uint64_t calls_of(const Record& r) {
    if (r.what.kind != Kind::call) return 0;
    return r.what.has(flag::repeated) ? r.request : 1;
}
// The ticks spent inside these calls.
inline Ticks inside_of(const Record& r) { return r.what.has(flag::repeated) ? r.what.bytes : r.leave - r.enter; }

constexpr std::size_t words_per_slot = 7;
constexpr std::size_t slots_of_words(std::size_t words) { return (words + words_per_slot - 1) / words_per_slot; }

struct alignas(64) Continuation {
    std::uint64_t unused = 0;
    std::int64_t words[words_per_slot] = {};
};
static_assert(sizeof(Continuation) == sizeof(Record));

// A request number is the lane that began the request and a serial number in that lane. It has 62 bits in all, so that
// the difference of two and a flag still fit into 64.
constexpr unsigned request_serial_bits = 40;
constexpr std::uint64_t most_request_lanes = 1 << 22;
constexpr std::uint64_t request_number(std::uint64_t lane, std::uint64_t serial) {
    return (lane % most_request_lanes) << request_serial_bits | serial;
}
constexpr std::uint64_t lane_of_request(std::uint64_t request) { return request >> request_serial_bits; }

constexpr std::int64_t envelope_word(std::int32_t source, std::int32_t tag) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 |
                                     static_cast<std::uint32_t>(tag));
}
constexpr std::int32_t envelope_source(std::int64_t word) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(word) >> 32);
}
constexpr std::int32_t envelope_tag(std::int64_t word) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
}

// One completed request among several, as it lies in the words: a send is one word, a receive three.
//   word 0: request number x 2 + (1 if a receive) · word 1: bytes · word 2: source and tag, 32 bits each
struct Completion {
    std::uint64_t request = 0;
    bool received = false;
    std::uint64_t bytes = 0;
    std::int32_t source = peer::none;
    std::int32_t tag = 0;

    static constexpr std::size_t most_words = 3;
    // Writes the words and gives their number. hot
    std::size_t put(std::int64_t* to) const {
        to[0] = static_cast<std::int64_t>(request << 1 | (received ? 1 : 0));
        if (!received) return 1;
        to[1] = static_cast<std::int64_t>(bytes);
        to[2] = envelope_word(source, tag);
        return most_words;
    }
    static std::size_t words_of(std::int64_t first) { return (first & 1) != 0 ? most_words : 1; }
    static Completion from(const std::int64_t* w) {
        Completion done{.request = static_cast<std::uint64_t>(w[0]) >> 1, .received = (w[0] & 1) != 0};
        if (!done.received) return done;
        done.bytes = static_cast<std::uint64_t>(w[1]);
        done.source = envelope_source(w[2]);
        done.tag = envelope_tag(w[2]);
        return done;
    }
};

// A start of a persistent request, as it lies in the words after MPI_Start and MPI_Startall. It repeats the arguments
// of the call that prepared the request.
struct Started {
    std::uint64_t request = 0;  // the number of this start
    std::uint64_t prepared = 0; // the number of the prepared request, as in the record of the call that prepared it
    std::uint64_t bytes = 0;
    std::int32_t peer = peer::none;
    std::int32_t tag = 0;
    std::uint32_t comm = 0;
    std::uint32_t type = 0;
    Function function{}; // MPI_Send_init and so on
    std::uint8_t flags = 0;

    static constexpr std::size_t words = 6;
    void put(std::int64_t* to) const {
        to[0] = static_cast<std::int64_t>(request);
        to[1] = static_cast<std::int64_t>(prepared);
        to[2] = static_cast<std::int64_t>(bytes);
        to[3] = envelope_word(peer, tag);
        to[4] = envelope_word(static_cast<std::int32_t>(comm), static_cast<std::int32_t>(type));
        to[5] = static_cast<std::int64_t>(function) << 8 | flags;
    }
    static Started from(const std::int64_t* w) {
        return {.request = static_cast<std::uint64_t>(w[0]),
                .prepared = static_cast<std::uint64_t>(w[1]),
                .bytes = static_cast<std::uint64_t>(w[2]),
                .peer = envelope_source(w[3]),
                .tag = envelope_tag(w[3]),
                .comm = static_cast<std::uint32_t>(envelope_source(w[4])),
                .type = static_cast<std::uint32_t>(envelope_tag(w[4])),
                .function = static_cast<Function>(static_cast<std::uint16_t>(w[5] >> 8)),
                .flags = static_cast<std::uint8_t>(w[5])};
    }
};

// What was not recorded on one channel, as it lies in the words after a loss record: two words.
enum class Direction : std::uint8_t { sent, received, collective, window }; // window: epochs
struct NotRecorded {
    std::uint32_t comm = 0;
    std::int32_t peer = peer::none; // only messages have one
    Direction direction{};
    std::uint64_t count = 0;

    static constexpr std::size_t words = 2;
    void put(std::int64_t* to) const {
        to[0] = envelope_word(static_cast<std::int32_t>(comm), peer);
        to[1] = static_cast<std::int64_t>(count << 2 | static_cast<std::uint64_t>(direction));
    }
    static NotRecorded from(const std::int64_t* w) {
        return {.comm = static_cast<std::uint32_t>(envelope_source(w[0])),
                .peer = envelope_tag(w[0]),
                .direction = static_cast<Direction>(w[1] & 3),
                .count = static_cast<std::uint64_t>(w[1]) >> 2};
    }
};

} // namespace tactus
