// Links go from one moment to another in a picture: messages, waits, collectives. Links that are alike, begin in the
// same slot and end in the same slot are added up, on the same grid as functions (slots.hpp). Pure.
//
//              message                       wait                       collective
//   from       it was sent                   the wait began             the first member entered
//   to         it was received               it ended                   the last member left
//   source     who sent it (a thread)        who waited (a thread)      communicator (identity)
//   target     who received it (a thread)    WaitKind                   -
//   amount     bytes                         time                       bytes of all members
//   about      communicator (identity)       rank that caused it        rank of the root + 1; 0: there is none
//   what       tag                           function                   function
//
// Links with equal `source` and `target` are alike. A sum keeps `about` and `what` only if all its links have the same.
#pragma once

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/time_map.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace tactus {

enum class LinkKind : std::uint8_t { message, wait, collective };
constexpr std::size_t link_kinds = 3;

// A thread: rank in MPI_COMM_WORLD, and lane.
constexpr std::uint64_t thread_of(std::uint32_t rank, std::uint32_t lane) { return std::uint64_t{rank} << 32 | lane; }
constexpr std::uint32_t rank_of(std::uint64_t thread) { return static_cast<std::uint32_t>(thread >> 32); }

struct Link {
    GlobalTime from = 0;
    GlobalTime to = 0;
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    std::uint64_t amount = 0;
    std::uint64_t about = 0;
    std::uint32_t what = 0;
};

// `rank` is the index of the rank to which the link belongs.
using TakeLink = std::function<void(std::size_t rank, LinkKind kind, const Link& link)>;

__extension__ typedef __int128 SumOfTimes;

// The sum of links that are alike, from one slot to another.
struct LinkSum {
    std::int64_t from_slot = 0;
    std::int64_t to_slot = 0;
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    std::uint64_t count = 0;
    std::uint64_t amount = 0;
    SumOfTimes from = 0; // messages: the sum of all times; others: the earliest `from` and the latest `to`
    SumOfTimes to = 0;
    std::optional<std::uint64_t> about; // none: not the same for all links, as in `what`
    std::optional<std::uint32_t> what;

    [[nodiscard]] GlobalTime mean_from() const {
        return static_cast<GlobalTime>(from / static_cast<SumOfTimes>(count));
    }
    [[nodiscard]] GlobalTime mean_to() const { return static_cast<GlobalTime>(to / static_cast<SumOfTimes>(count)); }
    [[nodiscard]] GlobalTime first() const { return static_cast<GlobalTime>(from); } // only for waits and collectives
    [[nodiscard]] GlobalTime last() const { return static_cast<GlobalTime>(to); }
    [[nodiscard]] auto key() const { return std::tie(from_slot, to_slot, source, target); }
    bool operator==(const LinkSum&) const = default;
};

// The sum of a single link, in slots of 2^width_bits units.
LinkSum sum_of_one(const Link& link, unsigned width_bits);

// Adds up sums with the same key. Many in a row with the same key are added in a few instructions each.
class LinkMap {
  public:
    explicit LinkMap(LinkKind kind) : kind_{kind} {}

    void add(const LinkSum& sum);
    [[nodiscard]] std::size_t size() const { return sums_.size(); }
    // Makes the slots 2^`wider` times as wide.
    void widen(unsigned wider);
    std::vector<LinkSum> take(); // ordered by key; leaves the map empty

  private:
    // The index in table_ of the sum with this key, or where it belongs.
    [[nodiscard]] std::size_t find(const LinkSum& sum) const;
    void grow();

    LinkKind kind_;
    std::vector<LinkSum> sums_; // in the order in which their keys came
    std::size_t last_ = 0;      // index of the sum that was added to last
    // A hash table with 1 + the index of a sum, or 0, in each of its places, whose number is a power of two. There are
    // maps for each rank, so it must be small: a library's table would have the keys in it, 32 bytes each.
    std::vector<std::uint32_t> table_;
};

// The sums of one slot width, ordered by key.
struct LinkLevel {
    unsigned width_bits = 0;
    std::vector<LinkSum> sums;
    [[nodiscard]] std::size_t bytes() const { return sums.size() * sizeof sums[0]; }
};

using RankLinks = std::array<std::vector<LinkLevel>, link_kinds>; // by kind

// The same sums in slots that are 2^`wider` times as wide, ordered by key.
std::vector<LinkSum> widened(std::vector<LinkSum> sums, LinkKind kind, unsigned wider);

// Adds up links in slots of 2^0, 2^2, 2^4 ... units: in the narrowest with which there are at most `most` sums. A rank
// with very many partners may have more, in a few wide slots. The result does not depend on the order of the links.
class LinkSums {
  public:
    LinkSums(LinkKind kind, std::size_t most) : most_{most}, kind_{kind} {}

    void add(const Link& link);
    // Gives the levels, the narrowest first, and leaves nothing. Each has at most half as many sums as the one before,
    // in the narrowest slots with which that is so, until there are few sums. So a picture of the whole run reads less
    // than twice the sums that it has.
    std::vector<LinkLevel> take();

  private:
    void widen();

    std::size_t most_;
    LinkKind kind_;
    LinkMap sums_{kind_};
    std::size_t enough_ = 2 * most_; // sums for which wider slots are worth the work
    unsigned width_bits_ = 0;
    GlobalTime first_ = std::numeric_limits<GlobalTime>::max();
    GlobalTime last_ = std::numeric_limits<GlobalTime>::min();
};

// Adds up any number of links in slots of given widths. Hands out a piece of a level whenever it has enough sums, so
// links that are alike are added up only within a piece.
class LinkPieces {
  public:
    // Widths in bits, the narrowest first, by rank and kind. A kind without widths is not kept.
    using Widths = std::vector<std::array<std::vector<unsigned>, link_kinds>>;
    using TakePiece = std::function<void(std::size_t rank, LinkKind kind, const LinkLevel& piece)>;
    LinkPieces(const Widths& widths, TakePiece take);

    void add(std::size_t rank, LinkKind kind, const Link& link);
    void finish();

  private:
    struct Level {
        unsigned width_bits;
        LinkMap sums;
    };
    void end_if_long(std::size_t rank, LinkKind kind, std::size_t level);
    void end(std::size_t rank, LinkKind kind, std::size_t level);
    [[nodiscard]] std::vector<Level>& levels(std::size_t rank, LinkKind kind) {
        return open_[rank][static_cast<std::size_t>(kind)];
    }

    std::size_t longest_;
    TakePiece take_;
    std::vector<std::array<std::vector<Level>, link_kinds>> open_; // by rank
};

// Turn sums, which are ordered by key, into bytes that compress well, and back.
Bytes encode(std::span<const LinkSum> sums, LinkKind kind, unsigned width_bits);
Result<std::vector<LinkSum>> decode_links(ByteView bytes, LinkKind kind, unsigned width_bits);

} // namespace tactus
