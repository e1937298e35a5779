// Corrects the checksums of all blocks of a changed rank file, so that the blocks which a fuzzer changed are read.
#pragma once

#include "trace/block.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

inline std::vector<std::uint8_t> with_right_checksums(const std::uint8_t* data, std::size_t size) {
    using tactus::BlockHeader;
    std::vector<std::uint8_t> file{data, data + size};
    for (std::size_t offset = 0; offset + sizeof(BlockHeader) <= size;) {
        BlockHeader header;
        std::memcpy(static_cast<void*>(&header), file.data() + offset, sizeof header);
        const std::size_t available = size - offset - sizeof header;
        if (header.magic != BlockHeader::magic_value || header.stored_size > available) {
            offset += 8;
            continue;
        }
        const auto stored = static_cast<std::size_t>(header.stored_size);
        header.checksum = tactus::checksum_of(header, {file.data() + offset + sizeof header, stored});
        std::memcpy(file.data() + offset, &header, sizeof header);
        offset += tactus::padded(sizeof header + stored);
    }
    return file;
}
