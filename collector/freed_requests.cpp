#include "collector/freed_requests.hpp"

#include "collector/requests.hpp"
#include "mpi_kind.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/kept_requests.hpp"
#include "piggyback/mpi/message_buffer.hpp"
#include "piggyback/mpi/policy.hpp"
#include "trace/open_call.hpp"

#include <utility>

namespace tactus {

namespace {

bool keep(const LaneCounts* lane, MPI_Request request) {
    if (!piggyback_policy.on || request == handle.REQUEST_NULL) return false;
    const PendingRequest known = requests.look(key_of(request), lane != nullptr ? lane->number() : 0);
    return known.message_buffer != nullptr && known.active && keep_until_done(request, known.message_buffer);
}

} // namespace

FreedRequest::FreedRequest(const OpenCall& call, MPI_Request request)
    : since_{requests.since()}, kept_{call.is_applications() && keep(call.counts(), request)},
      nothing_{handle.REQUEST_NULL} {
    if (kept_) pmpi.Isend(nullptr, 0, handle.BYTE, MPI_PROC_NULL, 0, piggyback_host.comm, &nothing_);
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

void look_after_calls(bool wanted) { freed_receives.store(wanted, std::memory_order_relaxed); } // pairs with nothing

void look_for_freed_receives() { look_at_kept_requests(); }

void free_what_requests_hold() {
    give_up_kept_requests();
    requests.for_each([](std::uint64_t key, PendingRequest& left) {
        if (left.message_buffer == nullptr || left.message_buffer->type == MPI_Datatype{} || left.active) return;
        MPI_Request request = request_of_key(key);
        pmpi.Request_free(&request);
        free_message_buffers(std::exchange(left.message_buffer, nullptr));
    });
}

} // namespace tactus
