// One MPI call being recorded: made at the wrapper's start, stored in the thread's lane when it goes.
// While it lives, its record stands unpublished in the lane, which is how `tactus where` sees a call that does not
// return. Only this thread; no lock, allocation or system call in the inline parts. A call inside another one records
// nothing.
#pragma once

#include "collector/comms.hpp"
#include "collector/datatypes.hpp"
#include "collector/mpi_functions.hpp"
#include "collector/requests.hpp"
#include "collector/thread.hpp"

#include <span>
#include <string_view>

#define TACTUS_CALLER __builtin_return_address(0)

namespace tactus {

// A status the MPI can always fill: the application's, or ours when it ignores it.
class StatusSlot {
  public:
    explicit StatusSlot(MPI_Status* status) : status_{status == MPI_STATUS_IGNORE ? &own_ : status} {}
    StatusSlot(const StatusSlot&) = delete;
    StatusSlot& operator=(const StatusSlot&) = delete;
    [[nodiscard]] MPI_Status* get() { return status_; }
    const MPI_Status& operator*() const { return *status_; }

  private:
    MPI_Status own_; // NOLINT: the MPI fills it
    MPI_Status* status_;
};

// The handle an argument points to, for a call that will change it; a null pointer is the MPI's to complain about.
template <class Handle> Handle handle_or(const Handle* argument, Handle null) {
    return argument != nullptr ? *argument : null;
}

std::int32_t special_rank(int rank);
inline std::int32_t rank_or_special(int rank) { return rank >= 0 ? rank : special_rank(rank); }

class Call {
  public:
    Call(Function function, const void* place) { // hot
        if (enter()) begin(function, place, 0, peer::none, 0);
    }
    Call(Function function, const void* place, MPI_Comm comm, int rank = MPI_UNDEFINED, int tag = 0) { // hot
        if (enter()) begin(function, place, comms.number(comm), rank_or_special(rank), tag);
    }
    ~Call() { // hot
        store();
        std::atomic_signal_fence(
            std::memory_order_seq_cst); // a call in a signal handler must see that we are still storing
        --thread.depth;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // Publishes the record, once; the destructor does it at the latest.
    void store() { // hot
        if (record_ == nullptr) [[unlikely]]
            return;
        if (missed_) [[unlikely]]
            store_miss();
        else if (words_.empty()) [[likely]]
            lane_->publish();
        else
            lane_->publish(words_);
        record_ = nullptr;
        thread.outermost = nullptr;
    }

    // Takes the leave stamp; hands the MPI's return code through.
    int left(int rc) { // hot
        if (record_ != nullptr) [[likely]] {
            record_->leave = lane_->stamp();
            if (rc != MPI_SUCCESS) [[unlikely]]
                record_->what.flags |= flag::failed;
        }
        return rc;
    }
    template <class T> T left_with(T value) {
        if (record_ != nullptr) record_->leave = lane_->stamp();
        return value;
    }
    [[nodiscard]] bool recorded() const { return record_ != nullptr; }
    [[nodiscard]] bool good(int rc) const { return rc == MPI_SUCCESS && record_ != nullptr; }

    // What the call did; each only after it succeeded.
    void moves(MPI_Count count, MPI_Datatype type) { // hot
        if (count <= 0 || record_->what.peer == peer::proc_null) return;
        const Datatypes::Element element = datatypes.element(type);
        record_->what.bytes = static_cast<std::uint64_t>(count) * element.size;
        record_->what.type = element.number;
    }
    void starts_send(MPI_Count count, MPI_Datatype type, const MPI_Request* request);
    void starts_receive(MPI_Datatype type, const MPI_Request* request);
    void received(const StatusSlot& status, MPI_Datatype type);
    void probed(const StatusSlot& status);
    void exchanged(MPI_Count count, MPI_Datatype type, const StatusSlot& status);
    void missed() { missed_ = true; }
    void freed(MPI_Request before);
    void made(Function function, MPI_Comm parent, MPI_Comm comm, int tag);
    void starts_comm(MPI_Comm parent, const MPI_Comm* newcomm, const MPI_Request* request);
    void named(MPI_Comm comm, const char* name);

    // For collectives and completions.
    void set_bytes(std::uint64_t bytes) { record_->what.bytes = bytes; }
    void set_type(MPI_Datatype type) { record_->what.type = datatypes.element(type).number; }
    void set_words(std::span<const std::int64_t> words) { words_ = words; } // must live as long as the call
    void completes(const PendingRequest& request, const MPI_Status& status);
    [[nodiscard]] Lane& lane() { return *lane_; }

    // The MPI is at work, not the tracer: nothing of ours is half done.
    [[nodiscard]] bool in_mpi() const { return record_ != nullptr && record_->leave == 0; }
    // The call will not return to us, or the lane ends inside it: publishes what is known and lets go.
    void give_up();

  private:
    bool enter() {
        if (thread.depth++ != 0) [[unlikely]]
            return false;
        std::atomic_signal_fence(std::memory_order_seq_cst); // as in the destructor
        lane_ = thread.lane;
        if (lane_ == nullptr) [[unlikely]]
            lane_ = lane_of_this_thread();
        return lane_ != nullptr;
    }
    void begin(Function function, const void* place, std::uint32_t comm, std::int32_t rank, std::int32_t tag) {
        thread.outermost = this;
        Record& record = lane_->slot();
        record.leave = 0;
        record.request = 0;
        record.what = {.place = reinterpret_cast<std::uintptr_t>(place),
                       .comm = comm,
                       .peer = rank,
                       .tag = tag,
                       .function = function};
        record_ = &record;
        // Last, so that who reads the open call and sees this tick sees the rest as well.
        std::atomic_ref{record.enter}.store(lane_->stamp(), std::memory_order_release);
    }
    void take_envelope(const MPI_Status& status);
    void start_request(PendingRequest pending, MPI_Request request);
    void store_miss();

    Lane* lane_ = nullptr;
    Record* record_ = nullptr;
    std::span<const std::int64_t> words_;
    bool missed_ = false;
};

// Stores a communicator's definition, behind the call that made it.
void note_comm(Lane& lane, const Comm& comm);

} // namespace tactus
