#include "collector/vt/recording.hpp"

#include "collector/selection.hpp"
#include "collector/vt/names.hpp"
#include "collector/vt/state.hpp"
#include "collector/vt/threads.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace tactus {
namespace {

// The source location of what is recorded now: its own, else the one that VT_thisloc set.
std::int32_t location(VtThread& own, int scl) { // hot
    const std::int32_t next = std::exchange(own.next_scl, 0);
    return scl != VT_NOSCL ? number_of_location(scl) : next;
}

// When a region or scope begins; 0 when it is not recorded.
Ticks begin_tick(const Inside& inside, std::uint32_t symbol) { // hot
    if (symbol == 0) [[unlikely]]
        return 0;
    if (selective.load(std::memory_order_relaxed) && !is_symbol_selected(symbol)) [[unlikely]]
        return 0;
    if (!inside.may_record()) [[unlikely]] {
        session->losses().add(Loss::inside_call);
        return 0;
    }
    inside.own()->lane->end_repeats();
    return thread.begun = inside.own()->lane->stamp(); // see Call::latest_equal()
}

// False inside an MPI call, where nothing can be recorded. That is counted as a loss.
bool may_store(const Inside& inside) { // hot
    if (inside.may_record()) [[likely]]
        return true;
    session->losses().add(Loss::inside_call);
    return false;
}

// `end` is the number of the location where the region or scope ends.
void end_with(const Inside& inside, const OpenRegion& region, std::int32_t end, std::uint8_t flags) { // hot
    if (region.enter == 0 || may_store(inside)) store_region(*inside.own()->lane, region, end, flags);
}

int end_innermost(const Inside& inside, int scl) { // hot
    VtThread& own = *inside.own();
    if (own.unkept > 0) [[unlikely]] {
        --own.unkept;
        return VT_OK;
    }
    if (own.regions.size() == 0) [[unlikely]]
        return refused(VT_ERR_NOTOPEN);
    end_with(inside, own.regions.back(), location(own, scl), 0);
    own.regions.drop();
    own.lane->show_regions(own.regions.size());
    return VT_OK;
}

EndedEarly* ended_early(VtThread& own, std::uint32_t symbol) {
    for (std::size_t i = 0; i < own.ended_early.size(); ++i)
        if (own.ended_early[i].symbol == symbol) return &own.ended_early[i];
    return nullptr;
}

// Ends the innermost region, which ends as unfinished because a region around it ends.
void end_early(const Inside& inside) {
    VtThread& own = *inside.own();
    const OpenRegion region = own.regions.back();
    own.regions.drop();
    end_with(inside, region, 0, flag::unfinished);
    if (EndedEarly* const known = ended_early(own, region.symbol))
        ++known->count;
    else
        (void)own.ended_early.push({.symbol = region.symbol, .count = 1}); // at worst its own end ends another region
}

// Ends the open region of this symbol, which is not the innermost, and all regions inside it. Timers of a program may
// overlap: then the ends of those regions come later, and end nothing. When no region of the symbol is open, the
// innermost region ends, because the handle means nothing in Intel's library.
int end_named(const Inside& inside, std::uint32_t symbol, int scl) {
    VtThread& own = *inside.own();
    std::size_t depth = own.regions.size();
    while (depth > 0 && own.regions[depth - 1].symbol != symbol) --depth;
    if (depth == 0) {
        EndedEarly* const early = ended_early(own, symbol);
        if (early == nullptr || early->count == 0) return end_innermost(inside, scl);
        --early->count;
        return VT_OK;
    }
    while (own.regions.size() > depth) end_early(inside);
    return end_innermost(inside, scl);
}

} // namespace

int begin_region(int id, int scl, const void* call_site) { // hot
    if (!vt_records()) [[unlikely]]
        return refused(vt_idle());
    const std::uint32_t symbol = vt_names.symbol(id);
    const Inside inside;
    VtThread* const own = inside.own();
    if (own == nullptr) [[unlikely]]
        return inside.refusal();
    // A region without a name is kept open, too, so that its end does not end another one.
    const OpenRegion region{.enter = begin_tick(inside, symbol),
                            .call_site = call_place(call_site),
                            .symbol = symbol,
                            .scl = location(*own, scl),
                            .sequence = 0};
    if (own->regions.push(region)) [[likely]] {
        own->lane->show_region(own->regions.size() - 1, region.enter, symbol, region.scl, region.call_site);
    } else {
        ++own->unkept;
        session->losses().add(Loss::region_too_deep);
    }
    return symbol != 0 ? VT_OK : refused(VT_ERR_BADARG);
}

int end_region(int id, int scl) { // hot
    if (!vt_records()) [[unlikely]]
        return refused(vt_idle());
    const std::uint32_t symbol = vt_names.symbol(id);
    const Inside inside;
    VtThread* const own = inside.own();
    if (own == nullptr) [[unlikely]]
        return inside.refusal();
    const bool innermost = own->regions.size() > 0 && own->regions.back().symbol == symbol;
    if (!innermost && symbol != 0 && own->unkept == 0) [[unlikely]]
        return end_named(inside, symbol, scl);
    return end_innermost(inside, scl);
}

int leave_region(int scl) { // hot
    if (!vt_records()) [[unlikely]]
        return refused(vt_idle());
    const Inside inside;
    return inside.own() != nullptr ? end_innermost(inside, scl) : inside.refusal();
}

int begin_scope(int id, int scl, int* seqnr, const void* call_site) {
    if (!vt_records()) {
        if (seqnr != nullptr) *seqnr = 0;
        return refused(vt_idle());
    }
    const std::uint32_t symbol = vt_names.scope(id);
    if (symbol == 0) return refused(VT_ERR_BADARG);
    const Inside inside;
    VtThread* const own = inside.own();
    if (own == nullptr) return inside.refusal();
    constexpr std::uint64_t most = 0x7fffffff;
    const std::uint64_t sequence = own->last_scope = own->last_scope % most + 1;
    if (seqnr != nullptr) *seqnr = static_cast<int>(sequence);
    const bool kept = own->scopes.push({.enter = begin_tick(inside, symbol),
                                        .call_site = call_place(call_site),
                                        .symbol = symbol,
                                        .scl = location(*own, scl),
                                        .sequence = sequence});
    if (!kept) session->losses().add(Loss::region_too_deep);
    return kept ? VT_OK : VT_ERR_NOMEMORY;
}

int end_scope(int id, int seqnr, int scl) {
    if (!vt_records()) return refused(vt_idle());
    const std::uint32_t symbol = vt_names.scope(id);
    if (symbol == 0 || seqnr < 0) return refused(VT_ERR_BADARG);
    const Inside inside;
    VtThread* const own = inside.own();
    if (own == nullptr) return inside.refusal();
    for (std::size_t i = own->scopes.size(); i-- > 0;) {
        const OpenRegion scope = own->scopes[i];
        if (scope.symbol != symbol || (seqnr != 0 && scope.sequence != static_cast<std::uint64_t>(seqnr))) continue;
        end_with(inside, scope, location(*own, scl), 0);
        own->scopes.erase(i);
        return VT_OK;
    }
    return refused(VT_ERR_NOTOPEN);
}

namespace {

std::uint64_t bits_at(const void* values, int index, bool in_halves) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(values) + sizeof bits * static_cast<std::size_t>(index), sizeof bits);
    return in_halves ? bits << 32 | bits >> 32 : bits; // the high half lies first
}

// Another thread may be defining the same counter, and so be writing the same handle.
int handle_at(const int* handles, int index) { return __atomic_load_n(handles + index, __ATOMIC_RELAXED); }

} // namespace

int count_values(int count, const int* handles, const void* values, const void* call_site) {
    if (!vt_records()) [[unlikely]]
        return refused(vt_idle());
    if (count < 0 || (count > 0 && (handles == nullptr || values == nullptr))) return refused(VT_ERR_BADARG);
    for (int i = 0; i < count; ++i)
        if (!vt_names.is_counter(handle_at(handles, i))) return refused(VT_ERR_BADARG);
    const bool selects = selective.load(std::memory_order_relaxed);
    if (selects && !is_time_selected()) return VT_OK;
    const Inside inside;
    VtThread* const own = inside.own();
    if (own == nullptr) return inside.refusal();
    if (!may_store(inside)) return VT_OK;
    const std::int32_t scl = location(*own, VT_NOSCL);
    for (int i = 0; i < count; ++i) {
        const int counter = handle_at(handles, i);
        const auto number = static_cast<std::uint32_t>(counter & ~halves_bit);
        if (selects && !is_counter_selected(number)) continue;
        Record& record = own->lane->slot();
        const Ticks tick = own->lane->stamp();
        record.leave = tick;
        record.request = 0;
        record.what = {.place = call_place(call_site),
                       .bytes = bits_at(values, i, (counter & halves_bit) != 0),
                       .tag = scl,
                       .type = number,
                       .kind = Kind::counter};
        std::atomic_ref{record.enter}.store(tick, std::memory_order_release);
        own->lane->publish();
    }
    return VT_OK;
}

int note_comment(std::string_view text, const void* call_site) {
    if (!vt_records()) return refused(vt_idle());
    if (selective.load(std::memory_order_relaxed) && !is_time_selected()) return VT_OK;
    const Inside inside;
    VtThread* const own = inside.own();
    if (own == nullptr) return inside.refusal();
    if (!may_store(inside)) return VT_OK;
    std::vector<std::int64_t> words;
    append_text(words, text);
    Record record;
    record.enter = record.leave = own->lane->stamp();
    record.what = {
        .place = call_place(call_site), .bytes = text.size(), .tag = location(*own, VT_NOSCL), .kind = Kind::comment};
    own->lane->note(record, words);
    return VT_OK;
}

int set_next_scl(int scl) {
    if (!vt_records()) return vt_idle();
    const Inside inside;
    VtThread* const own = inside.own();
    if (own == nullptr) return inside.refusal();
    own->next_scl = number_of_location(scl);
    return VT_OK;
}

} // namespace tactus
