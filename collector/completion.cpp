// The Wait and Test families, by hand: the handles have to be read before the MPI clears them, and afterwards a request
// is complete exactly if its handle was cleared. One completion fits the call's record, others follow as words.
#include "collector/call.hpp"
#include "collector/session.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace tactus {
namespace {

// Copies of the handles, room for statuses and words, all in the thread's scratch memory.
class Batch {
  public:
    // `ours`: the application ignores its statuses, the MPI is to fill ours.
    Batch(int count, const MPI_Request* requests_before, MPI_Status* statuses)
        : count_{count > 0 && requests_before != nullptr ? count : 0} {
        const auto n = static_cast<std::size_t>(count_);
        const bool ours = statuses == MPI_STATUSES_IGNORE;
        constexpr std::size_t words_each = 3;
        auto* memory = static_cast<std::byte*>(scratch(
            n * (words_each * sizeof(std::int64_t) + sizeof(MPI_Request) + (ours ? sizeof(MPI_Status) : 0)) + 64));
        if (memory == nullptr) {
            count_ = 0;
            statuses_ = statuses;
            return;
        }
        words_ = reinterpret_cast<std::int64_t*>(memory);
        memory += n * words_each * sizeof(std::int64_t);
        before_ = reinterpret_cast<MPI_Request*>(memory);
        memory += (n * sizeof(MPI_Request) + 7) / 8 * 8;
        statuses_ = ours ? reinterpret_cast<MPI_Status*>(memory) : statuses;
        if (n > 0) std::memcpy(before_, requests_before, n * sizeof(MPI_Request));
    }
    [[nodiscard]] MPI_Status* statuses() { return statuses_; }

    // Request `index`, if the call cleared its handle; `status` is its own.
    void look_at(int index, MPI_Request after, const MPI_Status& status) {
        if (index < 0 || index >= count_) return;
        const MPI_Request before = before_[index];
        if (before == handle.REQUEST_NULL || after != handle.REQUEST_NULL) return;
        const PendingRequest request = requests.take(before, thread.lane->number());
        if (request.kind == RequestKind::none) {
            session->losses.add(Loss::unknown_handle);
            return;
        }
        if (request.kind == RequestKind::comm) duplicates_.push_back(request);
        if (completed_++ == 0) {
            first_ = request;
            first_status_ = &status;
        }
        const bool received = request.kind == RequestKind::receive && !cancelled(status);
        words_[used_++] = static_cast<std::int64_t>(request.number << 1 | (received ? 1 : 0));
        if (!received) return;
        const std::int32_t source = rank_or_special(status.MPI_SOURCE);
        words_[used_++] = source == peer::proc_null ? 0 : static_cast<std::int64_t>(bytes_in(status));
        words_[used_++] = envelope_word(source, status.MPI_TAG);
    }

    // Writes what was completed into the call's record, and publishes it.
    void store(Call& call) {
        if (completed_ == 1)
            call.completes(first_, *first_status_);
        else if (completed_ > 1)
            call.set_words({words_, used_});
        call.store();
        for (const PendingRequest& one : duplicates_)
            if (*one.newcomm != handle.COMM_NULL && comms.started())
                note_comm(call.lane(), comms.define_duplicate(one.parent, *one.newcomm, one.identity));
    }

  private:
    int count_;
    int completed_ = 0;
    std::size_t used_ = 0;
    std::int64_t* words_ = nullptr;
    MPI_Request* before_ = nullptr;
    MPI_Status* statuses_ = nullptr;
    PendingRequest first_;
    const MPI_Status* first_status_ = nullptr;
    std::vector<PendingRequest> duplicates_; // allocates only for MPI_Comm_idup
};

bool has_statuses(int rc) { return rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS; }

} // namespace
} // namespace tactus

using namespace tactus;

extern "C" {

int traced_Wait(MPI_Request* request, MPI_Status* status) {
    Call call{Function::Wait, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Wait(request, status);
    StatusSlot slot{status};
    Batch batch{1, request, slot.get()};
    const int rc = call.left(pmpi.Wait(request, slot.get()));
    batch.look_at(0, handle_or(request, handle.REQUEST_NULL), *slot);
    batch.store(call);
    return rc;
}

int traced_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    Call call{Function::Test, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Test(request, flag, status);
    StatusSlot slot{status};
    Batch batch{1, request, slot.get()};
    const int rc = call.left(pmpi.Test(request, flag, slot.get()));
    if (rc == MPI_SUCCESS && *flag == 0) call.missed();
    batch.look_at(0, handle_or(request, handle.REQUEST_NULL), *slot);
    batch.store(call);
    return rc;
}

int traced_Waitall(int count, MPI_Request* array, MPI_Status* statuses) {
    Call call{Function::Waitall, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Waitall(count, array, statuses);
    Batch batch{count, array, statuses};
    const int rc = call.left(pmpi.Waitall(count, array, batch.statuses()));
    for (int i = 0; i < count && has_statuses(rc); ++i) batch.look_at(i, array[i], batch.statuses()[i]);
    batch.store(call);
    return rc;
}

int traced_Testall(int count, MPI_Request* array, int* flag, MPI_Status* statuses) {
    Call call{Function::Testall, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Testall(count, array, flag, statuses);
    Batch batch{count, array, statuses};
    const int rc = call.left(pmpi.Testall(count, array, flag, batch.statuses()));
    if (rc == MPI_SUCCESS && *flag == 0) call.missed();
    const bool done = (rc == MPI_SUCCESS && *flag != 0) || rc == MPI_ERR_IN_STATUS;
    for (int i = 0; i < count && done; ++i) batch.look_at(i, array[i], batch.statuses()[i]);
    batch.store(call);
    return rc;
}

int traced_Waitany(int count, MPI_Request* array, int* index, MPI_Status* status) {
    Call call{Function::Waitany, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Waitany(count, array, index, status);
    StatusSlot slot{status};
    Batch batch{count, array, slot.get()};
    const int rc = call.left(pmpi.Waitany(count, array, index, slot.get()));
    if (array != nullptr && index != nullptr && *index >= 0 && *index < count)
        batch.look_at(*index, array[*index], *slot);
    batch.store(call);
    return rc;
}

int traced_Testany(int count, MPI_Request* array, int* index, int* flag, MPI_Status* status) {
    Call call{Function::Testany, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Testany(count, array, index, flag, status);
    StatusSlot slot{status};
    Batch batch{count, array, slot.get()};
    const int rc = call.left(pmpi.Testany(count, array, index, flag, slot.get()));
    if (rc == MPI_SUCCESS && *flag == 0)
        call.missed();
    else if (array != nullptr && index != nullptr && *index >= 0 && *index < count)
        batch.look_at(*index, array[*index], *slot);
    batch.store(call);
    return rc;
}

int traced_Waitsome(int incount, MPI_Request* array, int* outcount, int* indices, MPI_Status* statuses) {
    Call call{Function::Waitsome, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Waitsome(incount, array, outcount, indices, statuses);
    Batch batch{incount, array, statuses};
    const int rc = call.left(pmpi.Waitsome(incount, array, outcount, indices, batch.statuses()));
    for (int i = 0; has_statuses(rc) && i < *outcount; ++i)
        batch.look_at(indices[i], array[indices[i]], batch.statuses()[i]);
    batch.store(call);
    return rc;
}

int traced_Testsome(int incount, MPI_Request* array, int* outcount, int* indices, MPI_Status* statuses) {
    Call call{Function::Testsome, TACTUS_CALLER};
    if (!call.recorded()) return pmpi.Testsome(incount, array, outcount, indices, statuses);
    Batch batch{incount, array, statuses};
    const int rc = call.left(pmpi.Testsome(incount, array, outcount, indices, batch.statuses()));
    if (rc == MPI_SUCCESS && *outcount == 0) call.missed();
    for (int i = 0; has_statuses(rc) && i < *outcount; ++i)
        batch.look_at(indices[i], array[indices[i]], batch.statuses()[i]);
    batch.store(call);
    return rc;
}

} // extern "C"
