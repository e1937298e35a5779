#include "postproc/nccl/summary.hpp"

#include "postproc/nccl/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace tactus {
namespace {

bool is_measured(const NcclPart& part) {
    return part.tag.span == NcclSpan::full && (part.tag.flags & (NcclTag::batched | NcclTag::overrun)) == 0;
}

void add_rate(NcclRate& rate, const NcclFactors& factors, std::uint64_t bytes, double ns) {
    ++rate.count;
    rate.bytes += static_cast<double>(bytes) * factors.bytes;
    rate.bus_bytes += static_cast<double>(bytes) * factors.bytes * factors.bus;
    rate.ns += ns;
}

class Summing {
  public:
    Summing(const NcclParts& all, const NcclMatches& matches, const Window& window)
        : all_{all}, matches_{matches}, window_{window} {}

    NcclSummary run() {
        for (const NcclPart& part : all_.parts)
            if (holds(part.end)) add(part);
        for (const NcclMatch& match : matches_.matches)
            if (holds(end_of(match))) add(match);
        for (const NcclKernel& kernel : all_.kernels)
            if (holds(kernel.end)) add(kernel);
        out_.alone = matches_.alone;
        out_.ambiguous = matches_.ambiguous;
        out_.foreign = all_.foreign;
        out_.unreadable = all_.unreadable;
        for (auto& [key, nccl_class] : classes_) out_.classes.push_back(std::move(nccl_class));
        for (const auto& [rank, late] : late_) out_.late.push_back(late);
        for (const auto& [key, wait] : waits_) out_.waits.push_back(wait);
        for (const auto& [function, kernel] : kernels_) out_.kernels.push_back(kernel);
        std::stable_sort(
            out_.kernels.begin(), out_.kernels.end(),
            [](const NcclKernelClass& a, const NcclKernelClass& b) { return a.length.total_ns > b.length.total_ns; });
        std::stable_sort(out_.late.begin(), out_.late.end(),
                         [](const NcclLate& a, const NcclLate& b) { return a.caused_ns > b.caused_ns; });
        std::stable_sort(out_.waits.begin(), out_.waits.end(),
                         [](const NcclWait& a, const NcclWait& b) { return a.ns > b.ns; });
        return std::move(out_);
    }

  private:
    [[nodiscard]] bool holds(GlobalTime time) const {
        return (!window_.from || time >= *window_.from) && (!window_.to || time < *window_.to);
    }
    [[nodiscard]] GlobalTime end_of(const NcclMatch& match) const {
        if (match.timed > 0) return match.end;
        GlobalTime end = matches_.parts_of(match).front()->end;
        for (const NcclPart* part : matches_.parts_of(match)) end = std::max(end, part->end);
        return end;
    }

    NcclClass& class_of(std::uint32_t function, NcclKind kind, std::uint64_t bytes) {
        const std::string& name = all_.functions[function];
        const std::uint64_t least = std::bit_floor(bytes);
        NcclClass& nccl_class = classes_[{name, kind, least}];
        nccl_class.function = name;
        nccl_class.kind = kind;
        nccl_class.least_bytes = least;
        return nccl_class;
    }

    [[nodiscard]] NcclFactors factors_of(NcclKind kind, std::uint32_t function, std::uint32_t comm) const {
        return nccl_factors(kind, all_.functions[function], all_.comms[comm].ranks);
    }

    void add(const NcclPart& part) {
        NcclClass& nccl_class = class_of(part.function, part.tag.kind, part.bytes);
        ++out_.parts;
        ++nccl_class.parts;
        nccl_class.bytes += part.bytes;
        ++nccl_class.spans[static_cast<std::size_t>(part.tag.span)];
        nccl_class.batched += part.tag.has(NcclTag::batched) ? 1 : 0;
        nccl_class.overrun += part.tag.has(NcclTag::overrun) ? 1 : 0;
        nccl_class.host_times += part.tag.has(NcclTag::host_times) ? 1 : 0;
        nccl_class.cut += part.tag.has(NcclTag::cut) ? 1 : 0;
        if (!part.is_timed()) return;
        const double ns = std::max(part.length_ns(), 0.0);
        nccl_class.length.add(ns);
        if (is_measured(part) && ns > 0)
            add_rate(nccl_class.by_span, factors_of(part.tag.kind, part.function, part.comm), part.bytes, ns);
        out_.gpu_within_ns = std::max(out_.gpu_within_ns, part.gpu_within_ns);
        out_.clock_within_ns = std::max(out_.clock_within_ns, part.clock_within_ns);
    }

    void add(const NcclKernel& kernel) {
        NcclKernelClass& kernel_class = kernels_[kernel.function];
        kernel_class.name = all_.functions[kernel.function];
        kernel_class.length.add(kernel.length_ns);
        if (!kernel.joined) return;
        ++kernel_class.joined;
        kernel_class.joined_ns += kernel.length_ns;
        kernel_class.worked_ns += kernel.worked_ns;
    }

    void add(const NcclMatch& match) {
        NcclClass& nccl_class = class_of(match.function, match.kind, match.bytes);
        ++nccl_class.operations;
        ++out_.operations;
        out_.matched += match.seen;
        nccl_class.incomplete += match.has_all() ? 0 : 1;
        out_.incomplete += match.has_all() ? 0 : 1;
        if (!match.has_arrival()) return;
        ++nccl_class.arrivals;
        nccl_class.arrival_ns += match.arrival_ns();
        nccl_class.transfer_ns += match.transfer_ns();
        const auto parts = matches_.parts_of(match);
        const bool measured = match.has_all() && std::all_of(parts.begin(), parts.end(),
                                                             [](const auto* part) { return is_measured(*part); });
        if (measured && match.transfer_ns() > match.within_ns())
            add_rate(nccl_class.by_transfer, factors_of(match.kind, match.function, match.comm), match.bytes,
                     match.transfer_ns());
        add_waits(match);
    }

    void add_waits(const NcclMatch& match) {
        const NcclPart& causer = *matches_.parts[match.late];
        NcclLate& late = late_[causer.rank];
        late.rank = causer.rank;
        ++late.last;
        late.certain += is_certain(match, causer) ? 1 : 0;
        for (const NcclPart* part : matches_.parts_of(match)) {
            const double ns = match.wait_ns(*part);
            if (part == &causer || ns <= 0) continue;
            late.caused_ns += ns;
            NcclWait& wait = waits_[{part->rank, match.function, causer.rank}];
            wait.rank = part->rank;
            wait.function = all_.functions[match.function];
            wait.causer = causer.rank;
            ++wait.count;
            wait.ns += ns;
            wait.longest_ns = std::max(wait.longest_ns, ns);
            wait.within_ns = std::max(wait.within_ns, part->within_ns() + causer.within_ns());
        }
    }

    // Whether no other member may have come last, however wrong the times are within their bounds.
    [[nodiscard]] bool is_certain(const NcclMatch& match, const NcclPart& causer) const {
        const auto parts = matches_.parts_of(match);
        return match.has_all() && match.timed == match.seen &&
               std::all_of(parts.begin(), parts.end(), [&](const NcclPart* part) {
                   return part == &causer || match.wait_ns(*part) > part->within_ns() + causer.within_ns();
               });
    }

    const NcclParts& all_;
    const NcclMatches& matches_;
    const Window& window_;
    NcclSummary out_;
    std::map<std::tuple<std::string, NcclKind, std::uint64_t>, NcclClass> classes_;
    std::map<std::uint32_t, NcclKernelClass> kernels_; // by function
    std::map<std::uint32_t, NcclLate> late_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, NcclWait> waits_; // rank, function, causer
};

} // namespace

void NcclLengths::add(double ns) {
    least_ns = count == 0 ? ns : std::min(least_ns, ns);
    most_ns = std::max(most_ns, ns);
    total_ns += ns;
    ++count;
}

NcclSummary summarize_nccl(const NcclParts& parts, const NcclMatches& matches, const Window& window) {
    return Summing{parts, matches, window}.run();
}

NcclSummary summarize_nccl(const Trace& trace, const Window& window) {
    const NcclParts parts = read_nccl(trace);
    return summarize_nccl(parts, match_nccl(parts), window);
}

} // namespace tactus
