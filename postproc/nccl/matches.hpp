// Brings together the parts of the same operation on all its members. Pure.
//
// A collective, or the sends and receives of an AlltoAll, has the same communicator, function and sequence on every
// member. Parts that these do not identify stay alone: sends, receives, operations of communicators without an id, and
// parts that a member has twice.
//
//   member 0      [=========|====]      wait: until the last member came
//   member 1          [=====|====]      arrival: from the first start to the last one
//   member 2 (late)         [====]      transfer: from the last start to the last end
#pragma once

#include "postproc/nccl/rank_operations.hpp"

#include <span>
#include <vector>

namespace tactus {

struct NcclMatch {
    std::size_t first = 0; // index of its first part in NcclMatches::parts; its parts are by member
    std::size_t seen = 0;  // number of its parts
    std::uint32_t comm = 0;
    std::uint32_t function = 0;
    NcclKind kind{};
    std::int64_t sequence = 0;
    std::uint64_t bytes = 0;         // the most that any part has
    std::uint32_t expected = 0;      // number of members; 0: unknown
    NcclSpan worst = NcclSpan::full; // worst span of its parts
    std::uint8_t flags = 0;          // all flags of its parts
    // Of the parts whose times are known:
    std::size_t timed = 0;
    std::size_t late = 0; // index of the part that came last
    GlobalTime first_start = 0;
    GlobalTime last_start = 0;
    GlobalTime end = 0;
    double gpu_within_ns = 0; // the worst of these parts, as is the next
    double clock_within_ns = 0;

    [[nodiscard]] bool has_all() const { return seen >= expected && expected > 0; }
    // Whether it is known who came last. That needs two times.
    [[nodiscard]] bool has_arrival() const { return timed > 1; }
    [[nodiscard]] double arrival_ns() const { return has_arrival() ? ns_from(first_start, last_start) : 0; }
    [[nodiscard]] double transfer_ns() const { return timed > 0 && end > last_start ? ns_from(last_start, end) : 0; }
    [[nodiscard]] double within_ns() const { return gpu_within_ns + clock_within_ns; }
    [[nodiscard]] double wait_ns(const NcclPart& part) const {
        return has_arrival() && part.is_timed() ? ns_from(part.start, last_start) : 0;
    }
};

struct NcclMatches {
    std::vector<const NcclPart*> parts;
    std::vector<NcclMatch> matches; // by communicator, function and sequence
    std::uint64_t alone = 0;        // parts that cannot be matched: sends, receives, communicators without an id
    std::uint64_t ambiguous = 0;    // parts with the same identification as another part of the member

    [[nodiscard]] std::span<const NcclPart* const> parts_of(const NcclMatch& match) const {
        return std::span{parts}.subspan(match.first, match.seen);
    }
};

// `parts` must outlive the result.
NcclMatches match_nccl(const NcclParts& parts);

} // namespace tactus
