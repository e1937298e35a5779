// Adds up NCCL's operations by function and size, by rank that came last, and by rank that waited. Pure except for
// reading the trace.
//
// With a window of the run, only operations that end in it count. Operations are matched in the whole run.
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

// Rates in GB/s, which are bytes per nanosecond. A rate is all bytes divided by all of the time, so long operations
// weigh more.
struct NcclRate {
    std::uint64_t count = 0; // number of operations, or of parts, that count
    double bytes = 0;
    double bus_bytes = 0;
    double ns = 0;
    [[nodiscard]] double algorithm_gbs() const { return ns > 0 ? bytes / ns : 0; }
    [[nodiscard]] double bus_gbs() const { return ns > 0 ? bus_bytes / ns : 0; }
};

// Operations of one function that moved at least `least_bytes`, and less than twice that. Only parts with all of their
// channels, alone in their kernel, and with no stamp left out, count for rates.
struct NcclClass {
    std::string function;
    NcclKind kind{};
    std::uint64_t least_bytes = 0; // a power of two, or 0
    std::uint64_t parts = 0;
    std::uint64_t bytes = 0;                                 // of all parts
    std::array<std::uint64_t, nccl_spans.size()> spans = {}; // number of parts by how much of them is known
    std::uint64_t batched = 0;
    std::uint64_t overrun = 0;
    std::uint64_t host_times = 0;
    std::uint64_t cut = 0;
    NcclLengths length;           // of the parts whose kernels' times are known
    NcclRate by_span;             // of these parts, including the time in which they waited for others
    std::uint64_t operations = 0; // number of matched operations
    std::uint64_t incomplete = 0; // how many of these lack members
    std::uint64_t arrivals = 0;   // in how many of these it is known who came last
    double arrival_ns = 0;        // in all of these, as is the next
    double transfer_ns = 0;
    // From the last arrival on; of operations that lasted longer than the uncertainty of their times.
    NcclRate by_transfer;

    [[nodiscard]] double arrival_share() const {
        const double all = arrival_ns + transfer_ns;
        return all > 0 ? arrival_ns / all : 0;
    }
};

struct NcclLate {
    std::uint32_t rank = 0;
    std::uint64_t last = 0;    // how often it came last
    std::uint64_t certain = 0; // how often of that by more than the uncertainty of the times
    double caused_ns = 0;      // how long all others waited for it
};

struct NcclWait {
    std::uint32_t rank = 0;
    std::string function;
    std::uint32_t causer = 0; // the rank that came last
    std::uint64_t count = 0;
    double ns = 0;
    double longest_ns = 0;
    double within_ns = 0; // the largest uncertainty of any of these waits
};

// All kernels of one name.
struct NcclKernelClass {
    std::string name;
    NcclLengths length;
    std::uint64_t joined = 0; // kernels with an operation, or a group of them, that says when its channels worked
    double joined_ns = 0;     // time of these kernels
    double worked_ns = 0;     // how much of that was between the first channel's start and the last channel's end

    [[nodiscard]] double worked_share() const { return joined_ns > 0 ? worked_ns / joined_ns : 0; }
};

struct NcclSummary {
    std::vector<NcclClass> classes;       // by function, kind and size
    std::vector<NcclLate> late;           // most caused first
    std::vector<NcclWait> waits;          // longest first
    std::vector<NcclKernelClass> kernels; // where CUPTI reported them, longest first
    std::uint64_t parts = 0;
    std::uint64_t matched = 0; // parts that were matched
    std::uint64_t alone = 0;   // parts that cannot be matched
    std::uint64_t ambiguous = 0;
    std::uint64_t operations = 0;
    std::uint64_t incomplete = 0;
    NcclForeign foreign;      // of the whole run, not of the window
    double gpu_within_ns = 0; // the worst of all timed parts, as is the next
    double clock_within_ns = 0;
    std::vector<Error> unreadable;
};

NcclSummary summarize_nccl(const NcclParts& parts, const NcclMatches& matches, const Window& window = {});
NcclSummary summarize_nccl(const Trace& trace, const Window& window = {});

} // namespace tactus
