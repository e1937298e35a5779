// Defines what the application gives a name to. Each definition is stored among the records of the thread that made it,
// so that the trace of a killed run has it. The closing definitions repeat them all.
#include "collector/selection.hpp"
#include "collector/vt/names.hpp"
#include "collector/vt/recording.hpp"
#include "collector/vt/state.hpp"
#include "collector/vt/threads.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace tactus {
namespace {

void note_definition(const Inside& inside, SymbolTable table, std::uint32_t number,
                     const std::vector<std::int64_t>& words) {
    if (!inside.may_record() || inside.own() == nullptr) return;
    Lane& lane = *inside.own()->lane;
    Record record;
    record.enter = record.leave = lane.stamp();
    record.what = {.tag = static_cast<std::int32_t>(table), .type = number, .kind = Kind::symbol};
    lane.note(record, words);
}

bool is_parent(int classhandle) { return classhandle == VT_NOCLASS || vt_names.is_class(classhandle); }
bool has_letters(std::string_view name) { return name.find_first_not_of(':') != std::string_view::npos; }

// Make the symbol or counter known to the filters, and store the definition.
void note(const Inside& inside, const Symbol& symbol) {
    select_symbol(symbol.number, symbol.name);
    note_definition(inside, SymbolTable::symbols, symbol.number, to_words(symbol));
}
void note(const Inside& inside, const Counter& counter) {
    select_counter(counter.number, counter.name);
    note_definition(inside, SymbolTable::counters, counter.number, to_words(counter));
}
void note(const Inside& inside, const Scl& scl) {
    note_definition(inside, SymbolTable::scls, scl.number, to_words(scl));
}

// Writes a handle into the application's variable. Other threads may be reading it, or writing the same value.
void give(int value, int* id) { __atomic_store_n(id, value, __ATOMIC_RELAXED); }

// Notes a new definition, unless there is no trace yet: then note_early_definitions() does it. The handle is written
// once, at the end, because another thread may be using it already.
template <class T> void give(const Defined<T>& defined, int* id) {
    if (defined.fresh && vt_records()) {
        const Inside inside;
        if (inside.own() != nullptr) note(inside, *defined.fresh);
    }
    give(defined.id, id);
}

} // namespace

// Definitions that another thread makes meanwhile may be noted twice, which does no harm.
void note_early_definitions() {
    Definitions early;
    vt_names.add_to(early);
    if (early.symbols.empty() && early.counters.empty() && early.scls.empty()) return;
    const Inside inside;
    if (inside.own() == nullptr) return;
    for (const Symbol& symbol : early.symbols) note(inside, symbol);
    for (const Counter& counter : early.counters) note(inside, counter);
    for (const Scl& scl : early.scls) note(inside, scl);
}

int define_class(std::string_view name, int* id) {
    if (!has_letters(name) || id == nullptr) return refused(VT_ERR_BADARG);
    give(vt_names.define_class(name), id);
    return VT_OK;
}

int define_function(std::string_view name, int classhandle, int* id) {
    if (!has_letters(name) || !is_parent(classhandle) || id == nullptr) return refused(VT_ERR_BADARG);
    give(vt_names.define_symbol(name, classhandle), id);
    return VT_OK;
}

int define_picked(int id, std::string_view name, std::string_view activity) {
    if (!has_letters(name) || id < 0 || id >= first_own_handle) return refused(VT_ERR_BADARG);
    int given = 0;
    give(vt_names.pick_symbol(id, name, activity), &given);
    return given == id ? VT_OK : refused(VT_ERR_BADINDEX);
}

int define_scope(std::string_view name, int classhandle, int begin_scl, int end_scl, int* id) {
    if (!has_letters(name) || !is_parent(classhandle) || id == nullptr) return refused(VT_ERR_BADARG);
    give(vt_names.define_scope(name, classhandle, number_of_location(begin_scl), number_of_location(end_scl)), id);
    return VT_OK;
}

int scope_like(int id, int* scope) {
    const std::uint32_t symbol = vt_names.symbol(id);
    if (symbol == 0) return refused(VT_ERR_BADARG);
    give(vt_names.define_scope_like(symbol), scope);
    return VT_OK;
}

namespace {

// The bounds of a counter; none when they are not in order. Programs pass two ints or floats, too, which can be told
// from two values of eight bytes by nothing else.
std::array<std::uint64_t, 2> bounds_at(const void* bounds, int data) {
    std::array<std::uint64_t, 2> range{};
    if (bounds == nullptr) return range;
    std::memcpy(range.data(), bounds, sizeof range);
    if (data == VT_COUNT_INTEGER)
        for (std::uint64_t& bound : range) bound = bound << 32 | bound >> 32; // the high half lies first
    const bool in_order = data == VT_COUNT_FLOAT
                              ? std::bit_cast<double>(range[0]) < std::bit_cast<double>(range[1])
                              : std::bit_cast<std::int64_t>(range[0]) < std::bit_cast<std::int64_t>(range[1]);
    return in_order ? range : std::array<std::uint64_t, 2>{};
}

} // namespace

int define_counter(std::string_view name, int classhandle, int flags, int target, const void* bounds,
                   std::string_view unit, int* id) {
    constexpr int all_flags = VT_COUNT_DATA | VT_COUNT_DISPLAY | VT_COUNT_VALID_MASK;
    const int data = flags & VT_COUNT_DATA;
    const bool good = has_letters(name) && is_parent(classhandle) && (flags & ~all_flags) == 0 &&
                      data != VT_COUNT_DATA && (target == VT_ME || target == VT_GROUP_PROCESS) && id != nullptr;
    if (!good) return refused(VT_ERR_BADARG);
    const bool in_halves = data == VT_COUNT_INTEGER;
    const std::array<std::uint64_t, 2> range = bounds_at(bounds, data);
    const Counter counter{.name = {},
                          .unit = std::string{unit},
                          .type = data == VT_COUNT_FLOAT ? CounterType::floating : CounterType::integer,
                          .display = (flags & VT_COUNT_RATE) != 0 ? CounterDisplay::rate : CounterDisplay::absolute,
                          .valid = static_cast<CounterValid>((flags & VT_COUNT_VALID_MASK) / VT_COUNT_VALID_POINT),
                          .of_process = target == VT_GROUP_PROCESS,
                          .lower = range[0],
                          .upper = range[1]};
    const Defined<Counter> defined = vt_names.define_counter(name, classhandle, counter, in_halves);
    if (defined.id < 0) return refused(VT_ERR_BADINDEX); // the name is a counter of another type
    give(defined, id);
    return VT_OK;
}

int define_location(std::string_view file, int line, int* id) {
    if (file.empty() || line < 0 || id == nullptr) return refused(VT_ERR_BADARG);
    give(vt_names.define_scl(file, line), id);
    return VT_OK;
}

namespace {

int register_as(int index, std::string_view name) {
    const Inside inside;
    if (inside.own() == nullptr) return inside.refusal();
    VtThread& own = *inside.own();
    const int index_before = own.index;
    if (index >= 0)
        if (const int refused = register_vt_thread(own, index); refused != VT_OK) return refused;
    if (own.index == index_before && name.empty()) return VT_OK; // known already
    if (!name.empty()) own.name = name;
    const ThreadName known{.number = own.number, .index = own.index, .name = own.name};
    vt_names.define_thread(known);
    note_definition(inside, SymbolTable::threads, known.number, to_words(known));
    return VT_OK;
}

} // namespace

int register_thread(int index) {
    if (!vt_records()) return vt_idle();
    return index < 0 ? VT_ERR_BADARG : register_as(index, {});
}

int register_named_thread(std::string_view name, int index) {
    if (!vt_records()) return vt_idle();
    return register_as(index, name);
}

} // namespace tactus
