// One MPI call while it is being made, in the frame of its wrapper: where it is recorded, and what its messages have to
// say of it. Notes are stored in records of their own before the call's. Only the thread that makes the call.
#pragma once

#include "trace/lane_counts.hpp"
#include "trace/record.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus {

class OpenCall {
  public:
    // False: the MPI's own library makes it inside of another call, and its messages are none of ours.
    [[nodiscard]] bool is_applications() const { return !inside_mpi_; }
    [[nodiscard]] bool recorded() const { return record_ != nullptr; }
    [[nodiscard]] bool skipped() const { return (rare_ & rare::skipped) != 0; } // it is only counted
    // Of the thread's lane; nullptr: it has none.
    [[nodiscard]] LaneCounts* counts() const { return lane_; }

    // When it began, for what it completes; unknown, it is the newest there is.
    [[nodiscard]] Ticks since() const { return record_ != nullptr ? record_->enter : ~Ticks{0}; }
    [[nodiscard]] Ticks until() const { return record_->leave; }
    [[nodiscard]] std::uint32_t comm() const { return record_ != nullptr ? record_->what.comm : 0; }
    // The request that it began, or the message that it sent; 0: none.
    [[nodiscard]] std::int64_t number() const { return static_cast<std::int64_t>(record_->request); }
    // Gives the message that it sends a number for its header; 0 when the call is not recorded. hot
    std::uint64_t number_message() {
        if (record_ == nullptr || skipped()) [[unlikely]]
            return 0;
        return record_->request = lane_->next_request();
    }
    void fails() { // as only we know
        if (record_ != nullptr) record_->what.flags |= flag::failed;
    }

    // How late the thread was at its enter and at its leave, in nanoseconds.
    void note_delay(std::int64_t at_enter, std::int64_t at_leave) {
        delays_[0] = at_enter;
        delays_[1] = at_leave;
        if (at_enter != at_leave) rare_ |= rare::delayed;
    }
    // The number of the message that it sent (0: none), and those of the messages it received. These live until the
    // call is stored.
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
        static constexpr std::uint8_t missed = 1;  // nothing was there: several in a row become one record
        static constexpr std::uint8_t skipped = 2; // not to be recorded, only counted
        static constexpr std::uint8_t room = 4;    // has memory to give back
        static constexpr std::uint8_t delayed = 8; // its delays are to be noted
        static constexpr std::uint8_t named = 16;  // its messages are to be named
    };
    OpenCall() = default;

    LaneCounts* lane_ = nullptr;
    Record* record_ = nullptr; // nullptr: it is not recorded
    std::uint8_t rare_ = 0;
    bool nested_ = false;
    bool inside_mpi_ = false;
    // Filled when they are needed, as `rare_` says.
    std::int64_t delays_[2];       // NOLINT
    const std::int64_t* messages_; // NOLINT
    std::size_t message_count_;    // NOLINT
    std::int64_t own_messages_[2]; // NOLINT
};

} // namespace tactus
