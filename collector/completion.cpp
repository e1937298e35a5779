#include "collector/completion.hpp"

#include "base/thread_state_kept.hpp"
#include "collector/call_handles.hpp"
#include "collector/session.hpp"
#include "piggyback/mpi/message_in_call.hpp"

namespace tactus {
namespace {

inline bool is_received(RequestKind kind, const MPI_Status& status) {
    return kind == RequestKind::receive && !cancelled(status);
}

// Marks, in a status and until the call ends, a receive whose message was too long, which only tactus knows. No MPI
// uses this error code.
constexpr int truncated_here = -300;

// Whether the operation is over. It may have ended with an error.
bool is_over(int rc, bool done) { return rc == MPI_SUCCESS ? done : class_of(rc) == MPI_ERR_TRUNCATE; }

inline Completion completion(std::uint64_t number, RequestKind kind, const MPI_Status& status) {
    if (!is_received(kind, status)) return {.request = number};
    const std::int32_t source = rank_or_special(status.MPI_SOURCE);
    const std::uint64_t bytes = source == peer::proc_null ? 0 : bytes_in(status);
    return {number, true, bytes, source, status.MPI_TAG};
}

} // namespace

Batch::Batch(Call& call, int count, RequestArray array, MPI_Status* statuses)
    : call_{call}, requests_{array}, count_{(call.recorded() || (piggyback_policy.on && call.is_applications())) &&
                                                    count > 0 && array.array != nullptr
                                                ? count
                                                : 0},
      statuses_{statuses}, ignored_{statuses == MPI_STATUSES_IGNORE} {
    if (count_ == 0) return;
    if (count_ <= own) [[likely]] {
        words_ = own_words_;
        names_ = own_names_;
        before_ = own_before_;
        if (statuses == MPI_STATUSES_IGNORE) statuses_ = own_statuses_;
    } else if (!get_room()) {
        count_ = 0;
        return;
    }
    for (int i = 0; i < count_; ++i) before_[i] = array[i];
    since_ = call.recorded() ? call.since() : requests.since();
}

bool Batch::get_room() {
    const auto n = static_cast<std::size_t>(count_);
    const bool ours = statuses_ == MPI_STATUSES_IGNORE;
    const std::size_t words = n * Completion::most_words * sizeof *words_;
    const std::size_t before = (n * sizeof *before_ + 7) / 8 * 8;
    const std::size_t names = (1 + n) * sizeof *names_;
    auto* const memory =
        static_cast<std::byte*>(call_.room(words + names + before + (ours ? n * sizeof *statuses_ : 0)));
    if (memory == nullptr) return false;
    words_ = reinterpret_cast<std::int64_t*>(memory);
    names_ = reinterpret_cast<std::int64_t*>(memory + words);
    before_ = reinterpret_cast<MPI_Request*>(memory + words + names);
    if (ours) statuses_ = reinterpret_cast<MPI_Status*>(memory + words + names + before);
    return true;
}

// `said`: the call says that request `index` is complete.
[[gnu::always_inline]] inline void Batch::take(int index, bool said, MPI_Status& status, int error) {
    if (index < 0 || index >= count_) return;
    const MPI_Request before = before_[index];
    if (before == handle.REQUEST_NULL) return;
    const bool cleared = requests_[index] == handle.REQUEST_NULL;
    if (!cleared && !said) return;
    const std::uint64_t lane = call_.lane_number();
    // A request whose handle was not cleared is persistent; its kind is none when it was inactive.
    PendingRequest request;
    if (cleared) [[likely]]
        request = requests.take(key_of(before), lane, since_);
    else
        request = requests.finish(key_of(before), lane);
    sender_ = 0;
    if (request.message_buffer != nullptr) unload(request, status, error);
    if (!call_.recorded()) [[unlikely]] {
        delete request.duplicate;
        return;
    }
    if (request.kind == RequestKind::none) [[unlikely]] {
        if (cleared) session->losses().add(Loss::unknown_handle);
        return;
    }
    if (error == MPI_SUCCESS || tells_truncated_length) [[likely]]
        return put(request, status);
    MPI_Status known = status; // which may have the length of another message
    set_bytes(known, 0);
    put(request, known);
}

[[gnu::always_inline]] inline void Batch::put(PendingRequest request, const MPI_Status& status) {
    if (request.duplicate != nullptr) [[unlikely]] {
        request.duplicate->next = duplicates_;
        duplicates_ = request.duplicate;
    }
    if (request.skipped || call_.skipped()) [[unlikely]]
        return put_skipped(request.comm, request.kind, status);
    ++completed_;
    if (piggyback_policy.names && is_received(request.kind, status)) names_[++named_] = sender_;
    used_ += completion(request.number, request.kind, status).put(words_ + used_);
}

// Takes the header off the message of a complete request. A persistent request keeps its message_buffer.
void Batch::unload(const PendingRequest& request, MPI_Status& status, int error) {
    const DefaultFloats floats;
    ++unloaded_;
    MessageBuffer& message_buffer = *request.message_buffer;
    const Received received = finish_receive(&message_buffer, status, error);
    if (received == Received::headed || received == Received::split) [[likely]]
        arrivals_.add(message_buffer.header, request.comm, status.MPI_SOURCE);
    if (received == Received::headed) [[likely]] {
        sender_ = static_cast<std::int64_t>(message_buffer.header.send_id);
    } else if (received == Received::truncated) {
        if (!cut_) cut_comm_ = message_buffer.comm;
        cut_ = true;
        status.MPI_ERROR = truncated_here;
    }
    if (request.preparation == nullptr) free_message_buffers(&message_buffer);
}

// Counts a message whose receive has no start or no completion in the trace.
void Batch::put_skipped(std::uint32_t comm, RequestKind kind, const MPI_Status& status) {
    if (is_received(kind, status) && status.MPI_SOURCE >= 0)
        call_.lane().skipped().add(comm, status.MPI_SOURCE, Direction::received);
}

// Ends a call on one request (`several` is 0), or on `several` requests with a status each: reports messages that were
// too long, and stores the call.
int Batch::ended(int rc, int several) {
    if (cut_) [[unlikely]] {
        call_.fails();
        for (int i = 0; i < several; ++i) {
            int& error = statuses_[i].MPI_ERROR;
            if (error == truncated_here)
                error = MPI_ERR_TRUNCATE;
            else if (rc == MPI_SUCCESS)
                error = MPI_SUCCESS;
        }
        const int code = several > 0 ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE;
        if (rc == MPI_SUCCESS)
            requests_fail_by_themselves ? raise_truncation(cut_comm_) : raise_truncation(handle.COMM_WORLD, code);
        rc = code;
    }
    store();
    return rc;
}

int Batch::completed_one(int rc, bool done, MPI_Status& status) {
    const int error = status.MPI_ERROR;
    take(0, is_over(rc, done), status, rc == MPI_SUCCESS ? rc : class_of(rc));
    if (cut_) [[unlikely]]
        status.MPI_ERROR = error; // the call itself returns the error
    return ended(rc, 0);
}

// MPICH 4.2, the first with MPI 4.1, completes all requests of a failed MPI_Waitall whose statuses are ignored. Since
// it gets statuses from us, it leaves those behind the first fault pending, though they are complete.
void Batch::complete_ignored() {
    int version = 0;
    int subversion = 0;
    pmpi.Get_version(&version, &subversion);
    if (version * 10 + subversion < 41) return;
    auto* const array = static_cast<MPI_Request*>(const_cast<void*>(requests_.array)); // MPICH's handles are Fortran's
    for (int i = 0; i < count_; ++i)
        if (array[i] != handle.REQUEST_NULL && class_of(statuses_[i].MPI_ERROR) == MPI_ERR_PENDING)
            statuses_[i].MPI_ERROR = pmpi.Wait(&array[i], &statuses_[i]);
}

int Batch::completed_all(int rc, bool done) {
    const bool failed = rc != MPI_SUCCESS && has_statuses(rc);
    if (failed && done && ignored_ && completes_all_ignored) [[unlikely]]
        complete_ignored();
    for (int i = 0; i < count_ && has_statuses(rc); ++i) {
        const int error = rc == MPI_SUCCESS ? MPI_SUCCESS : class_of(statuses_[i].MPI_ERROR);
        take(i, error != MPI_ERR_PENDING, statuses_[i], error);
    }
    return ended(rc, count_);
}

bool Batch::is_cleared(int index) const {
    return index >= 0 && index < count_ && before_[index] != handle.REQUEST_NULL &&
           requests_[index] == handle.REQUEST_NULL;
}

// MPICH's mpi_f08 forgets that Fortran counts from 1 (4.0.2). The first request that it clears shows this.
int Batch::request_index(int index) const {
    static constinit std::atomic<bool> short_by_one{false};
    if (!requests_.f08) return index;
    if (!is_cleared(index) && is_cleared(index + 1)) short_by_one.store(true, std::memory_order_relaxed);
    return short_by_one.load(std::memory_order_relaxed) ? index + 1 : index;
}

int Batch::completed_any(int rc, bool done, int index, MPI_Status& status) {
    const int error = status.MPI_ERROR;
    take(request_index(index), is_over(rc, done), status, rc == MPI_SUCCESS ? rc : class_of(rc));
    if (cut_) [[unlikely]]
        status.MPI_ERROR = error;
    return ended(rc, 0);
}

int Batch::completed_some(int rc, int done, IndexArray indices) {
    for (int i = 0; has_statuses(rc) && i < done && count_ > 0; ++i) {
        take(request_index(indices[i]), true, statuses_[i],
             rc == MPI_SUCCESS ? MPI_SUCCESS : class_of(statuses_[i].MPI_ERROR));
    }
    return ended(rc, has_statuses(rc) ? done : 0);
}

// Writes what was completed into the call's record, and publishes it.
void Batch::store() {
    if (unloaded_ > 0) {
        const DefaultFloats floats;
        arrivals_.settle(call_);
        late_by(unloaded_ * call_costs.complete);
    }
    if (!call_.recorded()) return;
    if (named_ > 0) [[unlikely]] {
        names_[0] = 0;
        call_.note_messages({names_, 1 + named_});
    }
    if (completed_ == 1)
        note_completed(call_, Completion::from(words_));
    else if (completed_ > 1)
        call_.set_words({words_, used_});
    call_.store();
    if (duplicates_ != nullptr) [[unlikely]]
        define_duplicates();
}

void Batch::define_duplicates() {
    while (duplicates_ != nullptr) {
        const PendingComm* const duplicate = duplicates_;
        duplicates_ = duplicate->next;
        const MPI_Comm made = comm_at(duplicate->newcomm);
        if (made != handle.COMM_NULL && comms.started())
            note_comm(call_.lane(), comms.define_duplicate(duplicate->parent, made, duplicate->identity));
        delete duplicate;
    }
}

namespace {

// Takes the header off the message of a request that is complete and stays. Returns the request, if it is to be noted.
PendingRequest seen_complete(const Call& call, MPI_Request request, MPI_Status& status) {
    if (!call.is_applications()) return {};
    const PendingRequest known = requests.look(key_of(request), call.lane_number());
    if (known.kind == RequestKind::none || !known.active) return {};
    if (known.message_buffer != nullptr) finish_receive(known.message_buffer, status, MPI_SUCCESS);
    return call.recorded() && !call.skipped() ? known : PendingRequest{};
}

} // namespace

void saw_complete(Call& call, MPI_Request request, MPI_Status& status) {
    const PendingRequest known = seen_complete(call, request, status);
    if (known.kind == RequestKind::none) return;
    std::int64_t* const words = call.room_for_words(Completion::most_words);
    call.set_words({words, completion(known.number, known.kind, status).put(words)});
}

void Batch::see(int index, MPI_Status& status) {
    if (index < 0 || index >= count_ || before_[index] == handle.REQUEST_NULL) return;
    const PendingRequest known = seen_complete(call_, before_[index], status);
    if (known.kind != RequestKind::none) used_ += completion(known.number, known.kind, status).put(words_ + used_);
}

void Batch::store_seen(bool any) {
    if (!any) return call_.missed();
    if (!call_.recorded()) return;
    if (used_ > 0) call_.set_words({words_, used_});
    call_.store();
}

void Batch::saw_any(bool seen, int index, MPI_Status& status) {
    if (seen) see(index, status);
    store_seen(seen);
}

void Batch::saw_all(bool seen) {
    for (int i = 0; seen && i < count_; ++i) see(i, statuses_[i]);
    store_seen(seen);
}

void Batch::saw_some(int seen, IndexArray indices) {
    for (int i = 0; count_ > 0 && i < seen; ++i) see(indices[i], statuses_[i]);
    store_seen(seen != 0);
}

} // namespace tactus
