// Defines what the application gives a name to. Each definition is stored among the records of the thread that made it,
// so that the trace of a killed run has it. The closing definitions repeat them all.
#include "collector/selection.hpp"
#include "collector/vt/names.hpp"
#include "collector/vt/recording.hpp"
#include "collector/vt/state.hpp"
#include "collector/vt/threads.hpp"

#include <cstring>
#include <type_traits>
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

// What VT_classdef and similar functions return when they define nothing; no value when there is something to define.
std::optional<int> refusal(bool good_arguments, int* id) {
    if (id != nullptr) *id = 0;
    if (!vt_records()) return vt_idle();
    if (!good_arguments || id == nullptr) return VT_ERR_BADARG;
    return {};
}

bool is_parent(int classhandle) { return classhandle == VT_NOCLASS || vt_names.is_class(classhandle); }
bool is_good_scl(int scl) { return scl == VT_NOSCL || vt_names.is_scl(scl); }
bool has_letters(std::string_view name) { return name.find_first_not_of(':') != std::string_view::npos; }

template <class T> void give(const Inside& inside, const Defined<T>& defined, SymbolTable table, int* id) {
    if (defined.fresh) {
        if constexpr (std::is_same_v<T, Symbol>) select_symbol(defined.fresh->number, defined.fresh->name);
        note_definition(inside, table, defined.fresh->number, to_words(*defined.fresh));
    }
    *id = defined.id;
}

} // namespace

int define_class(std::string_view name, int* id) {
    if (const auto refused = refusal(has_letters(name), id)) return *refused;
    const Inside inside;
    *id = vt_names.define_class(name);
    return VT_OK;
}

int define_function(std::string_view name, int classhandle, int* id) {
    if (const auto refused = refusal(has_letters(name) && is_parent(classhandle), id)) return *refused;
    const Inside inside;
    give(inside, vt_names.define_symbol(name, classhandle), SymbolTable::symbols, id);
    return VT_OK;
}

int define_picked(int id, std::string_view name, std::string_view activity) {
    int given = 0;
    const bool good = has_letters(name) && id >= 0 && id < first_own_handle;
    if (const auto refused = refusal(good, &given)) return *refused;
    const Inside inside;
    give(inside, vt_names.pick_symbol(id, name, activity), SymbolTable::symbols, &given);
    return given == id ? VT_OK : VT_ERR_BADINDEX;
}

int define_scope(std::string_view name, int classhandle, int begin_scl, int end_scl, int* id) {
    const bool good = has_letters(name) && is_parent(classhandle) && is_good_scl(begin_scl) && is_good_scl(end_scl);
    if (const auto refused = refusal(good, id)) return *refused;
    const Inside inside;
    give(inside, vt_names.define_scope(name, classhandle, begin_scl, end_scl), SymbolTable::symbols, id);
    return VT_OK;
}

int define_counter(std::string_view name, int classhandle, int flags, int target, const void* bounds,
                   std::string_view unit, int* id) {
    constexpr int all_flags = VT_COUNT_DATA | VT_COUNT_DISPLAY | VT_COUNT_VALID_MASK;
    const int data = flags & VT_COUNT_DATA;
    const bool good = has_letters(name) && is_parent(classhandle) && (flags & ~all_flags) == 0 &&
                      data != VT_COUNT_DATA && (target == VT_ME || target == VT_GROUP_PROCESS);
    if (const auto refused = refusal(good, id)) return *refused;
    const bool in_halves = data == VT_COUNT_INTEGER;
    std::uint64_t range[2] = {};
    if (bounds != nullptr) std::memcpy(range, bounds, sizeof range);
    if (in_halves)
        for (std::uint64_t& bound : range) bound = bound << 32 | bound >> 32; // the high half lies first
    const Counter counter{.name = {},
                          .unit = std::string{unit},
                          .type = data == VT_COUNT_FLOAT ? CounterType::floating : CounterType::integer,
                          .display = (flags & VT_COUNT_RATE) != 0 ? CounterDisplay::rate : CounterDisplay::absolute,
                          .valid = static_cast<CounterValid>((flags & VT_COUNT_VALID_MASK) / VT_COUNT_VALID_POINT),
                          .of_process = target == VT_GROUP_PROCESS,
                          .lower = range[0],
                          .upper = range[1]};
    const Inside inside;
    give(inside, vt_names.define_counter(name, classhandle, counter, in_halves), SymbolTable::counters, id);
    return *id >= 0 ? VT_OK : VT_ERR_BADINDEX; // the name is a counter of another type
}

int define_location(std::string_view file, int line, int* id) {
    if (const auto refused = refusal(!file.empty() && line >= 0, id)) return *refused;
    const Inside inside;
    give(inside, vt_names.define_scl(file, line), SymbolTable::scls, id);
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
