// Gives lanes to other libraries of tactus in this process.
#include "writer/lane_service.hpp"

#include "base/version.hpp"
#include "collector/selection.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"

namespace tactus {
namespace {

// A thread that never called MPI is recorded if its process is.
bool is_recorded() {
    const bool process_is_off = thread.lane == nullptr && starts_off();
    return session != nullptr && session->live() && !process_is_off && is_time_selected();
}

void store(Lane* lane, const Record& record, const std::int64_t* words, std::size_t count) {
    lane->store(record, {words, count});
}

} // namespace
} // namespace tactus

extern "C" [[gnu::visibility("default")]] const tactus::LaneService* VT_tactus_lane_service() {
    using namespace tactus;
    if (session == nullptr || !session->live()) return nullptr;
    static const LaneService service{
        .version = release(),
        .timer = chosen_timer(),
        .reader = detail::reader,
        .read_anchor = read_anchor,
        .is_recorded = is_recorded,
        .make_lane = [] { return session->lanes().acquire(); },
        .number_of = [](const Lane* lane) { return lane->number(); },
        .store = store,
        .define = [](const Definitions& more) { session->writer().add_definitions(more); },
        .count_loss = [](Loss loss, std::uint64_t count) { session->losses().add(loss, count); },
        .at_end = [](bool (*end)(std::int64_t)) { session->at_end(end); },
    };
    return &service;
}
