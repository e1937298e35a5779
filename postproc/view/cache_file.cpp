#include "postproc/view/cache_file.hpp"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus {
namespace {

BlockHeader header_of(const Bytes& block) {
    BlockHeader header;
    std::memcpy(&header, block.data(), sizeof header);
    return header;
}

} // namespace

std::optional<CacheFile> CacheFile::find(const std::string& path, std::uint64_t job) {
    if (access(path.c_str(), R_OK) != 0) return {};
    auto file = RankFile::open(path);
    if (!file || file->header().job != job || !file->closed()) return {};
    CacheFile found;
    found.definitions_ = file->definitions();
    found.file_ = std::move(*file);
    found.file_->set_aside();
    return found;
}

CacheFile CacheFile::store(const std::string& path, const Header& header, std::vector<Bytes> blocks,
                           const Definitions& definitions) {
    BlocksWriter writer{path, header};
    for (const Bytes& block : blocks) writer.add(block);
    if (auto stored = writer.close(definitions)) return std::move(*stored);
    CacheFile kept;
    kept.in_memory_ = std::move(blocks);
    kept.definitions_ = definitions;
    return kept;
}

std::vector<IndexEntry> CacheFile::entries() const {
    if (file_) return file_->all_blocks();
    std::vector<IndexEntry> entries;
    for (std::size_t i = 0; i < in_memory_.size(); ++i) entries.push_back(entry_of(header_of(in_memory_[i]), i));
    return entries;
}

Result<Bytes> CacheFile::read(const IndexEntry& entry) const {
    if (file_) return file_->read_time_line(entry);
    const Bytes& block = in_memory_[entry.offset];
    const BlockHeader header = header_of(block);
    return unpack_block(header, {block.data() + sizeof header, header.stored_size});
}

BlocksWriter::BlocksWriter(std::string path, const Header& header)
    : path_{std::move(path)}, unfinished_{path_ + '.' + std::to_string(getpid())}, job_{header.job}, writer_{
                                                                                                         lost_,
                                                                                                         header.job} {
    const std::string folder = path_.substr(0, path_.rfind('/'));
    static_cast<void>(mkdir(folder.c_str(), 0777)); // it may exist; if it cannot be made, open() fails
    writes_ = static_cast<bool>(writer_.open(unfinished_, header, {}));
}

BlocksWriter::~BlocksWriter() {
    if (writes_) unlink(unfinished_.c_str());
}

void BlocksWriter::remove_unfinished(const std::string& folder) {
    std::error_code failed; // the folder may not exist
    std::filesystem::directory_iterator file{folder, failed};
    for (; !failed && file != std::filesystem::directory_iterator{}; file.increment(failed))
        if (file->path().string().ends_with(".index." + std::to_string(getpid())))
            std::filesystem::remove(file->path(), failed);
}

void BlocksWriter::add(const Bytes& block) {
    if (writes_) {
        good_ = good_ && writer_.add(block);
        return;
    }
    kept_size_ += block.size();
    good_ = kept_size_ <= most_in_memory;
    if (good_) kept_.in_memory_.push_back(block);
}

std::optional<CacheFile> BlocksWriter::close(const Definitions& definitions) {
    kept_.definitions_ = definitions;
    if (!writes_ && good_) return std::move(kept_);
    if (!writes_) return {};
    good_ = writer_.close(definitions) && good_;
    if (!good_ || rename(unfinished_.c_str(), path_.c_str()) != 0) return {};
    writes_ = false;
    return CacheFile::find(path_, job_);
}

} // namespace tactus
