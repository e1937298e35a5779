#include "writer/kept_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tactus {
namespace {

constexpr int how_to_open = O_RDWR | O_CLOEXEC | O_NOFOLLOW;

bool is_same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// Programs rely on the low descriptors, and some close all descriptors that they do not know. A high descriptor is not
// handed out again soon.
int out_of_the_way(int file) {
    constexpr int high = 500;
    const int moved = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, high);
    if (moved < 0) return file; // the limit on descriptors may be lower
    struct stat low {};
    struct stat ours {};
    // The application may have closed the low one meanwhile, too, and have got its number.
    if (fstat(file, &low) == 0 && fstat(moved, &ours) == 0 && is_same(low, ours)) ::close(file);
    return moved;
}

// The lock tells `tactus recover` that the process lives: the kernel removes it when the process ends, however that
// happens. No child inherits it. On a file system without locks there is none.
void lock_while_we_live(int file) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    fcntl(file, F_SETLK, &lock);
}

bool fails(int error) {
    errno = error;
    return false;
}

// Closes a descriptor that was opened just now.
bool fails_and_closes(int error, int file) {
    ::close(file);
    return fails(error);
}

} // namespace

bool KeptFile::create(const std::string& path) {
    const int file = out_of_the_way(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file < 0) return false;
    path_ = path;
    size_ = 0;
    if (fstat(file, &identity_) != 0) {
        const int error = errno;
        unlink(path.c_str());
        return fails_and_closes(error, file);
    }
    lock_while_we_live(file);
    locked_ = true;
    descriptor_ = file;
    return true;
}

bool KeptFile::open(const std::string& path, std::uint64_t size) {
    const int file = ::open(path.c_str(), how_to_open);
    if (file < 0) return false;
    path_ = path;
    size_ = size;
    if (fstat(file, &identity_) != 0 || ftruncate(file, static_cast<off_t>(size)) != 0)
        return fails_and_closes(errno, file);
    descriptor_ = file;
    return true;
}

bool KeptFile::open_again() {
    const int file = out_of_the_way(::open(path_.c_str(), how_to_open));
    struct stat status {};
    if (file < 0) return false;
    if (fstat(file, &status) != 0) return fails_and_closes(errno, file);
    // Whoever changed it took this process for dead: the lock was gone with the descriptor.
    const bool unchanged = static_cast<std::uint64_t>(status.st_size) == size_;
    if (!is_same(status, identity_) || !unchanged) return fails_and_closes(ESTALE, file);
    if (locked_) lock_while_we_live(file);
    descriptor_ = file;
    return true;
}

// Whether the descriptor is that of our file, be it opened anew, and the file was not removed.
bool KeptFile::ready() {
    struct stat status {};
    if (descriptor_ < 0) return fails(EBADF);
    if (fstat(descriptor_, &status) != 0 || !is_same(status, identity_)) return open_again();
    return status.st_nlink > 0 || fails(ENOENT);
}

bool KeptFile::write(ByteView bytes, std::uint64_t offset) {
    int closings = 10; // in the very moment between the check and the write
    for (std::size_t done = 0; done < bytes.size();) {
        if (!ready()) return false;
        const ssize_t wrote =
            pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (wrote < 0 && (errno == EINTR || (errno == EBADF && closings-- > 0))) continue;
        if (wrote == 0) errno = ENOSPC;
        if (wrote <= 0) return false;
        done += static_cast<std::size_t>(wrote);
        size_ = std::max(size_, offset + done);
    }
    return true;
}

bool KeptFile::cut(std::uint64_t size) {
    if (!ready() || ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return false;
    size_ = size;
    return true;
}

// A network file system may report an error only now. It reports it to the application if that closed the file.
bool KeptFile::close() {
    const int file = std::exchange(descriptor_, -1);
    struct stat status {};
    const bool ours = file >= 0 && fstat(file, &status) == 0 && is_same(status, identity_);
    return !ours || ::close(file) == 0;
}

void KeptFile::remove() {
    unlink(path_.c_str());
    static_cast<void>(close());
}

} // namespace tactus
