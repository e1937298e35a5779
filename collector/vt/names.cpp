#include "collector/vt/names.hpp"

#include "base/locked.hpp"

#include <map>
#include <utility>

namespace tactus {

struct VtNames::Tables {
    std::vector<std::string> classes;
    std::vector<Symbol> symbols;
    std::vector<Counter> counters;
    std::vector<Scl> scls;
    std::vector<ThreadName> threads;
    std::map<std::string, int, std::less<>> class_handles;
    std::map<std::string, std::uint32_t, std::less<>> functions;
    std::map<std::string, std::uint32_t, std::less<>> scopes;
    std::map<std::string, std::uint32_t, std::less<>> counter_numbers;
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> scl_numbers;
};

namespace {

// A name without colons at its ends, and with single colons inside.
std::string plain(std::string_view name) {
    std::string text;
    for (const char c : name)
        if (c != ':' || (!text.empty() && text.back() != ':')) text += c;
    while (!text.empty() && text.back() == ':') text.pop_back();
    return text;
}

// The number of a key; 0 when it is not in the map.
template <class Map, class Key> std::uint32_t number_in(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
}

} // namespace

VtNames::Tables& VtNames::tables() {
    if (tables_ == nullptr) tables_ = new Tables;
    return *tables_;
}

std::string VtNames::full_name(std::string_view name, int classhandle) {
    const std::string own = plain(name);
    if (is_class(classhandle)) return tables().classes[static_cast<std::size_t>(classhandle) - 1] + ':' + own;
    return own.find(':') != std::string::npos ? own : "Application:" + own;
}

int VtNames::define_class(std::string_view name) {
    const std::string own = plain(name);
    const Locked hold{lock_};
    Tables& all = tables();
    if (const auto found = all.class_handles.find(own); found != all.class_handles.end()) return found->second;
    all.classes.push_back(own);
    const auto id = static_cast<int>(all.classes.size());
    all.class_handles.emplace(own, id);
    classes_.store(static_cast<std::uint32_t>(id), std::memory_order_release);
    return id;
}

// Called with the lock held.
Defined<Symbol> VtNames::add_symbol(std::string name, const Symbol& like) {
    Tables& all = tables();
    auto& numbers = like.scope ? all.scopes : all.functions;
    std::uint32_t number = number_in(numbers, name);
    if (number != 0) return {first_own_handle + static_cast<int>(number)};
    Symbol symbol = like;
    symbol.number = number = static_cast<std::uint32_t>(all.symbols.size() + 1);
    symbol.name = name;
    numbers.emplace(std::move(name), number);
    all.symbols.push_back(symbol);
    symbols_.store(number, std::memory_order_release); // pairs with the acquire in symbol()
    return {first_own_handle + static_cast<int>(number), std::move(symbol)};
}

Defined<Symbol> VtNames::define_symbol(std::string_view name, int classhandle) {
    const Locked hold{lock_};
    return add_symbol(full_name(name, classhandle), {});
}

// Called with the lock held.
Defined<Symbol> VtNames::add_scope(std::string name, std::int32_t begin_scl, std::int32_t end_scl) {
    Symbol like;
    like.scope = true;
    like.begin_scl = static_cast<std::uint32_t>(begin_scl);
    like.end_scl = static_cast<std::uint32_t>(end_scl);
    Defined<Symbol> defined = add_symbol(std::move(name), like);
    defined.id |= scope_bit;
    return defined;
}

Defined<Symbol> VtNames::define_scope(std::string_view name, int classhandle, std::int32_t begin_scl,
                                      std::int32_t end_scl) {
    const Locked hold{lock_};
    return add_scope(full_name(name, classhandle), begin_scl, end_scl);
}

Defined<Symbol> VtNames::define_scope_like(std::uint32_t symbol) {
    const Locked hold{lock_};
    return add_scope(tables().symbols[symbol - 1].name, 0, 0);
}

Defined<Symbol> VtNames::pick_symbol(int id, std::string_view name, std::string_view activity) {
    const std::string parent = plain(activity);
    const std::string full = parent.empty() ? plain(name) : parent + ':' + plain(name);
    const Locked hold{lock_};
    Defined<Symbol> defined = add_symbol(full.find(':') != std::string::npos ? full : "Application:" + full, {});
    const auto number = static_cast<std::uint64_t>(defined.id - first_own_handle);
    const std::uint64_t before = picked_.find(static_cast<std::uint64_t>(id) + 1);
    if (before == 0) picked_.put(static_cast<std::uint64_t>(id) + 1, number);
    defined.id = before == 0 || before == number ? id : -1;
    return defined;
}

Defined<Counter> VtNames::define_counter(std::string_view name, int classhandle, Counter counter, bool in_halves) {
    const int bit = in_halves ? halves_bit : 0;
    const Locked hold{lock_};
    Tables& all = tables();
    counter.name = full_name(name, classhandle);
    if (const std::uint32_t number = number_in(all.counter_numbers, counter.name); number != 0)
        return {all.counters[number - 1].type == counter.type ? static_cast<int>(number) | bit : -1};
    counter.number = static_cast<std::uint32_t>(all.counters.size() + 1);
    all.counter_numbers.emplace(counter.name, counter.number);
    all.counters.push_back(counter);
    counters_.store(counter.number, std::memory_order_release);
    const int id = static_cast<int>(counter.number) | bit;
    return {id, std::move(counter)};
}

Defined<Scl> VtNames::define_scl(std::string_view file, int line) {
    const Locked hold{lock_};
    Tables& all = tables();
    const std::pair key{std::string{file}, static_cast<std::uint32_t>(line)};
    if (const std::uint32_t number = number_in(all.scl_numbers, key); number != 0)
        return {static_cast<int>(number) | scl_bit};
    Scl scl{.number = static_cast<std::uint32_t>(all.scls.size() + 1), .file = key.first, .line = key.second};
    all.scl_numbers.emplace(key, scl.number);
    all.scls.push_back(scl);
    scls_.store(scl.number, std::memory_order_release);
    const int id = static_cast<int>(scl.number) | scl_bit;
    return {id, std::move(scl)};
}

void VtNames::define_thread(ThreadName named) {
    const Locked hold{lock_};
    tables().threads.push_back(std::move(named));
}

void VtNames::add_to(Definitions& definitions) {
    const Locked hold{lock_};
    if (tables_ == nullptr) return;
    definitions.symbols = tables_->symbols;
    definitions.counters = tables_->counters;
    definitions.scls = tables_->scls;
    definitions.threads = tables_->threads;
}

} // namespace tactus
