// Option values and a VT_CONFIG file.
#include "base/grammar.hpp"
#include "collector/options/options.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tactus;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    (void)static_cast<bool>(parse_time(text));
    (void)static_cast<bool>(parse_bytes(text));
    (void)static_cast<bool>(parse_bool(text));
    const MemoryFile input{data, size};
    const std::string config = "VT_CONFIG=" + input.path();
    const char* environment[] = {config.c_str(), nullptr};
    (void)Options::read(environment);
    return 0;
}
