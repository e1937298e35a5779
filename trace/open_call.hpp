// One MPI call while it is being made: its record, and what is noted of its messages and of the thread's delay. It
// lives in the frame of its wrapper, and only the thread that makes the call uses it. The notes are stored in separate
// records before the call's record.
#pragma once

#include "trace/lane_counts.hpp"
#include "trace/record.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus {

class OpenCall {
  public:
    // False when the MPI's own library makes the call inside of another call. Its messages are then left alone.
    [[nodiscard]] bool is_applications() const { return !inside_mpi_; }
    [[nodiscard]] bool recorded() const { return record_ != nullptr; }
    [[nodiscard]] bool skipped() const { return (rare_ & rare::skipped) != 0; } // only counted
    // The counts of the thread's lane; nullptr when the thread has no lane.
    [[nodiscard]] LaneCounts* counts() const { return lane_; }

    // When the call began: it completes requests that were begun before. The latest tick of all when that is not known.
    [[nodiscard]] Ticks since() const { return record_ != nullptr ? record_->enter : ~Ticks{0}; }
    [[nodiscard]] Ticks until() const { return record_->leave; }
    [[nodiscard]] std::uint32_t comm() const { return record_ != nullptr ? record_->what.comm : 0; }
    // The number of the request that it began, or of the message that it sent; 0: none.
    [[nodiscard]] std::int64_t number() const { return static_cast<std::int64_t>(record_->request); }
    // Gives a number to the message that the call sends, for its header; 0 when the call is not recorded. hot
    std::uint64_t number_message() {
        if (record_ == nullptr || skipped()) [[unlikely]]
            return 0;
        return record_->request = lane_->next_request();
    }
    void fails() { // the MPI did not report this error
        if (record_ != nullptr) record_->what.flags |= flag::failed;
    }

    // How late the thread was at the call's enter and at its leave, in nanoseconds.
    void note_delay(std::int64_t at_enter, std::int64_t at_leave) {
        delays_[0] = at_enter;
        delays_[1] = at_leave;
        if (at_enter != at_leave) rare_ |= rare::delayed;
    }
    // Takes the number of the message that the call sent (0: none), then those of the messages that it received. The
    // numbers must live until the call is stored.
    void note_messages(std::span<const std::int64_t> numbers) {
        messages_ = numbers.data();
        message_count_ = numbers.size();
        rare_ |= rare::named;
    }
    void note_sent_message() {
        own_messages_[0] = number();
        note_messages({own_messages_, 1});
    }
    void note_received_message(std::uint64_t received) {
        own_messages_[0] = number();
        own_messages_[1] = static_cast<std::int64_t>(received);
        note_messages(own_messages_);
    }

  protected:
    struct rare {
        static constexpr std::uint8_t missed = 1;   // an unsuccessful test or probe; several in a row become one record
        static constexpr std::uint8_t skipped = 2;  // not recorded, only counted
        static constexpr std::uint8_t room = 4;     // the call has memory to give back
        static constexpr std::uint8_t delayed = 8;  // delays_ are to be noted
        static constexpr std::uint8_t named = 16;   // messages_ are to be noted
        static constexpr std::uint8_t stretch = 32; // what the operating system counts is read after the call
        static constexpr std::uint8_t local = 64;   // of a local function: equal ones in a row become one record
    };
    OpenCall() = default;

    LaneCounts* lane_ = nullptr;
    Record* record_ = nullptr; // nullptr: not recorded
    std::uint8_t rare_ = 0;
    bool nested_ = false;
    bool inside_mpi_ = false;
    // Filled only when they are needed, as `rare_` says.
    std::int64_t delays_[2];       // NOLINT
    const std::int64_t* messages_; // NOLINT
    std::size_t message_count_;    // NOLINT
    std::int64_t own_messages_[2]; // NOLINT
};

} // namespace tactus
