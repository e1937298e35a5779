// Paths of functions on stacks: against libgcc's unwinder, on stacks of this process, and with damaged tables.
#include "sampling/sleeping.hpp"
#include "sampling/unwinder.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <link.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace tactus;

namespace {

constexpr std::size_t most = 64;

struct Both {
    std::vector<std::uint64_t> own;
    std::vector<std::uint64_t> libgccs;
    bool complete = false;
};

// The addresses on the stack of whoever calls this, from its caller's on.
[[gnu::noinline]] void walk_here(Both& both) {
    static auto unwinder = std::make_unique<Unwinder>();
    const Registers here = own_registers();
    static std::array<std::byte, 65536> room;
    const StackCopy stack = copy_of_stack(here.sp, room);
    std::array<std::uint64_t, most> found{};
    const Unwinder::Path path = unwinder->walk(here, stack, found);
    both.complete = path.complete;
    both.own.assign(found.begin() + 1, found.begin() + static_cast<std::ptrdiff_t>(path.frames));
    std::array<void*, most> known{};
    const int count = backtrace(known.data(), most);
    both.libgccs.clear();
    for (int i = 1; i < count; ++i)
        both.libgccs.push_back(reinterpret_cast<std::uint64_t>(known[static_cast<std::size_t>(i)]));
}

// Of a function that a signal interrupted, the own address is that of the next instruction and one.
void check(const Both& both, std::size_t interrupted = 0) {
    CHECK(both.complete);
    REQUIRE(both.own.size() >= 3);
    REQUIRE(both.own.size() == both.libgccs.size());
    std::size_t one_more = 0;
    for (std::size_t i = 0; i < both.own.size(); ++i) {
        if (both.own[i] == both.libgccs[i] + 1)
            ++one_more;
        else
            CHECK(both.own[i] == both.libgccs[i]);
    }
    CHECK(one_more == interrupted);
}

[[gnu::noinline]] int deep(int levels, Both& both) {
    volatile char room[100];
    room[0] = static_cast<char>(levels);
    if (levels == 0)
        walk_here(both);
    else
        deep(levels - 1, both);
    return room[0];
}

// The compiler needs a frame pointer for memory of a size that is known only when it runs, and realigns the stack.
[[gnu::noinline]] int with_frame_pointer(std::size_t size, Both& both) {
    auto* room = static_cast<char*>(__builtin_alloca(size));
    std::memset(room, 1, size);
    alignas(64) volatile char aligned[64];
    aligned[0] = room[size - 1];
    deep(3, both);
    return aligned[0] + room[0];
}

Both* of_handler = nullptr;
void on_signal(int) { deep(2, *of_handler); }

} // namespace

TEST_CASE("unwinder: finds what libgcc finds", "[bare]") {
    Both both;
    deep(0, both);
    check(both);
    deep(30, both);
    check(both);
    with_frame_pointer(1000, both);
    check(both);
}

TEST_CASE("unwinder: through a callback of the C library, and in another thread", "[bare]") {
    static Both both;
    std::array<int, 2> two{2, 1};
    std::qsort(two.data(), two.size(), sizeof two[0], [](const void* a, const void* b) {
        deep(1, both);
        return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
    check(both);
    Both in_thread;
    std::thread{[&] { deep(2, in_thread); }}.join();
    check(in_thread);
}

TEST_CASE("unwinder: through the frame of a signal handler", "[bare]") {
    Both both;
    of_handler = &both;
    struct sigaction handler {};
    struct sigaction before {};
    handler.sa_handler = on_signal;
    REQUIRE(sigaction(SIGUSR1, &handler, &before) == 0);
    REQUIRE(raise(SIGUSR1) == 0);
    sigaction(SIGUSR1, &before, nullptr);
    check(both, 1);
}

TEST_CASE("unwinder: a stack that is cut, or no stack at all, ends the path") {
    auto unwinder = std::make_unique<Unwinder>();
    std::array<std::uint64_t, most> found{};
    const auto pc = reinterpret_cast<std::uint64_t>(&deep);
    const Unwinder::Path path = unwinder->walk({.pc = pc, .sp = 0x1000, .fp = 0}, {}, found);
    CHECK(path.frames == 1);
    CHECK_FALSE(path.complete);
    CHECK(found[0] == pc + 1);
    CHECK(unwinder->walk({.pc = 12345, .sp = 1, .fp = 1}, {}, found).frames == 1); // no code there
    CHECK(unwinder->walk({}, {}, found).frames == 0);
}

namespace {

struct Tables {
    std::vector<std::byte> bytes; // of the segment
    std::uint64_t segment = 0;
    std::uint64_t header = 0;
    std::uint64_t code = 0; // addresses of code
    std::uint64_t code_size = 0;
};

int take_tables(dl_phdr_info* file, std::size_t, void* data) {
    auto& tables = *static_cast<Tables*>(data);
    if (std::strstr(file->dlpi_name, "libc.so") == nullptr) return 0;
    for (int i = 0; i < file->dlpi_phnum; ++i)
        if (file->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) tables.header = file->dlpi_addr + file->dlpi_phdr[i].p_vaddr;
    for (int i = 0; i < file->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = file->dlpi_phdr[i];
        const std::uint64_t begin = file->dlpi_addr + segment.p_vaddr;
        if (segment.p_type != PT_LOAD) continue;
        if ((segment.p_flags & PF_X) != 0) tables.code = begin, tables.code_size = segment.p_filesz;
        if (tables.header - begin >= segment.p_filesz) continue;
        tables.segment = begin;
        tables.bytes.resize(segment.p_filesz);
        std::memcpy(tables.bytes.data(), reinterpret_cast<const void*>(begin), segment.p_filesz);
    }
    return 1;
}

} // namespace

TEST_CASE("frame rules: damaged tables are never read outside of their memory") {
    Tables tables;
    dl_iterate_phdr(take_tables, &tables);
    REQUIRE(!tables.bytes.empty());
    std::mt19937_64 random{5};
    const auto pages = std::make_unique<Pages>();
    std::size_t known = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<std::byte> damaged = tables.bytes;
        for (int i = 0; i < round * 50; ++i) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
        const auto begin = reinterpret_cast<std::uint64_t>(damaged.data());
        pages->forget();
        // What is relative to the table leads from the copy to addresses that are as far away.
        const std::uint64_t moved = begin - tables.segment;
        for (int i = 0; i < 50; ++i) {
            const std::uint64_t address = tables.code + moved + random() % tables.code_size;
            const FrameRule rule = frame_rule(*pages, {begin, begin + damaged.size()}, tables.header + moved, address);
            known += rule.kind != FrameRule::Kind::unknown ? 1 : 0;
        }
    }
    CHECK(known > 1000); // most tables are still right
}
