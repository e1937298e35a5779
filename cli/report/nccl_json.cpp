#include "cli/report/nccl_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

constexpr double s_of_ns = 1e-9;

Object finite(double value) { return std::isfinite(value) ? Object(value) : Object(nullptr); }

// Null where nothing says it.
Object rate_json(const NcclRate& rate) {
    const auto known = [](double gbs) { return gbs > 0 ? Object(gbs) : Object(nullptr); };
    return {{"count", rate.count}, {"algbw_gbs", known(rate.algorithm_gbs())}, {"busbw_gbs", known(rate.bus_gbs())}};
}

Object class_json(const NcclClass& one) {
    Object row = {{"operation", nccl_class_text(one)},
                  {"function", one.function},
                  {"kind", nccl_kinds[static_cast<std::size_t>(one.kind)].name},
                  {"least_bytes", one.least_bytes},
                  {"count", one.parts},
                  {"bytes", one.bytes},
                  {"time_s", one.length.total_ns * s_of_ns},
                  {"min_s", one.length.least_ns * s_of_ns},
                  {"avg_s", one.length.mean_ns() * s_of_ns},
                  {"max_s", one.length.most_ns * s_of_ns},
                  {"timed", one.length.count},
                  {"operations", one.operations},
                  {"incomplete", one.incomplete},
                  {"arrivals", one.arrivals},
                  {"arrival_s", one.arrival_ns * s_of_ns},
                  {"transfer_s", one.transfer_ns * s_of_ns},
                  {"arrival_share", one.arrivals > 0 ? Object(one.arrival_share()) : Object(nullptr)}};
    row["from_last_arrival"] = rate_json(one.by_transfer);
    row["with_waits"] = rate_json(one.by_span);
    for (std::size_t i = static_cast<std::size_t>(NcclSpan::full); i < nccl_spans.size(); ++i)
        row["known"][nccl_spans[i]] = one.spans[i];
    row["batched"] = one.batched;
    row["overrun"] = one.overrun;
    row["host_times"] = one.host_times;
    row["cut"] = one.cut;
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
    for (const NcclClass& one : nccl.classes) all["operations"].push_back(class_json(one));
    all["kernels"] = Object::array();
    for (const NcclKernelClass& one : nccl.kernels)
        all["kernels"].push_back({{"name", one.name},
                                  {"count", one.length.count},
                                  {"time_s", one.length.total_ns * s_of_ns},
                                  {"min_s", one.length.least_ns * s_of_ns},
                                  {"avg_s", one.length.mean_ns() * s_of_ns},
                                  {"max_s", one.length.most_ns * s_of_ns},
                                  {"joined", one.joined},
                                  {"working_share", one.joined > 0 ? Object(one.worked_share()) : Object(nullptr)}});
    all["late"] = Object::array();
    for (const NcclLate& one : nccl.late)
        all["late"].push_back(
            {{"rank", one.rank}, {"last", one.last}, {"certain", one.certain}, {"caused_s", one.caused_ns * s_of_ns}});
    all["waits"] = Object::array();
    for (const NcclWait& one : nccl.waits)
        all["waits"].push_back({{"rank", one.rank},
                                {"function", one.function},
                                {"causer", one.causer},
                                {"count", one.count},
                                {"seconds", one.ns * s_of_ns},
                                {"longest_s", one.longest_ns * s_of_ns},
                                {"within_s", finite(one.within_ns * s_of_ns)}});
    return all;
}

} // namespace tactus
