// Compares a trace with what the fake NCCL host knows to be true.
//
//   nccl_check TRACE TRUTH...
//
// Prints one JSON object: how many operations the truth has; for how many of them there is a record ("matched"), and
// one with exactly the GPU's times ("exact"); how many records deviate from the truth on the CPU's clock by more than
// the error that they state ("outside"); how many records there are by kind, completeness and flag; and the losses.
// Exits with 1 if a record is wrong in itself: leaves are out of order, or numbers are not defined.
#include "trace/nccl.hpp"
#include "trace/rank_file.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

namespace {

using namespace tactus;
using nlohmann::json;

struct Seen {
    std::uint32_t rank = 0; // in the run
    std::string func;
    Record record;
    NcclTag tag;
    NcclWork work;
    std::int64_t enter_ns = 0; // CLOCK_MONOTONIC
    double global_ns = 0;      // on the trace's common clock
    double ns_per_tick = 1;
};
// Communicator, rank in it, function, and either sequence or peer.
using Key = std::tuple<std::string, std::int64_t, std::string, std::int64_t>;

struct Comparison {
    std::optional<double> offset;          // of the trace's clock from the truth, according to the first operation
    std::optional<double> kernel_offset;   // the same according to the first kernel
    std::map<Key, std::vector<Seen>> seen; // not compared yet, in the order in which they were stored
    std::map<std::pair<std::uint32_t, std::int64_t>, Seen> kernels; // by rank and launch
    json counts = json::object();
    std::uint64_t wrong = 0;

    void complain(const std::string& what) {
        if (++wrong <= 10) std::fprintf(stderr, "nccl_check: %s\n", what.c_str());
    }
    void count(const std::string& what, std::uint64_t by = 1) {
        counts[what] = counts.value(what, std::uint64_t{0}) + by;
    }
    void highest(const std::string& what, std::int64_t ns) {
        counts[what] = std::max(counts.value(what, 0.0), 1e-3 * static_cast<double>(ns));
    }
    void read(const Trace& trace, const RankFile& file);
    void take(const Trace& trace, const RankFile& file, const Record& record, std::span<const std::int64_t> words);
    void compare(const std::vector<json>& truths);
    void compare(const json& truth, const Seen& operation);
    void compare_kernel(const json& truth, const Seen& operation);
};

std::string name_of(const RankFile& file, std::uint32_t symbol) {
    for (const Symbol& known : file.definitions().symbols)
        if (known.number == symbol) return known.name.starts_with("NCCL:") ? known.name.substr(5) : known.name;
    return "";
}

double tick_rate(const RankFile& file) {
    const auto& anchors = file.definitions().anchors;
    return ns_per_tick(file.header().timer, anchors.front(), anchors.back());
}

void Comparison::take(const Trace& trace, const RankFile& file, const Record& record,
                      std::span<const std::int64_t> words) {
    if (record.what.kind != Kind::nccl) return;
    const NcclTag tag = NcclTag::of(record.what.tag);
    if (!tag.is_sound()) return complain("a tag means nothing");
    const NcclWork work = NcclWork::from(words);
    const std::string func = name_of(file, record.what.type);
    if (func.empty()) complain("symbol " + std::to_string(record.what.type) + " is not defined");
    count(std::string{"kind "} + nccl_kinds[static_cast<std::size_t>(tag.kind)].name);
    const auto comms = file.definitions().nccl_comms;
    const auto comm = std::find_if(comms.begin(), comms.end(),
                                   [&](const NcclComm& candidate) { return candidate.number == work.comm; });
    if (work.comm != 0 && comm == comms.end())
        complain("communicator " + std::to_string(work.comm) + " is not defined");
    if (tag.has(NcclTag::foreign)) count("foreign");
    if (tag.has(NcclTag::cut)) count("cut");
    const Anchor& anchor = file.definitions().anchors.front();
    const double rate = tick_rate(file);
    const auto since = static_cast<double>(static_cast<std::int64_t>(record.enter - anchor.tick)) * rate;
    const Seen entry{file.header().rank,
                     func,
                     record,
                     tag,
                     work,
                     anchor.monotonic_ns + std::llround(since),
                     1e9 * trace.seconds(file, record.enter),
                     rate};
    if (tag.kind == NcclKind::kernel) {
        if (!kernels.try_emplace({entry.rank, work.parent}, entry).second) complain("a launch has two kernels");
        if (!func.starts_with("ncclDevKernel_")) complain(func + " is no kernel of NCCL's");
        if (tag.has(NcclTag::drawn)) count("kernels drawn");
    }
    if (!is_operation(tag.kind)) return;
    count(nccl_spans[static_cast<std::size_t>(tag.span)]);
    if (tag.has(NcclTag::overrun)) count("overrun");
    if (tag.has(NcclTag::batched)) count("batched");
    if (tag.has(NcclTag::captured)) count("captured");
    if (tag.has(NcclTag::host_times)) count("host times");
    if (tag.kind == NcclKind::group) count("group " + func);
    if (comm == comms.end() || comm->id == 0) return;
    const bool p2p = tag.kind == NcclKind::p2p;
    if (tag.kind == NcclKind::group) return;
    seen[{std::to_string(comm->id), comm->rank, func, p2p ? record.what.peer : work.sequence}].push_back(entry);
}

void Comparison::read(const Trace& trace, const RankFile& file) {
    std::map<std::uint32_t, Ticks> last;
    const auto read = file.for_each_record([&](std::uint32_t lane, const Record& record, auto words) {
        if (record.leave < last[lane] || record.leave < record.enter) complain("leaves are not in order");
        last[lane] = record.leave;
        count("records");
        take(trace, file, record, words);
    });
    if (!read) complain(read.error().line());
    for (const Totals& totals : file.definitions().totals)
        for (std::size_t i = 0; i < totals.lost.size(); ++i)
            count(std::string{"lost "} + losses[i].name, totals.lost[i]);
}

// Sends to the same peer have no sequence, and some may not be recorded. So records with exactly the same times are
// matched first.
void Comparison::compare(const std::vector<json>& truths) {
    std::vector<const json*> left;
    for (const bool by_times : {true, false}) {
        for (const json& truth : truths) {
            const bool p2p = truth["what"] == "p2p";
            const auto found = seen.find({truth["comm"], truth["rank"], truth["func"], truth[p2p ? "peer" : "seq"]});
            const bool any = found != seen.end() && !found->second.empty();
            if (!by_times && std::find(left.begin(), left.end(), &truth) == left.end()) continue;
            auto which = any ? found->second.begin() : std::vector<Seen>::iterator{};
            if (by_times) {
                count("truth");
                if (any)
                    which = std::find_if(found->second.begin(), found->second.end(), [&](const Seen& candidate) {
                        return candidate.work.gpu_start == truth["gpu_start_ns"] &&
                               candidate.work.gpu_stop == truth["gpu_stop_ns"];
                    });
                if (!any || which == found->second.end()) {
                    left.push_back(&truth);
                    continue;
                }
            } else if (!any) {
                count("missing");
                continue;
            }
            compare(truth, *which);
            found->second.erase(which);
        }
    }
}

constexpr std::int64_t rate_error_ns = 200; // how well the timer's rate is known while it runs

// If CUPTI reported the kernel, it is found by the launch that both records name.
void Comparison::compare_kernel(const json& truth, const Seen& operation) {
    const auto found = kernels.find({operation.rank, operation.work.parent});
    if (found == kernels.end()) return;
    count("with kernel");
    const Seen& kernel = found->second;
    const auto start_ns = truth["ran_start_ns"].get<std::int64_t>();
    const std::int64_t length_ns = truth["ran_stop_ns"].get<std::int64_t>() - start_ns;
    const auto length =
        std::llround(static_cast<double>(kernel.record.leave - kernel.record.enter) * kernel.ns_per_tick);
    if (std::llabs(length - length_ns) > rate_error_ns + kernel.work.within_ns)
        complain("the kernel of a " + operation.func + " is " + std::to_string(length - length_ns) + " ns too long");
    const std::int64_t error = kernel.enter_ns - start_ns;
    if (std::llabs(error) > rate_error_ns + kernel.work.within_ns) count("kernels outside");
    // The offset between the ranks.
    const double ahead = kernel.global_ns - static_cast<double>(start_ns);
    if (!kernel_offset) kernel_offset = ahead;
    highest("kernels apart us", std::llround(std::abs(ahead - *kernel_offset)));
    highest("kernel error us", std::llabs(error));
}

void Comparison::compare(const json& truth, const Seen& operation) {
    count("matched");
    if (operation.record.what.bytes != truth["bytes"]) complain("bytes of " + operation.func + " differ");
    const bool all_told = truth["kernel_channels_reported"] == truth["channels"] && truth["lost_starts"] == 0;
    if (all_told) count("all told");
    if (truth["overruns"] != 0) count("truly overrun");
    if (all_told && truth["overruns"] == 0) count("truly full");
    if (operation.tag.span == NcclSpan::full && !all_told) complain(operation.func + " is not as complete as it says");
    compare_kernel(truth, operation);
    if (operation.work.gpu_start == 0) return;
    count("with stamps");
    const bool exact =
        operation.work.gpu_start == truth["gpu_start_ns"] && operation.work.gpu_stop == truth["gpu_stop_ns"];
    if (exact) count("exact");
    if (!exact && operation.tag.span == NcclSpan::full && truth["overruns"] == 0)
        complain("the times of a full " + operation.func + " differ");
    const std::int64_t gpu_ns = operation.work.gpu_stop - operation.work.gpu_start;
    const auto span =
        std::llround(static_cast<double>(operation.record.leave - operation.record.enter) * operation.ns_per_tick);
    if (exact && std::llabs(span - gpu_ns) > rate_error_ns) count("stretched");
    if (!exact) return;
    const auto host_ns = truth["host_start_ns"].get<std::int64_t>();
    const std::int64_t error = operation.enter_ns - host_ns;
    if (std::llabs(error) > operation.work.within_ns + rate_error_ns && !operation.tag.has(NcclTag::overrun))
        count("outside");
    highest("within us", operation.work.within_ns);
    highest("error us", std::llabs(error));
    // The offset between the ranks.
    const double ahead = operation.global_ns - static_cast<double>(host_ns);
    if (!offset) offset = ahead;
    const double difference = std::abs(ahead - *offset);
    highest("apart us", std::llround(difference));
    highest("apart beyond us", std::llround(difference) - operation.work.within_ns);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: nccl_check TRACE TRUTH...\n");
        return 2;
    }
    const auto trace = Trace::open(argv[1]);
    if (!trace) {
        std::fprintf(stderr, "nccl_check: %s\n", trace.error().line().c_str());
        return 2;
    }
    Comparison comparison;
    for (const RankFile& file : trace->ranks) comparison.read(*trace, file);
    std::vector<json> truths;
    for (int i = 2; i < argc; ++i) {
        std::ifstream file{argv[i]};
        if (!file) comparison.complain(std::string{argv[i]} + " cannot be read");
        for (std::string line; std::getline(file, line);)
            if (json truth = json::parse(line); truth["what"] != "api") truths.push_back(std::move(truth));
    }
    comparison.compare(truths);
    comparison.counts["finished"] = trace->finished();
    std::printf("%s\n", comparison.counts.dump().c_str());
    return comparison.wrong > 0 ? 1 : 0;
}
