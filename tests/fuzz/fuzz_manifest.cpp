// A manifest: if it is accepted, it is the same after it is written and read again.
#include "cli/manifest.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tactus;
    const auto manifest = parse_manifest({reinterpret_cast<const char*>(data), size}, "manifest.json");
    if (!manifest) return 0;
    const std::string text = manifest_text(*manifest);
    const auto again = parse_manifest(text, "manifest.json");
    if (!again || manifest_text(*again) != text) std::abort();
    return 0;
}
