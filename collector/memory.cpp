// `new` and `delete` of this library alone: without exceptions, memory that is refused would end the application. What
// must be had (it is little: names, definitions, the last part of an index) then comes from a reserve, which nothing
// touches as long as there is memory. What can do without asks by new (std::nothrow).
#include "base/log.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t reserve_size = std::size_t{4} << 20;
alignas(64) constinit std::uint8_t reserve[reserve_size] = {};
constinit std::atomic<std::size_t> reserve_used{0}; // never given back; pairs with nothing

bool is_of_reserve(const void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const auto begin = reinterpret_cast<std::uintptr_t>(reserve);
    return address >= begin && address < begin + reserve_size;
}

void* from_reserve(std::size_t size) {
    const std::size_t rounded = (size + 63) / 64 * 64;
    const std::size_t at = reserve_used.fetch_add(rounded, std::memory_order_relaxed);
    if (at + rounded <= reserve_size) return reserve + at;
    tactus::say("memory is refused, and what was set aside for that is used up; the program cannot go on");
    std::abort();
}

} // namespace

void* operator new(std::size_t size) {
    void* const memory = std::malloc(size);
    return memory != nullptr ? memory : from_reserve(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void operator delete(void* memory) noexcept {
    if (!is_of_reserve(memory)) std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }
