#include "postproc/replay/partitioned.hpp"

#include "trace/shapes.hpp"

#include <algorithm>

namespace tactus {

void Partitioned::prepare(const Record& record, std::uint32_t lane) {
    const Signature& what = record.what;
    Pairs& pairs = envelopes_[{what.comm, what.peer, what.tag, is_send(shape_of(what.function))}];
    if (pairs.count == 0) pairs.lane = lane;
    pairs.threads = pairs.threads || pairs.lane != lane;
    pairs_[record.request] = ++pairs.count;
}

void Partitioned::start(const Started& started, std::uint32_t lane, Ticks enter) {
    starts_[started.request] = {
        .envelope = {started.comm, started.peer, started.tag, is_send(shape_of(started.function))},
        .request = started.request,
        .prepared = started.prepared,
        .lane = lane,
        .enter = enter,
        .ready = {}};
}

void Partitioned::ready(std::uint64_t request, Ticks enter) {
    Ticks& last = ready_[request];
    last = std::max(last, enter);
}

} // namespace tactus
