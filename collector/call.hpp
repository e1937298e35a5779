// An MPI call while it is being made. The wrapper makes a Call when it starts, and the destructor stores its record in
// the thread's lane. Until then the record is in the lane unpublished, so `tactus where` sees a call that does not
// return. Only the thread that makes the call uses it. The inline parts take no lock, allocate nothing and make no
// system call.
//
// A call inside another one is recorded, as nested, when the application makes it (from a callback). Calls that the
// MPI's own libraries make through MPI_* names are not the application's and leave no trace.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "call_frame.hpp"
#include "collector/arguments.hpp"
#include "collector/comms.hpp"
#include "collector/freed_requests.hpp"
#include "collector/module_history.hpp"
#include "collector/selection.hpp"
#include "collector/shared_objects.hpp"
#include "collector/thread.hpp"
#include "trace/open_call.hpp"

#include <span>
#include <string_view>

#define TACTUS_CALLER __builtin_return_address(0)

namespace tactus {

struct SampledCall;
struct LocalFunction {};

// Translate MPI_ANY_SOURCE, MPI_PROC_NULL and MPI_ROOT to the values that records have for them.
std::int32_t special_rank(int rank);
inline std::int32_t rank_or_special(int rank) { return rank >= 0 ? rank : special_rank(rank); }

// Publishes what is known of the calls that this thread is inside of. It is called when they will not return to their
// wrappers, or when the lane ends.
void give_up_open_calls(Lane& lane);
// Moves the record of the call around a nested one back into the lane's next slot.
void resume_outer_call(Lane& lane);
// Whether the call, which lies at this address, is open or has become so now that the calls nested in it have ended. It
// is not when it was given up.
bool is_open_again(const void* call);

class Call : public OpenCall {
  public:
    Call(Function function, const void* call_site) { // hot
        if (enter(function, call_site)) begin(function, call_site, 0, peer::none, 0);
    }
    Call(Function function, const void* call_site, MPI_Comm comm, int rank = MPI_UNDEFINED, int tag = 0) { // hot
        if (enter(function, call_site)) begin(function, call_site, comms.number(comm), rank_or_special(rank), tag);
    }
    // A call on a window or a file. The record's communicator is the one that the object was made on, and its tag is
    // the object's number.
    Call(Function function, const void* call_site, SharedObjects::Found object, int rank = MPI_UNDEFINED) {
        if (enter(function, call_site))
            begin(function, call_site, object.comm, rank_or_special(rank), static_cast<std::int32_t>(object.number));
    }
    // A call of a function that moves nothing. Equal ones in a row become one record, see also repeated_call.hpp.
    Call(Function function, const void* call_site, LocalFunction) { // hot
        if (!enter(function, call_site)) return;
        begin(function, call_site, 0, peer::none, 0);
        rare_ |= rare::local;
    }
    ~Call() { // hot
        store();
        if (nested_) [[unlikely]]
            resume_outer_call(lane());
        // A call in a signal handler must see that this call is still being stored.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        --thread.depth;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // Publishes the record. Later calls do nothing; the destructor makes the last one.
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

    // Takes the leave stamp when the MPI's function has returned `rc`. Returns `rc`.
    int left(int rc) { // hot
        if (freed_receives.load(std::memory_order_relaxed) && is_applications()) [[unlikely]]
            look_for_freed_receives();
        if (thread.open != this && (record_ == nullptr || !is_open_again(this))) [[unlikely]] {
            record_ = nullptr; // not recorded, or given up
            return rc;
        }
        thread.open = nullptr;
        std::atomic_signal_fence(std::memory_order_seq_cst); // before tactus changes any state
        record_ = thread.record;                             // a nested call may have taken its old slot
        const Ticks leave = lane().stamp();
        record_->leave = leave;
        if (leave >= thread.next_reading) [[unlikely]]
            rare_ |= rare::stretch;
        if (rc != MPI_SUCCESS) [[unlikely]]
            record_->what.flags |= flag::failed;
        return rc;
    }
    // The same for a function that returns no error code.
    template <class T> T left_with(T value) {
        left(MPI_SUCCESS);
        return value;
    }
    // Whether the call succeeded and is recorded.
    [[nodiscard]] bool good(int rc) const { return rc == MPI_SUCCESS && record_ != nullptr; }

    // Says that the call found nothing, as a test can. Several such calls in a row become one record.
    void missed() { rare_ |= rare::missed; }
    // Words that are stored after the record. They must live until the call is stored.
    void set_words(std::span<const std::int64_t> words) { words_ = words; }
    [[nodiscard]] std::span<const std::int64_t> words() const { return words_; }
    // Memory for `count` words; nullptr when it is refused.
    std::int64_t* room_for_words(std::size_t count) {
        return count <= std::size(own_words_) ? own_words_
                                              : static_cast<std::int64_t*>(room(count * sizeof(std::int64_t)));
    }
    // Memory that lasts until the call is stored; nullptr when it is refused.
    void* room(std::size_t size);

    // The call's record, while it is recorded. call_facts.hpp, call_requests.hpp and similar files fill it in.
    [[nodiscard]] Record& record() const { return *record_; }
    [[nodiscard]] Lane& lane() const { return static_cast<Lane&>(*lane_); }
    [[nodiscard]] std::uint64_t lane_number() const { return lane_ != nullptr ? lane().number() : 0; }

  private:
    bool enter(Function function, const void* call_site) {
        if (thread.depth++ != 0) [[unlikely]]
            return enter_nested(function, call_site);
        std::atomic_signal_fence(std::memory_order_seq_cst); // as in the destructor
        lane_ = thread.lane;
        if (lane_ == nullptr) [[unlikely]]
            lane_ = lane_of_this_thread();
        return lane_ != nullptr;
    }
    bool enter_nested(Function function, const void* call_site);
    void begin(Function function, const void* call_site, std::uint32_t comm, std::int32_t rank, std::int32_t tag) {
        const bool is_special = selective.load(std::memory_order_relaxed);
        Record& record = is_special ? slot_for(function) : lane().slot();
        record.leave = 0;
        record.request = 0;
        record.what = {.place = is_special ? call_place_with_generation(call_site)
                                           : reinterpret_cast<std::uintptr_t>(call_site),
                       .comm = comm,
                       .peer = rank,
                       .tag = tag,
                       .function = function};
        if (nested_) [[unlikely]]
            record.what.flags = flag::nested;
        record_ = &record;
        ++lane_->begun_calls;
        Ticks enter = lane().stamp();
        if (enter >= thread.next_reading) [[unlikely]]
            enter = read_before_call(enter);
        // The enter tick is written last, so that a reader of the open call who sees it sees the rest as well.
        std::atomic_ref{record_->enter}.store(enter, std::memory_order_release);
        thread.record = record_;
        std::atomic_signal_fence(std::memory_order_seq_cst); // tactus's state is consistent again
        thread.open = this;
    }
    // Reads what the operating system counts, if this call is one to do so, and gives the tick at which it begins.
    Ticks read_before_call(Ticks enter);
    SampledCall sample_of(const Record& call, std::int32_t moment, Ticks at);
    Record& slot_for(Function function);
    void store_rare();
    Record* latest_equal() const;
    void store_miss();
    void store_local();
    void give_back_room();
    void note_in_front();

    std::span<const std::int64_t> words_;
    void* room_ = nullptr;
    std::int64_t own_words_[Started::words]; // NOLINT: filled when they are used
};

} // namespace tactus
