#include "postproc/export/otf2_stamps.hpp"

#include "postproc/export/otf2_callbacks.hpp"
#include "trace/time_map.hpp"

#include <numeric>

namespace tactus {
namespace {

struct Found {
    std::uint64_t reference = 0; // any stamp
    std::uint64_t earliest = ~std::uint64_t{0};
    std::uint64_t latest = 0;
    std::uint64_t step = 0; // the largest of which all differences are multiples; 0: all stamps are equal
    std::uint64_t most_equal = 0;
    std::uint64_t last = 0; // of this location, as is the next
    std::uint64_t equal = 0;

    void add(std::uint64_t stamp) {
        if (latest == 0) reference = stamp;
        step = std::gcd(step, stamp > reference ? stamp - reference : reference - stamp);
        earliest = std::min(earliest, stamp);
        latest = std::max(latest, stamp);
        equal = stamp <= last ? equal + 1 : 1;
        last = std::max(last, stamp);
        most_equal = std::max(most_equal, equal);
    }
};

template <class... Rest>
OTF2_CallbackCode on_event(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, OTF2_AttributeList*,
                           Rest...) {
    static_cast<Found*>(data)->add(time);
    return OTF2_CALLBACK_SUCCESS;
}

Otf2Callbacks callbacks_of_stamps() {
    Otf2Callbacks callbacks = new_otf2_callbacks();
    OTF2_EvtReaderCallbacks* const to = callbacks.get();
    OTF2_EvtReaderCallbacks_SetEnterCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, on_event);
    OTF2_EvtReaderCallbacks_SetMetricCallback(to, on_event);
    return callbacks;
}

} // namespace

Result<Otf2Stamps> Otf2Stamps::find(const Otf2Archive& archive) {
    Otf2Stamps stamps{archive.content()};
    if (archive.by_tactus()) return stamps;
    const Otf2Callbacks callbacks = callbacks_of_stamps();
    Found found;
    for (const auto& [location, description] : archive.content().locations) {
        found.last = found.equal = 0;
        if (Outcome read = archive.read_events(location, callbacks.get(), &found); !read) return read.error();
    }
    if (found.most_equal < 2) return stamps;
    stamps.step_ = std::max<std::uint64_t>(found.step, 1);
    stamps.choose(std::min(found.earliest, archive.content().offset), found.latest, found.most_equal);
    return stamps;
}

// Chooses the least factor that has room for all equal stamps. It ends where ticks would be finer than global time, or
// too many; then later ones of the equal stamps are moved.
void Otf2Stamps::choose(std::uint64_t earliest, std::uint64_t latest, std::uint64_t most_equal) {
    constexpr std::uint64_t second_ns = 1'000'000'000;
    constexpr std::uint64_t most_ticks = std::uint64_t{1} << 61;
    const std::uint64_t finest = static_cast<std::uint64_t>(time_units_per_ns) * second_ns;
    const std::uint64_t room = 2 * most_equal + 2; // an event outside of a call has two ticks; one is a comment's
    earliest_ = earliest;
    while (step_ * factor_ < room && 2 * factor_ <= finest / per_second_ &&
           latest - earliest < most_ticks / (2 * factor_))
        factor_ *= 2;
    first_tick_ = ticks_per_stamp();
    // The origin must be a whole number of steps before every stamp, also where the archive's clock begins in between.
    origin_ = latest - (latest - earliest + step_ - 1) / step_ * step_;
}

} // namespace tactus
