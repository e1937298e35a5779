#include "cli/report/nccl_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

constexpr double s_of_ns = 1e-9;

Object finite(double value) { return std::isfinite(value) ? Object(value) : Object(nullptr); }

// A bandwidth that is not known is null.
Object rate_json(const NcclRate& rate) {
    const auto known = [](double gbs) { return gbs > 0 ? Object(gbs) : Object(nullptr); };
    return {{"count", rate.count}, {"algbw_gbs", known(rate.algorithm_gbs())}, {"busbw_gbs", known(rate.bus_gbs())}};
}

Object class_json(const NcclClass& nccl_class) {
    Object row = {{"operation", nccl_class_text(nccl_class)},
                  {"function", nccl_class.function},
                  {"kind", nccl_kinds[static_cast<std::size_t>(nccl_class.kind)].name},
                  {"least_bytes", nccl_class.least_bytes},
                  {"count", nccl_class.parts},
                  {"bytes", nccl_class.bytes},
                  {"time_s", nccl_class.length.total_ns * s_of_ns},
                  {"min_s", nccl_class.length.least_ns * s_of_ns},
                  {"avg_s", nccl_class.length.mean_ns() * s_of_ns},
                  {"max_s", nccl_class.length.most_ns * s_of_ns},
                  {"timed", nccl_class.length.count},
                  {"operations", nccl_class.operations},
                  {"incomplete", nccl_class.incomplete},
                  {"arrivals", nccl_class.arrivals},
                  {"arrival_s", nccl_class.arrival_ns * s_of_ns},
                  {"transfer_s", nccl_class.transfer_ns * s_of_ns},
                  {"arrival_share", nccl_class.arrivals > 0 ? Object(nccl_class.arrival_share()) : Object(nullptr)}};
    row["from_last_arrival"] = rate_json(nccl_class.by_transfer);
    row["with_waits"] = rate_json(nccl_class.by_span);
    for (std::size_t i = static_cast<std::size_t>(NcclSpan::full); i < nccl_spans.size(); ++i)
        row["known"][nccl_spans[i]] = nccl_class.spans[i];
    row["batched"] = nccl_class.batched;
    row["overrun"] = nccl_class.overrun;
    row["host_times"] = nccl_class.host_times;
    row["cut"] = nccl_class.cut;
    return row;
}

} // namespace

Object nccl_json(const NcclSummary& nccl) {
    Object all = {{"parts", nccl.parts},
                  {"matched", nccl.matched},
                  {"operations_matched", nccl.operations},
                  {"incomplete", nccl.incomplete},
                  {"cannot_match", nccl.alone},
                  {"ambiguous", nccl.ambiguous},
                  {"proxy_for_others", {{"joined", nccl.foreign.joined}, {"unjoined", nccl.foreign.unjoined}}},
                  {"gpu_within_ns", nccl.gpu_within_ns},
                  {"clock_within_ns", finite(nccl.clock_within_ns)},
                  {"within", nccl_within_text(nccl)}};
    all["operations"] = Object::array();
    for (const NcclClass& nccl_class : nccl.classes) all["operations"].push_back(class_json(nccl_class));
    all["kernels"] = Object::array();
    for (const NcclKernelClass& kernel_class : nccl.kernels)
        all["kernels"].push_back(
            {{"name", kernel_class.name},
             {"count", kernel_class.length.count},
             {"time_s", kernel_class.length.total_ns * s_of_ns},
             {"min_s", kernel_class.length.least_ns * s_of_ns},
             {"avg_s", kernel_class.length.mean_ns() * s_of_ns},
             {"max_s", kernel_class.length.most_ns * s_of_ns},
             {"joined", kernel_class.joined},
             {"working_share", kernel_class.joined > 0 ? Object(kernel_class.worked_share()) : Object(nullptr)}});
    all["late"] = Object::array();
    for (const NcclLate& late_rank : nccl.late)
        all["late"].push_back({{"rank", late_rank.rank},
                               {"last", late_rank.last},
                               {"certain", late_rank.certain},
                               {"caused_s", late_rank.caused_ns * s_of_ns}});
    all["waits"] = Object::array();
    for (const NcclWait& wait : nccl.waits)
        all["waits"].push_back({{"rank", wait.rank},
                                {"function", wait.function},
                                {"causer", wait.causer},
                                {"count", wait.count},
                                {"seconds", wait.ns * s_of_ns},
                                {"longest_s", wait.longest_ns * s_of_ns},
                                {"within_s", finite(wait.within_ns * s_of_ns)}});
    return all;
}

} // namespace tactus
