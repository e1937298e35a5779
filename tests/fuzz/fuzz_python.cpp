// What an interpreter of Python keeps of its threads, frames and code, while it changes it: any memory gives some
// functions or none.
#include "sampling/python.hpp"

#include "python_memory.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tactus;
    static Pages pages;
    if (size < 1) return 0;
    alignas(8) static std::array<std::byte, python_memory::size> memory;
    memory.fill(std::byte{0});
    std::memcpy(memory.data(), data + 1, std::min(size - 1, memory.size()));
    python_memory::point_inside(memory);
    constexpr std::array<std::uint64_t, 3> versions = {0x030b02f0, 0x030c00f0, 0x030d00f0};
    const auto begin = reinterpret_cast<std::uint64_t>(memory.data());
    const auto python = Python::of({.version = versions[data[0] % versions.size()],
                                    .runtime = begin,
                                    .code_type = begin + python_memory::code_type});
    if (!python) return 0;
    std::array<PythonFrame, 64> frames;
    std::uint64_t state = 0;
    const Python::Stack stack = python->frames_of(python_memory::thread, frames, state);
    if (stack.frames > frames.size()) std::abort();
    std::array<std::uint64_t, frames.size()> identities{};
    python->identify(std::span{frames}.first(stack.frames), identities);
    pages.forget();
    for (std::size_t i = 0; i < stack.frames; ++i) {
        std::array<char, 256> room;
        PythonLine line;
        if (!python->describe(frames[i], pages, room, line)) continue;
        for (const std::string_view text : {line.function, line.file})
            if (text.empty() || text.data() < room.data() || text.data() + text.size() > room.data() + room.size())
                std::abort();
    }
    return 0;
}
