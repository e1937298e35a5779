// `new` and `delete` of this library alone. It is built without exceptions, so memory that is refused would end the
// application. What the library must have is little: names, definitions, the last part of an index. When memory is
// refused, it comes from a reserve, which is otherwise untouched. Code that can do without memory uses new
// (std::nothrow).
//
// Large pieces do not come from malloc. When one is freed, glibc moves its threshold for mmap and from then on takes
// the application's large pieces from another place. Messages of 1 MiB between buffers at unlucky addresses then took
// 1.8 times as long.
#include "base/log.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

constexpr std::size_t reserve_size = std::size_t{4} << 20;
alignas(64) constinit std::uint8_t reserve[reserve_size] = {};
constinit std::atomic<std::size_t> reserve_used{0}; // never freed; pairs with nothing

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

constexpr std::size_t least_mapped = std::size_t{64} << 10;

// Stands before every piece.
struct alignas(16) Origin {
    std::size_t mapped; // bytes in all, from mmap; 0: the piece is malloc's
};

void* allocate(std::size_t size) {
    std::size_t all = size + sizeof(Origin);
    if (all < size) return nullptr;
    void* memory = nullptr;
    if (all < least_mapped) {
        memory = std::malloc(all);
        all = 0;
    } else {
        memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) memory = nullptr;
    }
    return memory != nullptr ? new (memory) Origin{all} + 1 : nullptr;
}

} // namespace

void* operator new(std::size_t size) {
    void* const memory = allocate(size);
    return memory != nullptr ? memory : from_reserve(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept {
    if (memory == nullptr || is_of_reserve(memory)) return;
    Origin* const origin = static_cast<Origin*>(memory) - 1;
    origin->mapped != 0 ? void(munmap(origin, origin->mapped)) : std::free(origin);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }
