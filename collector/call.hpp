// One MPI call being recorded: made at the wrapper's start, stored in the thread's lane when it goes.
// While it lives, its record stands unpublished in the lane, which is how `tactus where` sees a call that does not
// return. Only this thread; no lock, allocation or system call in the inline parts.
//
// A call inside another one is recorded, as nested, when the application makes it (from a callback); what the MPI's own
// libraries call through MPI_* names is not the application's, and leaves no trace.
#pragma once

#include "base/mpi/datatypes.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "collector/arguments.hpp"
#include "collector/comms.hpp"
#include "collector/freed_requests.hpp"
#include "collector/requests.hpp"
#include "collector/selection.hpp"
#include "collector/shared_objects.hpp"
#include "collector/thread.hpp"
#include "trace/open_call.hpp"

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
    [[nodiscard]] MPI_Fint* fortran() { return reinterpret_cast<MPI_Fint*>(status_); }
    MPI_Status& operator*() { return *status_; }
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

// The calls that this thread is inside of will not return to us, or its lane ends: publishes what is known of them.
void give_up_open_calls(Lane& lane);
// The call around one that was nested stands in the lane's next slot again.
void resume_outer_call(Lane& lane);

class Call : public OpenCall {
  public:
    Call(Function function, const void* place) { // hot
        if (enter(place)) begin(function, place, 0, peer::none, 0);
    }
    Call(Function function, const void* place, MPI_Comm comm, int rank = MPI_UNDEFINED, int tag = 0) { // hot
        if (enter(place)) begin(function, place, comms.number(comm), rank_or_special(rank), tag);
    }
    // On a window or a file: the record's communicator is the one it was made on, its tag the object's number.
    Call(Function function, const void* place, SharedObjects::Found object, int rank = MPI_UNDEFINED) {
        if (enter(place))
            begin(function, place, object.comm, rank_or_special(rank), static_cast<std::int32_t>(object.number));
    }
    ~Call() { // hot
        store();
        if (nested_) [[unlikely]]
            resume_outer_call(lane());
        // A call in a signal handler must see that we are still storing.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        --thread.depth;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // Publishes the record, once; the destructor does it at the latest.
    void store() { // hot
        if (record_ == nullptr) [[unlikely]] {
            if ((rare_ & rare::room) != 0) give_back_room();
            return;
        }
        if (rare_ != 0) [[unlikely]]
            store_rare();
        else if (words_.empty()) [[likely]]
            lane().publish();
        else
            lane().publish(words_);
        record_ = nullptr;
    }

    // Takes the leave stamp; hands the MPI's return code through.
    int left(int rc) { // hot
        if (freed_receives.load(std::memory_order_relaxed) && is_applications()) [[unlikely]]
            look_for_freed_receives();
        if (thread.open != this && (record_ == nullptr || !is_open_again())) [[unlikely]] {
            record_ = nullptr; // not recorded, or given up
            return rc;
        }
        thread.open = nullptr;
        std::atomic_signal_fence(std::memory_order_seq_cst); // before anything of ours is half done
        record_ = thread.record;                             // a nested call may have taken its old place
        record_->leave = lane().stamp();
        if (rc != MPI_SUCCESS) [[unlikely]]
            record_->what.flags |= flag::failed;
        return rc;
    }
    template <class T> T left_with(T value) {
        left(MPI_SUCCESS);
        return value;
    }
    [[nodiscard]] bool good(int rc) const { return rc == MPI_SUCCESS && record_ != nullptr; }

    // What the call did; each only after it succeeded.
    void moves(MPI_Count count, MPI_Datatype type) { // hot
        if (count <= 0 || record_->what.peer == peer::proc_null) return;
        const Datatypes::Element element = datatypes.element(type);
        record_->what.bytes = static_cast<std::uint64_t>(count) * element.size;
        record_->what.type = element.number;
    }
    void receives_into(MPI_Datatype type); // a receive is posted
    void received(const StatusSlot& status, MPI_Datatype type);
    void probed(const StatusSlot& status);
    void exchanged(MPI_Count count, MPI_Datatype type, const StatusSlot& status);
    void transferred(const StatusSlot& status, MPI_Datatype type); // to or from a file
    void missed() { rare_ |= rare::missed; }
    void set_bytes(std::uint64_t bytes) { record_->what.bytes = bytes; }
    void set_type(MPI_Datatype type) { record_->what.type = datatypes.element(type).number; }
    // Stored after the record, and must live until then.
    void set_words(std::span<const std::int64_t> words) { words_ = words; }
    // Memory for that; nullptr when it is refused.
    std::int64_t* room_for_words(std::size_t count) {
        return count <= std::size(own_words_) ? own_words_
                                              : static_cast<std::int64_t*>(room(count * sizeof(std::int64_t)));
    }
    // Memory that lasts until the call is stored; nullptr when it is refused.
    void* room(std::size_t size);

    // Requests: begins one, prepares one to be started, completes one. Those with a message_buffer are known also where
    // the call is not recorded.
    void starts(MPI_Request request, RequestKind kind = RequestKind::plain, MessageBuffer* message_buffer = nullptr);
    void prepares(MPI_Request request, RequestKind kind, MessageBuffer* message_buffer = nullptr);
    void starts_comm(MPI_Comm parent, NewComm newcomm, MPI_Request request);
    // Before the MPI is called; `words` lasts until the call is stored, for one request.
    void starts_persistent(RequestArray list, int count, std::int64_t* words);
    void starts_failed(RequestArray list, int count);
    void completes(const Completion& done) {
        record_->request = done.request;
        record_->what.flags |= flag::completes;
        if (!done.received) return;
        record_->what.peer = done.source;
        record_->what.tag = done.tag;
        record_->what.bytes = done.bytes;
    }
    void freed(MPI_Request before, const FreedRequest& freed);
    void concerns(MPI_Request request, std::span<const std::int64_t> partitions); // from, to, from, to ...
    // Matched probes: the message stands for a receive that is already posted. Also of calls that are not recorded.
    void matched(const StatusSlot& status, MPI_Message message, bool carried, MPI_Comm comm);
    void received_matched(int rc, const StatusSlot& status, MPI_Datatype type, MPI_Message message);
    void starts_matched(MPI_Request request, MPI_Datatype type, MPI_Message message, MessageBuffer* message_buffer);

    // Handles, defined behind the call that made them.
    void made(Function function, MPI_Comm parent, MPI_Comm comm, int tag);
    void named(MPI_Comm comm, std::string_view name);
    void made(Function function, SharedObjects& objects, Kind kind, std::uint64_t key, MPI_Comm comm,
              std::string_view name);
    void names_group(MPI_Group group);
    void asserts(int assertion); // of MPI_Win_fence

    [[nodiscard]] Lane& lane() const { return static_cast<Lane&>(*lane_); }
    [[nodiscard]] std::uint64_t lane_number() const { return lane_ != nullptr ? lane().number() : 0; }

  private:
    bool enter(const void* place) {
        if (thread.depth++ != 0) [[unlikely]]
            return enter_nested(place);
        std::atomic_signal_fence(std::memory_order_seq_cst); // as in the destructor
        lane_ = thread.lane;
        if (lane_ == nullptr) [[unlikely]]
            lane_ = lane_of_this_thread();
        return lane_ != nullptr;
    }
    bool enter_nested(const void* place);
    [[nodiscard]] bool is_open_again();
    void begin(Function function, const void* place, std::uint32_t comm, std::int32_t rank, std::int32_t tag) {
        Record& record = selective.load(std::memory_order_relaxed) ? slot_for(function) : lane().slot();
        record.leave = 0;
        record.request = 0;
        record.what = {.place = reinterpret_cast<std::uintptr_t>(place),
                       .comm = comm,
                       .peer = rank,
                       .tag = tag,
                       .function = function};
        if (nested_) [[unlikely]]
            record.what.flags = flag::nested;
        record_ = &record;
        ++lane_->begun_calls;
        // Last, so that who reads the open call and sees this tick sees the rest as well.
        std::atomic_ref{record.enter}.store(lane().stamp(), std::memory_order_release);
        thread.record = &record;
        std::atomic_signal_fence(std::memory_order_seq_cst); // nothing of ours is half done any more
        thread.open = this;
    }
    Record& slot_for(Function function);
    void resolve_wildcards(const MPI_Status& status);
    bool take_message(MPI_Message message);
    inline void number_request(MPI_Request request, RequestKind kind, MessageBuffer* message_buffer,
                               PendingComm* duplicate = nullptr, const Preparation* preparation = nullptr);
    void start_unrecorded(RequestArray list, int count);
    void begin_again(MessageBuffer* message_buffer,
                     std::uint64_t send_id); // of a persistent request; nullptr: it carries nothing
    void store_rare();
    void store_miss();
    void give_back_room();
    void note_in_front();

    std::span<const std::int64_t> words_;
    void* room_ = nullptr;
    std::int64_t own_words_[6]; // NOLINT: filled when they are used
};

// Stores a communicator's definition, between calls.
void note_comm(Lane& lane, const Comm& comm);

} // namespace tactus
