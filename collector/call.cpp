// The parts of a call that are too long to be inlined into every wrapper. The rules of call.hpp hold, except that
// room() may allocate memory.
#include "collector/call.hpp"

#include "base/thread_state_kept.hpp"
#include "collector/call_stacks.hpp"
#include "collector/modules.hpp"
#include "collector/repeated_call.hpp"
#include "collector/session.hpp"
#include "collector/stretches.hpp"
#include "trace/sample.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <pthread.h>
#include <string_view>

namespace tactus {

std::int32_t special_rank(int rank) {
    if (rank == MPI_ANY_SOURCE) return peer::any;
    if (rank == MPI_PROC_NULL) return peer::proc_null;
    if (rank == MPI_ROOT) return peer::root;
    return peer::none;
}

namespace {

void find_stack() {
    pthread_attr_t attributes;
    void* begin = nullptr;
    std::size_t size = 0;
    const ThreadStateKept kept;
    if (thread.stack_end != 0 || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    thread.stack_begin = reinterpret_cast<std::uintptr_t>(begin);
    thread.stack_end = thread.stack_begin + size;
}

// Whether a longjmp or a C++ exception ended the open call.
bool is_abandoned(const processor::CallFrame& open, const processor::CallFrame& fresh) {
    find_stack();
    const auto on_stack = [](const processor::CallFrame& frame) {
        const auto address = reinterpret_cast<std::uintptr_t>(frame.call);
        return address >= thread.stack_begin && address < thread.stack_end;
    };
    if (!on_stack(open) || !on_stack(fresh))
        return false; // on the stack of a signal or a coroutine nothing can be told
    return processor::has_left_stack(open, fresh, thread.stack_end);
}

void publish_unfinished(Lane& lane) {
    if (!thread.skipping) {
        Record& record = *thread.record;
        record.leave = lane.stamp();
        record.what.flags |= flag::unfinished;
        lane.publish();
    }
    thread.open = nullptr;
    thread.skipping = false;
}

// Whether the MPI itself makes a call. A call at the end of a callback is the application's, except for two of ROMIO,
// the part of an MPI for files: a callback of its own ends with freeing a keyval, as only a local function does, and a
// function that MPI_File_sync calls through a pointer ends with PMPI_Barrier.
bool is_mpis(Function function, const void* call_site) {
    if (!is_mpi_code(call_site)) return false;
    if (shape_of(function) == Shape::local || !is_last_of_callback(call_site)) return true;
    if (thread.open == nullptr) return false;
    const auto open = static_cast<std::size_t>(thread.record->what.function);
    return std::string_view{functions[open].name}.starts_with("MPI_File_");
}

} // namespace

// For a call that is made while another one is open in this thread. A signal handler may make it at any moment, but
// tactus's state is consistent only while the MPI is at work in the outer call, which thread.open says.
bool Call::enter_nested(Function function, const void* call_site) {
    inside_mpi_ = is_mpis(function, call_site);
    if (inside_mpi_) return false;
    lane_ = thread.lane;
    if (thread.open == nullptr) return false;
    while (is_abandoned({thread.open, address_of(thread.record->what.place)},
                        {this, reinterpret_cast<std::uintptr_t>(call_site)})) {
        publish_unfinished(lane());
        if (thread.nesting == 0) {
            thread.depth = 1;
            thread.scratch_taken = false;
            return true;
        }
        thread.depth = thread.outer[thread.nesting - 1].depth;
        resume_outer_call(lane());
    }
    if (thread.nesting == most_nested_calls) {
        session->losses().add(Loss::nested_too_deep);
        return false;
    }
    const void* const outer = thread.open;
    thread.open = nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst); // before the slot is touched
    thread.outer[thread.nesting] = {outer, thread.depth, thread.skipping, thread.record->enter};
    lane().set_aside(*thread.record, thread.nesting++, !thread.skipping);
    nested_ = true;
    return true;
}

// An exception or longjmp may have ended calls nested in this one without ending this one. They are published here as
// unfinished.
bool is_open_again(const void* call) {
    if (thread.open == nullptr) return false;
    std::uint32_t level = 0;
    while (level < thread.nesting && thread.outer[level].call != call) ++level;
    if (level == thread.nesting) return false;
    while (thread.open != call) {
        publish_unfinished(*thread.lane);
        resume_outer_call(*thread.lane);
    }
    thread.depth = level == 0 ? 1 : thread.outer[level - 1].depth;
    return true;
}

void resume_outer_call(Lane& lane) {
    if (thread.nesting == 0) return; // the outer call was given up
    const OuterCall& outer = thread.outer[--thread.nesting];
    thread.record = outer.skipped ? &thread.unrecorded : &lane.slot();
    *thread.record = lane.aside(thread.nesting);
    thread.record->enter = outer.enter;
    lane.take_up(thread.nesting, !outer.skipped);
    lane.reaches_back(outer.enter);
    thread.skipping = outer.skipped;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread.open = outer.call;
}

void give_up_open_calls(Lane& lane) {
    while (thread.open != nullptr) {
        publish_unfinished(lane);
        resume_outer_call(lane);
    }
}

SampledCall Call::sample_of(const Record& call, std::int32_t moment, Ticks at) {
    return {.place = call.what.place, .moment = moment, .at = at, .stands_for = 0, .lane = lane().number()};
}

// The stretch is stored in front of the call, whose record moves to the next slot.
Ticks Call::read_before_call(Ticks enter) {
    if (nested_ || skipped()) return enter;
    const Record call = *record_;
    const SampledCall sample = sample_of(call, sampled::call_begins, enter);
    note_stretch(lane(), &sample);
    record_ = &lane().slot();
    *record_ = call;
    record_->enter = 0; // nobody sees the call before it begins
    return lane().stamp();
}

Record& Call::slot_for(Function function) {
    thread.skipping = !is_selected(function, lane());
    if (!thread.skipping) {
        take_test_overhead(lane());
        return lane().slot();
    }
    rare_ |= rare::skipped;
    --lane_->begun_calls;
    return thread.unrecorded;
}

void* Call::room(std::size_t size) {
    const HalfDone half_done;
    if (thread.scratch_taken) { // by a call around this one
        room_ = operator new(size, std::nothrow);
    } else {
        if (size > thread.scratch_size) {
            operator delete(thread.scratch);
            thread.scratch = operator new(2 * size, std::nothrow);
            thread.scratch_size = thread.scratch != nullptr ? 2 * size : 0;
        }
        room_ = thread.scratch;
        thread.scratch_taken = room_ != nullptr;
    }
    if (room_ != nullptr) rare_ |= rare::room;
    return room_;
}

void Call::give_back_room() {
    if ((rare_ & rare::room) == 0) return;
    rare_ &= static_cast<std::uint8_t>(~rare::room);
    if (room_ == thread.scratch)
        thread.scratch_taken = false;
    else
        operator delete(room_);
    room_ = nullptr;
}

// Stores the delays and the message numbers in records of their own before the call's, which moves to the next slot.
void Call::note_in_front() {
    const Record call = *record_;
    Record note;
    note.enter = call.enter;
    note.leave = call.leave;
    if ((rare_ & rare::delayed) != 0) {
        note.what.kind = Kind::delay;
        lane().note(note, delays_);
    }
    if ((rare_ & rare::named) != 0) {
        note.what.kind = Kind::message_ids;
        lane().note(note, {messages_, message_count_});
    }
    record_ = &lane().slot();
    *record_ = call;
}

void Call::store_rare() {
    if ((rare_ & (rare::delayed | rare::named)) != 0 && !skipped() && !thread.calibrating) note_in_front();
    const bool reads = (rare_ & rare::stretch) != 0 && !nested_ && !skipped();
    const SampledCall sample = reads ? sample_of(*record_, sampled::call_ends, record_->leave) : SampledCall{};
    if ((rare_ & rare::skipped) != 0)
        count_unrecorded(lane(), *record_, words_);
    else if ((rare_ & rare::missed) != 0)
        store_miss();
    else if ((rare_ & rare::local) != 0)
        store_local();
    else if (words_.empty())
        lane().publish();
    else
        lane().publish(words_);
    if (reads) note_stretch(lane(), &sample);
    give_back_room();
}

// The record just published, if it is of the same function, place and arguments as this call.
Record* Call::latest_equal() const {
    Record* const last = lane().latest();
    // Neighbors in memory are never compared one after the other: the compiler would load both at once, and such a load
    // would wait for the two stores that were just made.
    const auto same = [&](const Signature& a, const Signature& b) {
        return a.kind == Kind::call && a.comm == b.comm && a.peer == b.peer && a.place == b.place && a.tag == b.tag &&
               a.function == b.function;
    };
    // A record from before the current region began must not be extended into the region.
    return last != nullptr && last->enter > thread.begun && same(last->what, record_->what) ? last : nullptr;
}

namespace {

// From now on the record stands for equal calls in a row, of which it is the first.
void make_repeated(Record& record) {
    record.request = 1;
    record.what.bytes = record.leave - record.enter;
    record.what.flags |= flag::repeated;
}

} // namespace

// Unsuccessful calls from the same call site in a row become one record with their number and the ticks inside them.
void Call::store_miss() {
    const std::uint8_t flags = record_->what.flags | flag::repeated;
    if (const Record* const last = latest_equal(); last != nullptr && last->what.flags == flags)
        return lane().add_equal_call(record_->leave);
    make_repeated(*record_);
    lane().publish();
}

// The same for calls of local functions. While `selective` is set each of them costs what other calls cost, so they
// stay separate: readers compute the cost of calls in a row from the cost of a RepeatedCall.
void Call::store_local() {
    const bool may_repeat =
        record_->what.flags == 0 && !thread.keeps_equal_calls && !selective.load(std::memory_order_relaxed);
    Record* const last = may_repeat ? latest_equal() : nullptr;
    if (last == nullptr || (last->what.flags & static_cast<std::uint8_t>(~flag::repeated)) != 0)
        return lane().publish();
    if (last->what.flags == 0) make_repeated(*last);
    lane().add_equal_call(record_->leave);
    lane().begin_repeats();
}

int RepeatedCall::left_otherwise(int rc) {
    if (thread.lane != nullptr) { // it is a record of its own, which costs more
        --thread.lane->repeated_calls;
        ++thread.lane->begun_calls;
    }
    if (thread.open == this || is_open_again(this)) {
        thread.open = nullptr;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        Record& record = *thread.record; // a nested call may have taken its old slot
        record.leave = thread.lane->stamp();
        if (rc != MPI_SUCCESS) record.what.flags |= flag::failed;
        thread.lane->publish();
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    --thread.depth;
    return rc;
}

} // namespace tactus
