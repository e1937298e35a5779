#include "postproc/view/blocks_beside.hpp"

#include "writer/rank_writer.hpp"

#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus {
namespace {

BlockHeader header_of(const Bytes& block) {
    BlockHeader header;
    std::memcpy(&header, block.data(), sizeof header);
    return header;
}

// Under another name until it is whole: somebody else may be looking for it.
bool write(const std::string& path, const Header& header, const std::vector<Bytes>& blocks,
           const Definitions& definitions) {
    const std::string folder = path.substr(0, path.rfind('/'));
    static_cast<void>(mkdir(folder.c_str(), 0777)); // may be there; else the file cannot be created
    const std::string unfinished = path + '.' + std::to_string(getpid());
    LossCounters lost;
    RankWriter writer{lost, header.job};
    if (!writer.open(unfinished, header, {})) return false;
    bool good = true;
    for (const Bytes& block : blocks) good = good && writer.add(block);
    good = writer.close(definitions) && good;
    good = good && rename(unfinished.c_str(), path.c_str()) == 0;
    if (!good) unlink(unfinished.c_str());
    return good;
}

} // namespace

std::optional<BlocksBeside> BlocksBeside::find(const std::string& path, std::uint64_t job) {
    if (access(path.c_str(), R_OK) != 0) return {};
    auto file = RankFile::open(path);
    if (!file || file->header().job != job || !file->closed()) return {};
    BlocksBeside found;
    found.definitions_ = file->definitions();
    found.file_ = std::move(*file);
    found.file_->set_aside();
    return found;
}

BlocksBeside BlocksBeside::store(const std::string& path, const Header& header, std::vector<Bytes> blocks,
                                 const Definitions& definitions) {
    if (write(path, header, blocks, definitions))
        if (auto stored = find(path, header.job)) return std::move(*stored);
    BlocksBeside kept;
    kept.in_memory_ = std::move(blocks);
    kept.definitions_ = definitions;
    return kept;
}

std::vector<IndexEntry> BlocksBeside::entries() const {
    if (file_) return file_->all_blocks();
    std::vector<IndexEntry> entries;
    for (std::size_t i = 0; i < in_memory_.size(); ++i) entries.push_back(entry_of(header_of(in_memory_[i]), i));
    return entries;
}

Result<Bytes> BlocksBeside::read(const IndexEntry& entry) const {
    if (file_) return file_->read_time_line(entry);
    const Bytes& block = in_memory_[entry.offset];
    const BlockHeader header = header_of(block);
    return unpack_block(header, {block.data() + sizeof header, header.stored_size});
}

} // namespace tactus
