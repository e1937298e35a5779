#include "piggyback/mpi/freed_requests.hpp"

#include "base/locked.hpp"
#include "collector/completion.hpp"
#include "collector/requests.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"
#include "mpi_kind.hpp"
#include "piggyback/mpi/message_buffer.hpp"
#include "piggyback/mpi/policy.hpp"

#include <cstddef>
#include <new>
#include <pthread.h>
#include <utility>

namespace tactus {

constinit std::atomic<bool> freed_receives{false};

namespace {

struct Freed {
    MPI_Request request;
    MessageBuffer* message_buffer;
    Freed* next;
};
constinit Freed* oldest = nullptr;
constinit Freed* newest = nullptr;
constinit pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; // of these two

// One thread looks at the requests at a time; others wait, for what they are told must be where it belongs. Not for
// itself: MPICH calls error handlers of the application, and these call MPI.
constinit pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

class Looking {
  public:
    explicit Looking(bool waits)
        : mine_{!thread.looks && (waits ? pthread_mutex_lock(&looking) : pthread_mutex_trylock(&looking)) == 0} {
        if (mine_) thread.looks = true;
    }
    ~Looking() {
        if (!mine_) return;
        thread.looks = false;
        pthread_mutex_unlock(&looking);
    }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    [[nodiscard]] bool is_mine() const { return mine_; }

  private:
    bool mine_;
};

Freed* newest_now() {
    const Locked hold{list_lock};
    return newest;
}

Freed* take_oldest() {
    const Locked hold{list_lock};
    Freed* const one = oldest;
    if (one == nullptr) return nullptr;
    oldest = std::exchange(one->next, nullptr);
    if (oldest == nullptr) newest = nullptr;
    return one;
}

void put_behind(Freed* one) {
    const Locked hold{list_lock};
    (newest != nullptr ? newest->next : oldest) = one;
    newest = one;
    if (one->message_buffer->received) freed_receives = true;
}

// Looks at the oldest ones, which go to the end of the line when they are not complete. Of the thread that looks.
void reap(std::size_t most) {
    Freed* const last = newest_now();
    for (std::size_t i = 0; i < most; ++i) {
        Freed* const one = take_oldest();
        if (one == nullptr) return;
        const bool was_last = one == last;
        int done = 0;
        MPI_Status status;
        const int rc = pmpi.Request_get_status(one->request, &done, &status);
        if (done != 0) {
            take_in(one->message_buffer, status, rc == MPI_SUCCESS ? rc : class_of(rc));
            pmpi.Request_free(&one->request);
            free_message_buffers(one->message_buffer);
            delete one;
        } else {
            put_behind(one);
        }
        if (was_last) return;
    }
}

void append(Freed* freed) {
    constexpr std::size_t looked_at = 2; // so that there are never many
    if (const Looking now{false}; now.is_mine()) reap(looked_at);
    put_behind(freed);
}

bool keep(MPI_Request request) {
    if (!piggyback_policy.on || request == handle.REQUEST_NULL) return false;
    const std::uint64_t lane = thread.lane != nullptr ? thread.lane->number() : 0;
    const PendingRequest known = requests.look(key_of(request), lane);
    if (known.message_buffer == nullptr || !known.active) return false;
    auto* const freed = new (std::nothrow) Freed{request, known.message_buffer, nullptr};
    if (freed == nullptr) return false;
    append(freed);
    return true;
}

} // namespace

void keep_until_done(MPI_Request request, MessageBuffer* message_buffer) {
    auto* const sent = new (std::nothrow) Freed{request, message_buffer, nullptr};
    if (sent != nullptr) append(sent); // else the MPI may still read the message_buffer: it is never freed
}

FreedRequest::FreedRequest(const Call& call, MPI_Request request)
    : since_{requests.since()}, kept_{call.is_applications() && keep(request)}, nothing_{handle.REQUEST_NULL} {
    if (kept_) pmpi.Isend(nullptr, 0, handle.BYTE, MPI_PROC_NULL, 0, session->comm, &nothing_);
}

MPI_Request* FreedRequest::given(MPI_Request* own) {
    if (!kept_) return own;
    *own = handle.REQUEST_NULL;
    return &nothing_;
}

MPI_Fint* FreedRequest::fortran_given(MPI_Fint* own) {
    if (!kept_) return own;
    *own = fortran_of(handle.REQUEST_NULL);
    fortran_nothing_ = fortran_of(nothing_);
    return &fortran_nothing_;
}

void look_for_freed_receives() {
    const Looking now{true};
    if (!now.is_mine()) return;
    reap(~std::size_t{0});
    const Locked hold{list_lock};
    if (newest == nullptr) freed_receives = false;
}

// Receives are given up: no message can come any more. The MPI may still hold the message_buffer.
void await_freed_requests(MPI_Comm comm) {
    if (!disconnect_awaits_requests) return;
    const Looking now{true};
    if (!now.is_mine()) return;
    for (bool waits = true; waits;) {
        reap(~std::size_t{0});
        waits = false;
        Freed* const last = newest_now();
        for (bool more = last != nullptr; more;) {
            Freed* const one = take_oldest();
            if (one == nullptr) break;
            more = one != last;
            const bool is_it = one->message_buffer->comm == comm;
            if (is_it && one->message_buffer->received) {
                pmpi.Request_free(&one->request);
                delete one;
            } else {
                waits = waits || is_it;
                put_behind(one);
            }
        }
    }
}

void reap_all_freed_requests() {
    const Looking now{true};
    reap(~std::size_t{0});
    freed_receives = false;
    while (Freed* const one = take_oldest()) pmpi.Request_free(&one->request);
    requests.for_each([](std::uint64_t key, PendingRequest& left) {
        if (left.message_buffer == nullptr || left.message_buffer->type == MPI_Datatype{} || left.active) return;
        MPI_Request request = request_of_key(key);
        pmpi.Request_free(&request);
        free_message_buffers(std::exchange(left.message_buffer, nullptr));
    });
}

} // namespace tactus
