// A whole rank file, which is opened and read to its end.
#include "input.hpp"
#include "mend.hpp"
#include "trace/rank_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto repaired = with_right_checksums(data, size);
    const MemoryFile input{repaired.data(), repaired.size()};
    auto file = tactus::RankFile::open(input.path());
    if (!file) return 0;
    (void)static_cast<bool>(
        file->for_each_record([](std::uint32_t, const tactus::Record&, std::span<const std::int64_t>) {}));
    return 0;
}
