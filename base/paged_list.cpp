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

// Writing to a mapped hole of a file would end the process when the disk is full. After false, errno says why.
bool allocate(int file, std::size_t from, std::size_t to) {
    errno = posix_fallocate(file, static_cast<off_t>(from), static_cast<off_t>(to - from));
    return errno == 0;
}

// Makes the mapping of a file larger and returns its address, which may change. After MAP_FAILED, errno says why, and
// the mapping is unchanged.
void* enlarge(void* data, std::size_t bytes, std::size_t wanted, [[maybe_unused]] int file) {
#ifdef __SANITIZE_THREAD__ // it does not follow mremap(), and reports a race with the next owner of the old addresses
    void* const at = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) munmap(data, bytes);
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
    if (in_file_)
        munmap(data_, capacity_);
    else
        std::free(data_);
    close_file();
}

void PagedBytes::end_growth(std::size_t bytes) {
    close_file();
    if (in_file_ || bytes == 0 || bytes == capacity_) return;
    void* const at = std::realloc(data_, bytes);
    if (at == nullptr) return;
    data_ = static_cast<std::uint8_t*>(at);
    capacity_ = bytes;
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
    const bool to_file = in_file_ || (to_.folder != nullptr && wanted > std::max(to_.bytes, least_page));
    if (!to_file) return grow_in_memory(wanted);
    int failed = 0;
    {
        const WriteSignalsBlocked quiet; // exceeding the limit on file sizes becomes an error, not a signal
        if (!(in_file_ ? grow_in_file(wanted) : move_to_file(wanted))) failed = errno;
    }
    errno = failed;
    return failed == 0;
}

bool PagedBytes::grow_in_memory(std::size_t wanted) {
    void* const at = std::realloc(data_, wanted);
    if (at == nullptr) return false;
    data_ = static_cast<std::uint8_t*>(at);
    capacity_ = wanted;
    return true;
}

bool PagedBytes::grow_in_file(std::size_t wanted) {
    if (!allocate(file_, capacity_, wanted)) return false;
    void* const at = enlarge(data_, capacity_, wanted, file_);
    if (at == MAP_FAILED) return false;
    data_ = static_cast<std::uint8_t*>(at);
    capacity_ = wanted;
    return true;
}

// Copies the present contents into a new file of this size and maps that file instead of the memory.
bool PagedBytes::move_to_file(std::size_t wanted) {
    const int file = nameless_file(to_.folder);
    if (file < 0) return false;
    void* const at =
        allocate(file, 0, wanted) ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (at == MAP_FAILED) {
        const int failed = errno;
        close(file);
        errno = failed;
        return false;
    }
    std::copy_n(data_, capacity_, static_cast<std::uint8_t*>(at));
    std::free(data_);
    data_ = static_cast<std::uint8_t*>(at);
    capacity_ = wanted;
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
