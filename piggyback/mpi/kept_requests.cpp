#include "piggyback/mpi/kept_requests.hpp"

#include "base/locked.hpp"
#include "base/thread_state_kept.hpp"
#include "mpi_kind.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/message_buffer.hpp"
#include "piggyback/mpi/policy.hpp"

#include <cstddef>
#include <new>
#include <pthread.h>
#include <utility>

namespace tactus {

namespace {

struct KeptRequest {
    MPI_Request request;
    MessageBuffer* message_buffer;
    KeptRequest* next;
};
constinit KeptRequest* oldest = nullptr;
constinit KeptRequest* newest = nullptr;
constinit pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; // protects the list

// One thread looks at the requests at a time. Other threads wait for it, because a message that they are told of must
// be delivered. A thread does not wait for itself: MPICH calls error handlers of the application, and these may call
// MPI.
constinit pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

thread_local constinit bool looks = false; // whether this thread holds `looking`

class Looking {
  public:
    explicit Looking(bool waits)
        : mine_{!looks && (waits ? pthread_mutex_lock(&looking) : pthread_mutex_trylock(&looking)) == 0} {
        if (mine_) looks = true;
    }
    ~Looking() {
        if (!mine_) return;
        looks = false;
        pthread_mutex_unlock(&looking);
    }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    [[nodiscard]] bool is_mine() const { return mine_; }

  private:
    NotCancelled not_cancelled_;
    bool mine_;
};

KeptRequest* newest_now() {
    const Locked hold{list_lock};
    return newest;
}

KeptRequest* pop_oldest() {
    const Locked hold{list_lock};
    KeptRequest* const kept = oldest;
    if (kept == nullptr) return nullptr;
    oldest = std::exchange(kept->next, nullptr);
    if (oldest == nullptr) newest = nullptr;
    return kept;
}

void append(KeptRequest* kept) {
    const Locked hold{list_lock};
    (newest != nullptr ? newest->next : oldest) = kept;
    newest = kept;
    if (kept->message_buffer->for_receive) look_after_calls(true);
}

// Looks at up to `most` of the oldest requests. Those that are not complete go to the end of the list. Only for the
// thread that holds `looking`.
void reap(std::size_t most) {
    KeptRequest* const last = newest_now();
    for (std::size_t i = 0; i < most; ++i) {
        KeptRequest* const kept = pop_oldest();
        if (kept == nullptr) return;
        const bool was_last = kept == last;
        int done = 0;
        MPI_Status status;
        const int rc = pmpi.Request_get_status(kept->request, &done, &status);
        if (done != 0) {
            finish_receive(kept->message_buffer, status, rc == MPI_SUCCESS ? rc : class_of(rc));
            pmpi.Request_free(&kept->request);
            free_message_buffers(kept->message_buffer);
            delete kept;
        } else {
            append(kept);
        }
        if (was_last) return;
    }
}

} // namespace

bool keep_until_done(MPI_Request request, MessageBuffer* message_buffer) {
    auto* const kept = new (std::nothrow) KeptRequest{request, message_buffer, nullptr};
    if (kept == nullptr) return false;
    constexpr std::size_t looked_at = 2; // more than the one that is added, so that the list stays short
    if (const Looking now{false}; now.is_mine()) reap(looked_at);
    append(kept);
    return true;
}

void look_at_kept_requests() {
    const Looking now{true};
    if (!now.is_mine()) return;
    reap(~std::size_t{0});
    const Locked hold{list_lock};
    if (newest == nullptr) look_after_calls(false);
}

// Receives are given up, since no message can arrive any more. Their message buffers are not freed, because the MPI may
// still use them.
void await_kept_requests(MPI_Comm comm) {
    if (!disconnect_awaits_requests) return;
    const Looking now{true};
    if (!now.is_mine()) return;
    for (bool waits = true; waits;) {
        reap(~std::size_t{0});
        waits = false;
        KeptRequest* const last = newest_now();
        for (bool more = last != nullptr; more;) {
            KeptRequest* const kept = pop_oldest();
            if (kept == nullptr) break;
            more = kept != last;
            const bool is_its = kept->message_buffer->comm == comm;
            if (is_its && kept->message_buffer->for_receive) {
                pmpi.Request_free(&kept->request);
                delete kept;
            } else {
                waits = waits || is_its;
                append(kept);
            }
        }
    }
}

void give_up_kept_requests() {
    const Looking now{true};
    reap(~std::size_t{0});
    look_after_calls(false);
    while (KeptRequest* const kept = pop_oldest()) pmpi.Request_free(&kept->request);
}

} // namespace tactus
