#include "trace/block.hpp"

#include "base/spares.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

namespace tactus {
namespace {

// Most blocks are so small that making a context would take longer than the work itself.
using Compressor = Spare<ZSTD_createCCtx, ZSTD_freeCCtx>;
using Decompressor = Spare<ZSTD_createDCtx, ZSTD_freeDCtx>;

// The size of the packed content at `out`; 0 if it is not packed, since that gains nothing, or for want of memory.
std::size_t pack(ByteView content, std::span<std::uint8_t> out) {
    constexpr std::size_t least = 64; // bytes of content in which there is something to gain
    constexpr int level = 1;
    if (content.size() < least) return 0;
    const Compressor compressor;
    if (compressor.get() == nullptr) return 0;
    const std::size_t size =
        ZSTD_compressCCtx(compressor.get(), out.data(), out.size(), content.data(), content.size(), level);
    return ZSTD_isError(size) == 0 && size < content.size() && content.size() <= most_content(size) ? size : 0;
}

} // namespace

std::uint64_t checksum_of(const BlockHeader& header, ByteView payload) {
    BlockHeader plain = header;
    plain.checksum = 0;
    return XXH3_64bits_withSeed(payload.data(), payload.size(), XXH3_64bits(&plain, sizeof plain));
}

Bytes pack_block(BlockHeader header, ByteView content) {
    Bytes block(sizeof header + ZSTD_compressBound(content.size()));
    const std::size_t packed = pack(content, std::span{block}.subspan(sizeof header));
    header.raw_size = content.size();
    if (packed > 0) {
        header.packing = Packing::zstd;
        header.stored_size = packed;
    } else {
        header.packing = Packing::bare;
        header.stored_size = content.size();
        if (!content.empty()) std::memcpy(block.data() + sizeof header, content.data(), content.size());
    }
    header.checksum = checksum_of(header, {block.data() + sizeof header, header.stored_size});
    std::memcpy(block.data(), &header, sizeof header);
    block.resize(sizeof header + header.stored_size);
    block.resize(padded(block.size()));
    return block;
}

Outcome check_header(const BlockHeader& header, std::uint64_t available) {
    if (available < sizeof header) return Error{"the file ends inside a block's header"};
    if (header.magic != BlockHeader::magic_value) return Error{"no block starts here"};
    if (header.version > BlockHeader{}.version)
        return Error{.what = "the block's header has version " + std::to_string(header.version) +
                             ", this tactus reads up to " + std::to_string(BlockHeader{}.version),
                     .advice = "use the tactus that wrote the trace, or a newer one"};
    if (header.stored_size > available - sizeof header) return Error{"the file ends inside a block"};
    if (header.raw_size > largest_raw_size || header.stored_size > ZSTD_compressBound(largest_raw_size))
        return Error{"the block claims more content than a block can have"};
    if (header.raw_size > most_content(header.stored_size))
        return Error{"the block claims more content than its few bytes can unpack to"};
    if (header.packing == Packing::bare && header.stored_size != header.raw_size)
        return Error{"the block's two sizes contradict each other"};
    return Done{};
}

Result<Bytes> unpack_block(const BlockHeader& header, ByteView payload) {
    if (payload.size() != header.stored_size || checksum_of(header, payload) != header.checksum)
        return Error{"the block's checksum is wrong: its content was changed or cut"};
    Bytes content(header.raw_size);
    if (header.packing == Packing::bare) {
        if (!payload.empty()) std::memcpy(content.data(), payload.data(), payload.size());
        return content;
    }
    if (header.packing != Packing::zstd) return Error{"the block is packed in a way this tactus does not know"};
    const Decompressor decompressor;
    if (decompressor.get() == nullptr) return Error{"there is no memory to unpack the block's content"};
    const std::size_t size =
        ZSTD_decompressDCtx(decompressor.get(), content.data(), content.size(), payload.data(), payload.size());
    if (ZSTD_isError(size) != 0 || size != content.size()) return Error{"the block's content cannot be unpacked"};
    return content;
}

} // namespace tactus
