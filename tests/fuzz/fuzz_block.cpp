// A block with any header and payload. It is checked, never trusted.
#include "trace/block.hpp"
#include "trace/codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tactus;
    BlockHeader header;
    if (size < sizeof header) return 0;
    std::memcpy(&header, data, sizeof header);
    if (!check_header(header, size)) return 0;
    const ByteView payload{data + sizeof header, static_cast<std::size_t>(header.stored_size)};
    header.checksum = checksum_of(header, payload); // so that the fuzzer gets past the check
    const auto content = unpack_block(header, payload);
    if (content) (void)static_cast<bool>(decode_records(header, *content));
    return 0;
}
