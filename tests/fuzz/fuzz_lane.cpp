// A lane file as `tactus where` reads it.
#include "input.hpp"
#include "trace/lane_contents.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile input{data, size};
    (void)static_cast<bool>(tactus::read_lane(input.path()));
    return 0;
}
