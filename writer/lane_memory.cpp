#include "writer/lane_memory.hpp"

#include "base/write_all.hpp"
#include "base/write_signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr std::size_t page = 4096;

void touch(std::uint8_t* begin, std::size_t size) {
    for (std::size_t at = 0; at < size; at += page) {
        volatile std::uint8_t* byte = begin + at;
        *byte = *byte;
    }
}

// Makes a file of the full size with the given content, and gives its descriptor. The file gets its name only when it
// is whole. -1 when anything fails, and then no file is left.
int make_file(const std::string& path, const std::uint8_t* content, std::size_t size) {
    const std::string draft = path + lane_draft_ending;
    const int file = open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    const WriteSignalsBlocked quiet;
    if (posix_fallocate(file, 0, static_cast<off_t>(size)) == 0 && write_all(file, content, size) &&
        rename(draft.c_str(), path.c_str()) == 0)
        return file;
    close(file);
    unlink(draft.c_str());
    return -1;
}

} // namespace

LaneMemory LaneMemory::private_memory(std::size_t size) {
    LaneMemory memory;
    void* begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) return memory;
    madvise(begin, size, MADV_DONTFORK);
    memory.begin_ = static_cast<std::uint8_t*>(begin);
    memory.size_ = size;
    touch(memory.begin_, size);
    return memory;
}

bool LaneMemory::move_to_file(const std::string& directory, const std::string& name) {
    const std::string path = directory + "/" + name;
    const int file = make_file(path, begin_, size_);
    if (file < 0) return false;
    // The file is mapped elsewhere first: a fixed mapping that the file system refuses would leave a hole where the
    // records go.
    void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    // The system call is made directly, since UCX, which MPICH brings, replaces mremap() by a function that forgets the
    // new address (it maps at 0).
    constexpr unsigned long here = MREMAP_MAYMOVE | MREMAP_FIXED;
    if (mapped != MAP_FAILED && syscall(SYS_mremap, mapped, size_, size_, here, begin_) == -1) {
        munmap(mapped, size_);
        mapped = MAP_FAILED;
    }
    if (mapped == MAP_FAILED) {
        unlink(path.c_str());
        return false;
    }
    madvise(begin_, size_, MADV_DONTFORK);
    touch(begin_, size_);
    file_ = path;
    return true;
}

void LaneMemory::remove_file() {
    if (!file_.empty()) unlink(file_.c_str());
    file_.clear();
}

void LaneMemory::release() {
    if (begin_ != nullptr) munmap(begin_, size_);
    begin_ = nullptr;
    size_ = 0;
    remove_file();
}

bool is_local_directory(const std::string& path) {
    struct statfs status {};
    if (statfs(path.c_str(), &status) != 0) return false;
    // f_type of ext2/3/4, XFS, btrfs, tmpfs, overlayfs, ZFS, F2FS; anything unknown may be a network.
    constexpr std::array<unsigned long, 7> local = {0xef53,     0x58465342, 0x9123683e, 0x01021994,
                                                    0x794c7630, 0x2fc12fc1, 0xf2f52010};
    const auto type = static_cast<unsigned long>(status.f_type) & 0xffffffffUL;
    return std::find(local.begin(), local.end(), type) != local.end();
}

std::vector<std::string> places_for_lanes(const std::string& wanted, const std::string& trace, std::uint64_t job) {
    const std::string own = "/" + lane_folder_name(job);
    std::vector<std::string> places;
    if (!wanted.empty())
        places.push_back(wanted + own);
    else if (is_local_directory(trace))
        places.push_back(trace + "/lanes");
    places.push_back("/dev/shm" + own);
    places.push_back("/tmp" + own);
    return places;
}

} // namespace tactus
