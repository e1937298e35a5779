#include "collector/piggyback/freed_requests.hpp"

#include "base/locked.hpp"
#include "collector/piggyback/carrying.hpp"
#include "collector/piggyback/parcel.hpp"
#include "collector/requests.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"
#include "mpi_kind.hpp"

#include <cstddef>
#include <new>
#include <pthread.h>
#include <utility>

namespace tactus {
namespace {

struct Freed {
    MPI_Request request;
    Parcel* parcel;
    Freed* next;
};
constinit Freed* oldest = nullptr;
constinit Freed* newest = nullptr;
constinit pthread_mutex_t freed_lock = PTHREAD_MUTEX_INITIALIZER;

// Looks at the oldest ones, which go to the end of the line when they are not complete.
void reap(std::size_t most) {
    Freed* const last = newest;
    for (std::size_t i = 0; i < most && oldest != nullptr; ++i) {
        Freed* const one = oldest;
        int done = 0;
        MPI_Status status;
        pmpi.Request_get_status(one->request, &done, &status); // unlike MPI_Test it calls no error handler
        if (done != 0) {
            take_in_all(one->parcel, status);
            pmpi.Request_free(&one->request);
        }
        oldest = one->next;
        if (oldest == nullptr) newest = nullptr;
        if (done != 0) {
            free_parcels(one->parcel);
            delete one;
        } else {
            one->next = nullptr;
            (newest != nullptr ? newest->next : oldest) = one;
            newest = one;
        }
        if (one == last) return;
    }
}

bool keep(MPI_Request request) {
    if (!carrying.on || request == handle.REQUEST_NULL) return false;
    const std::uint64_t lane = thread.lane != nullptr ? thread.lane->number() : 0;
    const PendingRequest known = requests.look(key_of(request), lane);
    if (known.parcel == nullptr || !known.active) return false;
    auto* const freed = new (std::nothrow) Freed{request, known.parcel, nullptr};
    if (freed == nullptr) return false;
    constexpr std::size_t looked_at = 2; // so that there are never many
    const Locked hold{freed_lock};
    reap(looked_at);
    (newest != nullptr ? newest->next : oldest) = freed;
    newest = freed;
    for (const Parcel* parcel = known.parcel; parcel != nullptr; parcel = parcel->next)
        if (parcel->received && parcel->bytes > 0) freed_receives = true;
    return true;
}

} // namespace

constinit std::atomic<bool> freed_receives{false};

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
    if (pthread_mutex_trylock(&freed_lock) != 0) return; // also of a call that a callback or signal handler makes
    reap(~std::size_t{0});
    if (oldest == nullptr) freed_receives = false;
    pthread_mutex_unlock(&freed_lock);
}

void reap_all_freed_requests() {
    const Locked hold{freed_lock};
    reap(~std::size_t{0});
    freed_receives = false;
    for (const Freed* one = oldest; one != nullptr; one = one->next) {
        MPI_Request request = one->request;
        pmpi.Request_free(&request);
    }
    requests.for_each([](std::uint64_t key, PendingRequest& left) {
        if (left.parcel == nullptr || left.parcel->type == MPI_Datatype{} || left.active) return;
        MPI_Request request = request_of_key(key);
        pmpi.Request_free(&request);
        free_parcels(std::exchange(left.parcel, nullptr));
    });
}

} // namespace tactus
