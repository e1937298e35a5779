// What NCCL's operations come to: by function and size, by rank that came last, by rank that waited. Pure but for
// reading the trace.
//
// Of a window of the run: operations that end in it. They are matched in the whole run.
#pragma once

#include "postproc/nccl/matches.hpp"
#include "postproc/profile/window.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct NcclLengths {
    std::uint64_t count = 0;
    double total_ns = 0;
    double least_ns = 0;
    double most_ns = 0;
    [[nodiscard]] double mean_ns() const { return count == 0 ? 0 : total_ns / static_cast<double>(count); }
    void add(double ns);
};

// GB/s are bytes a nanosecond. Of all bytes in all of the time, so that long operations weigh more.
struct NcclRate {
    std::uint64_t count = 0; // of operations, or of parts, that it is made of
    double bytes = 0;
    double bus_bytes = 0;
    double ns = 0;
    [[nodiscard]] double algorithm_gbs() const { return ns > 0 ? bytes / ns : 0; }
    [[nodiscard]] double bus_gbs() const { return ns > 0 ? bus_bytes / ns : 0; }
};

// Operations of one function that moved from `least_bytes` up to less than twice that. Only parts with all of their
// channels, alone in their kernel, with no stamp left out, say how fast they were.
struct NcclClass {
    std::string function;
    NcclKind kind{};
    std::uint64_t least_bytes = 0; // a power of two, or 0
    std::uint64_t parts = 0;
    std::uint64_t bytes = 0;                                 // of all parts
    std::array<std::uint64_t, nccl_spans.size()> spans = {}; // parts by how much of them is known
    std::uint64_t batched = 0;
    std::uint64_t overrun = 0;
    std::uint64_t host_times = 0;
    std::uint64_t cut = 0;
    NcclLengths length;           // of the parts whose kernels' times are known
    NcclRate by_span;             // by these, waiting for others included
    std::uint64_t operations = 0; // matched
    std::uint64_t incomplete = 0; // of them: not all members were seen
    std::uint64_t arrivals = 0;   // of them: who came last is known
    double arrival_ns = 0;        // of these
    double transfer_ns = 0;
    NcclRate by_transfer; // from the last arrival on; of operations that lasted longer than their times are uncertain

    [[nodiscard]] double arrival_share() const {
        const double all = arrival_ns + transfer_ns;
        return all > 0 ? arrival_ns / all : 0;
    }
};

struct NcclLate {
    std::uint32_t rank = 0;
    std::uint64_t last = 0;    // how often it came last
    std::uint64_t certain = 0; // of that: later than the times are uncertain
    double caused_ns = 0;      // what all others waited
};

struct NcclWait {
    std::uint32_t rank = 0;
    std::string function;
    std::uint32_t causer = 0; // came last
    std::uint64_t count = 0;
    double ns = 0;
    double longest_ns = 0;
    double within_ns = 0; // no wait of these is further off
};

// Kernels of one name.
struct NcclKernelClass {
    std::string name;
    NcclLengths length;
    std::uint64_t joined = 0; // to an operation, or a group of them, that says when its channels worked
    double joined_ns = 0;     // these kernels' time
    double worked_ns = 0;     // of that, from the first channel's start to the last one's end

    [[nodiscard]] double worked_share() const { return joined_ns > 0 ? worked_ns / joined_ns : 0; }
};

struct NcclSummary {
    std::vector<NcclClass> classes;       // by function, kind and size
    std::vector<NcclLate> late;           // most caused first
    std::vector<NcclWait> waits;          // longest first
    std::vector<NcclKernelClass> kernels; // where CUPTI told of them, longest first
    std::uint64_t parts = 0;
    std::uint64_t matched = 0; // of them
    std::uint64_t alone = 0;   // cannot be matched
    std::uint64_t ambiguous = 0;
    std::uint64_t operations = 0;
    std::uint64_t incomplete = 0;
    NcclForeign foreign;      // of the whole run
    double gpu_within_ns = 0; // the worst of all parts that are timed; as the next
    double clock_within_ns = 0;
    std::vector<Error> unreadable;
};

NcclSummary summarize_nccl(const NcclParts& parts, const NcclMatches& matches, const Window& window = {});
NcclSummary summarize_nccl(const Trace& trace, const Window& window = {});

} // namespace tactus
