#include "piggyback/mpi/attached_buffer.hpp"

#include "base/locked.hpp"
#include "piggyback/header.hpp"
#include "piggyback/mpi/policy.hpp"

#include <climits>
#include <cstring>
#include <new>
#include <pthread.h>
#include <utility>

namespace tactus {
namespace {

struct Attached { // A process has at most one attached buffer.
    void* user;
    MPI_Count size;
    std::byte* ours; // nullptr: no buffer is attached, or it is the application's own
};
constinit Attached attached_now{};
constinit pthread_mutex_t attached_lock = PTHREAD_MUTEX_INITIALIZER;

} // namespace

AttachedBuffer::AttachedBuffer(const OpenCall& call, const void* buffer, MPI_Count size)
    : user_{const_cast<void*>(buffer)}, user_size_{size} {
    if (!piggyback_policy.on || !call.is_applications() || buffer == nullptr || size <= 0) return;
    // Each message takes at least MPI_BSEND_OVERHEAD bytes of the buffer (MPI 4.0, 3.6), so at most `most` messages
    // fit. Each of them needs room for a header, which is aligned to 8 bytes.
    constexpr MPI_Count more = header_bytes + 8;
    const MPI_Count most = (size + MPI_BSEND_OVERHEAD - 1) / MPI_BSEND_OVERHEAD;
    size_ = size + most * more;
    if (size <= INT_MAX && size_ > INT_MAX) size_ = INT_MAX;
    ours_ = static_cast<std::byte*>(operator new(static_cast<std::size_t>(size_), std::nothrow));
}

AttachedBuffer::~AttachedBuffer() { operator delete(ours_); }

void AttachedBuffer::attached(int rc) {
    if (rc != MPI_SUCCESS || ours_ == nullptr) return;
    const Locked hold{attached_lock};
    attached_now = {user_, user_size_, std::exchange(ours_, nullptr)};
}

void give_back_detached(const OpenCall& call, void* buffer, void* size, std::size_t size_bytes) {
    if (!call.is_applications()) return;
    const Locked hold{attached_lock};
    const Attached was = std::exchange(attached_now, {});
    if (was.ours == nullptr) return;
    void* given = nullptr;
    if (buffer != nullptr) std::memcpy(&given, buffer, sizeof given);
    if (given == was.ours) std::memcpy(buffer, &was.user, sizeof was.user);
    if (size != nullptr) std::memcpy(size, &was.size, size_bytes); // little-endian: the low bytes come first
    operator delete(was.ours);
}

} // namespace tactus
