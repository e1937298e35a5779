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

// A buffer of ours in place of the application's own.
struct Attached {
    BufferOwner owner;
    void* user;
    MPI_Count size;
    std::byte* ours;
    MPI_Count our_size;
    Attached* next;
};

namespace {

constinit Attached* attached_now = nullptr;
constinit pthread_mutex_t attached_lock = PTHREAD_MUTEX_INITIALIZER;

// Takes what was attached to `owner` out of the list; nullptr: nothing. Needs the lock.
Attached* take_attached(BufferOwner owner) {
    for (Attached** place = &attached_now; *place != nullptr; place = &(*place)->next)
        if ((*place)->owner == owner) return std::exchange(*place, (*place)->next);
    return nullptr;
}

void free_attached(Attached* attached) {
    if (attached == nullptr) return;
    operator delete(attached->ours);
    delete attached;
}

// A buffer that the MPI makes by itself (MPI 4.1).
bool is_automatic(const void* buffer) { return buffer == MPI_BUFFER_AUTOMATIC; }

} // namespace

AttachedBuffer::AttachedBuffer(const OpenCall& call, BufferOwner owner, const void* buffer, MPI_Count size)
    : owner_{owner}, user_{const_cast<void*>(buffer)}, user_size_{size} {
    if (!piggyback_policy.on || !call.is_applications() || buffer == nullptr || is_automatic(buffer) || size <= 0)
        return;
    // Each message takes at least MPI_BSEND_OVERHEAD bytes of the buffer (MPI 4.0, 3.6), so at most `most` messages
    // fit. Each of them needs room for a header, which is aligned to 8 bytes.
    constexpr MPI_Count more = header_bytes + 8;
    const MPI_Count most = (size + MPI_BSEND_OVERHEAD - 1) / MPI_BSEND_OVERHEAD;
    size_ = size + most * more;
    if (size <= INT_MAX && size_ > INT_MAX) size_ = INT_MAX;
    entry_ = new (std::nothrow) Attached{owner, user_, user_size_, nullptr, size_, nullptr};
    if (entry_ != nullptr) ours_ = static_cast<std::byte*>(operator new(static_cast<std::size_t>(size_), std::nothrow));
}

AttachedBuffer::~AttachedBuffer() {
    operator delete(ours_);
    delete entry_;
}

void AttachedBuffer::attached(int rc) {
    if (rc != MPI_SUCCESS) return;
    const Locked hold{attached_lock};
    // A communicator of the same handle may have been freed with its buffer.
    free_attached(take_attached(owner_));
    if (ours_ == nullptr) return;
    entry_->ours = std::exchange(ours_, nullptr);
    entry_->next = attached_now;
    attached_now = std::exchange(entry_, nullptr);
}

void give_back_detached(const OpenCall& call, BufferOwner owner, void* buffer, void* size, std::size_t size_bytes) {
    if (!call.is_applications()) return;
    const Locked hold{attached_lock};
    Attached* const was = take_attached(owner);
    if (was == nullptr) return;
    void* given = nullptr;
    if (buffer != nullptr) std::memcpy(&given, buffer, sizeof given);
    if (given == was->ours) std::memcpy(buffer, &was->user, sizeof was->user);
    // A communicator may have been freed with its buffer, and another one have had one of its own.
    MPI_Count given_size = 0;
    if (size != nullptr) std::memcpy(&given_size, size, size_bytes); // little-endian: the low bytes come first
    if (size != nullptr && given_size == was->our_size) std::memcpy(size, &was->size, size_bytes);
    free_attached(was);
}

} // namespace tactus
