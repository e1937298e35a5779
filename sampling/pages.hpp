// Reads memory of this process that may go away meanwhile, as that of a library does: by the kernel, which says so in
// place of a fault. It keeps copies of the last pages. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus {

// The smallest page of any processor. Those of this one are as large, or a multiple of it.
constexpr std::size_t page_size = 4096;
// That of this system: what the kernel maps for its counters and samples begins with a page.
std::size_t system_page_size();

// Copies memory of this process up to the first page that is not there, and returns how many bytes that is.
std::size_t copy_own_memory(std::uint64_t from, std::span<std::byte> into);

// A part of this process's memory to be copied.
struct MemoryPart {
    std::uint64_t from = 0;
    std::span<std::byte> into;
};
constexpr std::size_t most_memory_parts = 64;
// Copies at most so many by one system call, and returns how many of them, from the first on, it copied whole.
std::size_t copy_own_parts(std::span<const MemoryPart> parts);

class Pages {
  public:
    // False if not all of it is there.
    bool read(std::uint64_t from, void* to, std::size_t size);
    // To be called when memory may have changed since it was read.
    void forget();

  private:
    struct Page {
        std::uint64_t number = ~std::uint64_t{0}; // address / page_size; none: all ones
        std::array<std::byte, page_size> bytes;
    };
    std::array<Page, 32> pages_{};
};

} // namespace tactus
