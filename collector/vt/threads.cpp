#include "collector/vt/threads.hpp"

#include "base/locked.hpp"
#include "collector/vt/state.hpp"

#include <linux/membarrier.h>
#include <new>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; // for the list and every index in it
VtThread* list = nullptr;

void store_open(VtThread& vt_thread) {
    // Scopes and regions end now, the innermost region first.
    for (; vt_thread.scopes.size() > 0; vt_thread.scopes.drop())
        store_region(*vt_thread.lane, vt_thread.scopes.back(), VT_NOSCL, flag::unfinished);
    for (; vt_thread.regions.size() > 0; vt_thread.regions.drop())
        store_region(*vt_thread.lane, vt_thread.regions.back(), VT_NOSCL, flag::unfinished);
    vt_thread.lane->show_regions(0);
}

} // namespace

VtThread* make_vt_thread() {
    Lane* const lane = thread.lane != nullptr ? thread.lane : lane_of_this_thread();
    if (lane == nullptr) return nullptr;
    auto* const own = new (std::nothrow) VtThread;
    if (own == nullptr) return nullptr;
    if (thread.end_rounds > 0) session->lanes().keep(*lane);
    own->lane = lane;
    own->number = lane->number();
    const Locked hold{list_lock};
    own->next = list;
    list = own;
    thread.vt = own;
    return own;
}

int register_vt_thread(VtThread& own, int index) {
    const Locked hold{list_lock};
    if (own.index == index) return VT_OK;
    if (own.index >= 0) return VT_ERR_BADARG;
    for (const VtThread* other = list; other != nullptr; other = other->next)
        if (other->index == index) return VT_ERR_BADINDEX;
    own.index = index;
    return VT_OK;
}

void store_region(Lane& lane, const OpenRegion& region, std::int32_t end_scl, std::uint8_t flags) { // hot
    if (region.enter == 0) [[unlikely]]
        return;
    lane.reaches_back(region.enter);
    Record& record = lane.slot();
    record.leave = lane.stamp();
    record.request = 0;
    record.what = {.place = region.call_site,
                   .bytes = static_cast<std::uint64_t>(end_scl),
                   .tag = region.scl,
                   .type = region.symbol,
                   .kind = Kind::region,
                   .flags = flags};
    // The enter tick is stored last, as in Call::begin(): a reader from outside sees what the slot is before it seems
    // to be open.
    std::atomic_ref{record.enter}.store(region.enter, std::memory_order_release);
    lane.publish();
}

namespace {

enum class Others { none, out, busy };

Others others_now() {
    const Locked hold{list_lock};
    Others answer = Others::none;
    for (const VtThread* other = list; other != nullptr; other = other->next) {
        if (other == thread.vt) continue;
        if (other->busy.load(std::memory_order_acquire)) return Others::busy; // pairs with the release in ~Inside()
        answer = Others::out;
    }
    return answer;
}

} // namespace

bool vt_threads_are_out() {
    if (others_now() == Others::none) return true;
    // After this barrier every thread either sees that recording has ended, or is seen to be busy. The barrier spares
    // threads a fence in every call. Where the kernel refuses it, this waits a millisecond, far longer than a store
    // takes.
    const timespec pause{0, 1'000'000};
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) nanosleep(&pause, nullptr);
    constexpr int patience = 1000;
    for (int i = 0; i < patience; ++i) {
        if (others_now() != Others::busy) return true;
        nanosleep(&pause, nullptr);
    }
    return false;
}

void store_open_regions(VtThread* own) {
    if (own != nullptr) {
        store_open(*own);
        return;
    }
    const Locked hold{list_lock};
    for (VtThread* each = list; each != nullptr; each = each->next) store_open(*each);
}

void end_vt_thread() {
    VtThread* const own = thread.vt;
    if (own == nullptr) return;
    {
        const Inside inside;
        if (inside.own() != nullptr && inside.may_record()) store_open(*own);
    }
    thread.vt = nullptr;
    {
        const Locked hold{list_lock};
        VtThread** link = &list;
        while (*link != own) link = &(*link)->next;
        *link = own->next;
    }
    delete own;
}

} // namespace tactus
