#include "base/paged_list.hpp"

#include "base/write_signals.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tactus {
namespace {

constexpr std::size_t least_page = 8192;

int nameless_file(const char* folder) {
    const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
    std::string path = std::string{folder} + "/.paged-XXXXXX";
    const int named = mkostemp(path.data(), O_CLOEXEC);
    if (named >= 0) unlink(path.c_str());
    return named;
}

// Makes a mapping larger and returns its address, which may change. `file` is the mapped file, or negative for
// anonymous memory. After MAP_FAILED, errno says why, and the mapping is unchanged.
void* enlarge(void* data, std::size_t bytes, std::size_t wanted, [[maybe_unused]] int file) {
#ifdef __SANITIZE_THREAD__ // it does not follow mremap(), and reports a race with the next owner of the old addresses
    void* const at =
        mmap(nullptr, wanted, PROT_READ | PROT_WRITE, file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
    if (at == MAP_FAILED) return at;
    if (file < 0) std::copy_n(static_cast<const std::uint8_t*>(data), bytes, static_cast<std::uint8_t*>(at));
    munmap(data, bytes);
    return at;
#else
    return mremap(data, bytes, wanted, MREMAP_MAYMOVE);
#endif
}

} // namespace

PagedBytes::PagedBytes(const PagingTo& to) : to_{to} {
    if (to_.folder != nullptr) page_ = std::max(least_page, std::bit_floor(to_.bytes / 8));
}

PagedBytes::~PagedBytes() {
    if (data_ != nullptr) munmap(data_, capacity_);
    close_file();
}

void PagedBytes::close_file() {
    if (file_ >= 0) close(std::exchange(file_, -1));
}

void PagedBytes::swap(PagedBytes& other) noexcept {
    std::swap(to_, other.to_);
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(page_, other.page_);
    std::swap(file_, other.file_);
    std::swap(in_file_, other.in_file_);
}

bool PagedBytes::reserve(std::size_t bytes) {
    constexpr std::size_t step = 64 << 20; // a large list grows by multiples of this many bytes
    const std::size_t wanted =
        bytes > step ? (bytes + step - 1) / step * step : std::bit_ceil(std::max(bytes, least_page));
    if (wanted <= capacity_) return true;
    int failed = 0;
    {
        const WriteSignalsBlocked quiet; // exceeding the limit on file sizes becomes an error, not a signal
        if (!grow(wanted)) failed = errno;
    }
    errno = failed;
    return failed == 0;
}

bool PagedBytes::grow(std::size_t wanted) {
    if (!in_file_ && to_.folder != nullptr && wanted > std::max(to_.bytes, least_page) && !move_to_file()) return false;
    // Writing to a mapped hole of the file would end the process when the disk is full.
    if (file_ >= 0)
        if (const int failed =
                posix_fallocate(file_, static_cast<off_t>(capacity_), static_cast<off_t>(wanted - capacity_));
            failed != 0) {
            errno = failed;
            return false;
        }
    void* const at = data_ != nullptr ? enlarge(data_, capacity_, wanted, file_)
                     : file_ >= 0     ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                                  : mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    data_ = static_cast<std::uint8_t*>(at);
    capacity_ = wanted;
    return true;
}

// Copies the present contents into a new file and maps that file instead of the memory.
bool PagedBytes::move_to_file() {
    const int file = nameless_file(to_.folder);
    if (file < 0) return false;
    if (capacity_ > 0) {
        const int failed = posix_fallocate(file, 0, static_cast<off_t>(capacity_));
        void* const at =
            failed == 0 ? mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
        if (at == MAP_FAILED) {
            if (failed != 0) errno = failed;
            close(file);
            return false;
        }
        std::copy_n(data_, capacity_, static_cast<std::uint8_t*>(at));
        munmap(data_, capacity_);
        data_ = static_cast<std::uint8_t*>(at);
    }
    file_ = file;
    in_file_ = true;
    return true;
}

void PagedBytes::leave_all_but(std::size_t at) {
    const std::size_t before = at > page_ ? at - page_ : 0;
    const std::size_t behind = at + page_;
    if (before > 0) madvise(data_, before, MADV_DONTNEED);
    if (behind < capacity_) madvise(data_ + behind, capacity_ - behind, MADV_DONTNEED);
}

} // namespace tactus
