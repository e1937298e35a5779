#include "collector/module_history.hpp"

#include "base/locked.hpp"
#include "base/mpi/handle_table.hpp"
#include "collector/modules.hpp"

#include <algorithm>
#include <utility>

namespace tactus {
namespace {

constexpr std::uint64_t most_generations = 0xfffe; // which fit above the address; sampled::script_places has the next
constexpr unsigned page_bits = 12;

// By page. Pages from which nothing was unloaded are not in it. Written with the history's lock.
constinit HandleTable generations;

std::uint64_t place_of(std::uint64_t address) {
    return address | generations.find(address >> page_bits) << address_bits;
}

void begin_generation(const Module& unloaded) {
    for (std::uint64_t page = unloaded.begin >> page_bits; page <= (unloaded.end - 1) >> page_bits; ++page)
        generations.put(page, std::min(generations.find(page) + 1, most_generations));
}

bool has(const std::vector<Module>& modules, const Module& module) {
    return std::any_of(modules.begin(), modules.end(), [&](const Module& known) {
        return known.begin == module.begin && known.end == module.end && known.path == module.path;
    });
}

// Adds a module under its call places. It is in several parts where its pages have different generations.
void add_parts(std::vector<Module>& parts, const Module& module) {
    std::uint64_t begin = module.begin;
    while (begin < module.end) {
        const std::uint64_t shift = place_of(begin) - begin;
        std::uint64_t end = begin;
        do end = std::min(((end >> page_bits) + 1) << page_bits, module.end);
        while (end < module.end && place_of(end) - end == shift);
        Module& part = parts.emplace_back(module);
        part.begin = begin + shift;
        part.end = end + shift;
        part.base += shift;
        begin = end;
    }
}

std::vector<Module> parts_of(const std::vector<Module>& modules) {
    std::vector<Module> parts;
    for (const Module& module : modules) add_parts(parts, module);
    return parts;
}

std::vector<Module> without(std::vector<Module> modules, const std::vector<Module>& known) {
    std::erase_if(modules, [&](const Module& module) { return has(known, module); });
    return modules;
}

} // namespace

std::uint64_t call_place_with_generation(const void* call_site) {
    return place_of(reinterpret_cast<std::uintptr_t>(call_site));
}

std::vector<Module> ModuleHistory::news() {
    std::uint64_t changes = module_changes();
    if (changes == changes_.load(std::memory_order_relaxed)) return {};
    // Not under the lock: the dynamic linker calls nobody else meanwhile, and one who is called by it may come here.
    std::vector<Module> modules = calling_modules();
    for (std::uint64_t now = module_changes(); now != changes; now = module_changes()) {
        changes = now;
        modules = calling_modules();
    }
    const Locked hold{lock_};
    if (changes <= changes_.load(std::memory_order_relaxed)) return {}; // Another thread has seen this, or more.
    changes_.store(changes, std::memory_order_relaxed);
    const std::vector<Module> before = std::exchange(mapped_, std::move(modules));
    for (const Module& module : before) {
        if (has(mapped_, module)) continue;
        begin_generation(module);
        selective.store(true, std::memory_order_relaxed);
    }
    std::vector<Module> parts = parts_of(mapped_);
    std::vector<Module> news = without(parts, named_);
    named_ = std::move(parts); // What is gone never comes back: its pages have another generation then.
    return news;
}

std::vector<Module> ModuleHistory::others() {
    const std::vector<Module> modules = mapped_modules();
    const Locked hold{lock_};
    return without(parts_of(modules), named_);
}

} // namespace tactus
