#include "sampling/pages.hpp"

#include <algorithm>
#include <cstring>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tactus {

std::size_t system_page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t copy_own_memory(std::uint64_t from, std::span<std::byte> into) {
    constexpr std::size_t most_parts = 32; // a system call copies the parts that come before one that is not there
    std::array<iovec, most_parts> there;
    std::size_t copied = 0;
    while (copied < into.size()) {
        std::size_t parts = 0;
        std::size_t asked = 0;
        while (parts < most_parts && copied + asked < into.size()) {
            const std::uint64_t at = from + copied + asked;
            const std::size_t size = std::min<std::size_t>(page_size - at % page_size, into.size() - copied - asked);
            there[parts++] = {reinterpret_cast<void*>(at), size};
            asked += size;
        }
        const iovec here{into.data() + copied, asked};
        const long done = syscall(SYS_process_vm_readv, getpid(), &here, 1, there.data(), parts, 0);
        if (done > 0) copied += static_cast<std::size_t>(done);
        if (done != static_cast<long>(asked)) break;
    }
    return copied;
}

std::size_t copy_own_parts(std::span<const MemoryPart> parts) {
    std::array<iovec, most_memory_parts> here;
    std::array<iovec, most_memory_parts> there;
    const std::size_t count = std::min(parts.size(), most_memory_parts);
    for (std::size_t i = 0; i < count; ++i) {
        here[i] = {parts[i].into.data(), parts[i].into.size()};
        there[i] = {reinterpret_cast<void*>(parts[i].from), parts[i].into.size()};
    }
    const long done = syscall(SYS_process_vm_readv, getpid(), here.data(), count, there.data(), count, 0);
    std::size_t whole = 0;
    for (auto left = static_cast<std::size_t>(std::max(done, 0L)); whole < count && left >= parts[whole].into.size();
         ++whole)
        left -= parts[whole].into.size();
    return whole;
}

bool Pages::read(std::uint64_t from, void* to, std::size_t size) {
    auto* out = static_cast<std::byte*>(to);
    while (size > 0) {
        const std::uint64_t number = from / page_size;
        const std::size_t at = from % page_size;
        Page& page = pages_[number % pages_.size()];
        if (page.number != number) {
            page.number = ~std::uint64_t{0};
            if (copy_own_memory(number * page_size, page.bytes) < page_size) return false;
            page.number = number;
        }
        const std::size_t part = std::min(size, page_size - at);
        std::memcpy(out, page.bytes.data() + at, part);
        out += part;
        from += part;
        size -= part;
    }
    return true;
}

void Pages::forget() {
    for (Page& page : pages_) page.number = ~std::uint64_t{0};
}

} // namespace tactus
