// The buffer of one message: a header, followed for small messages by a copy of the data. A blocking call takes one
// from its thread's spare buffers. The buffer of a request lives until the request is complete.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "piggyback/lengths.hpp"

#include <atomic>
#include <cstddef>

namespace tactus {

struct LargeReceive;
struct SidePart;

// Lets a message be delivered exactly once, even when several threads ask about its request at the same time. end()
// stores with release, which pairs with the acquire in begin().
class Once {
  public:
    void reset() { state_.store(open, std::memory_order_relaxed); }
    // True: the caller delivers the message and then calls end(). False: the message has been delivered. hot
    [[nodiscard]] bool begin();
    void end() { state_.store(done, std::memory_order_release); }

  private:
    enum : unsigned char { open, busy, done };
    std::atomic<unsigned char> state_{open};
};

struct MessageBuffer {
    MessageBuffer* next = nullptr; // in the list of spare buffers
    std::size_t room = 0;          // bytes after the header, perhaps more than were asked for
    void* user = nullptr;          // the application's buffer if its data is dense, otherwise nullptr
    std::size_t bytes = 0;         // of data to send, or of room for data to receive
    MPI_Datatype type{};           // made for this message and freed with it; MPI_Datatype{}: none
    MPI_Comm comm{};
    Envelope envelope{}; // of a message to send
    // Of a receive with room for messages without a header; lies after the header.
    LargeReceive* large_receive = nullptr;
    SidePart* side_part = nullptr; // of a persistent send with a side message; lies after the header
    bool for_receive = false;      // otherwise for a send
    bool copied = false;           // the data follows the header; otherwise a datatype covers both
    bool in_place = false;         // the MPI has the application's buffer, and no header comes before the data
    bool headed = false;           // the header was a separate message, and that message was found
    bool lost = false;             // the data could not be delivered whole
    bool in_two = false;           // the MPI has a datatype that puts the header's last byte into last_byte()
    Form form{};                   // of the message that a large receive got
    Once delivered;                // whether the received data is in its place
    MessageHeader header = {};

    [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
    // In the place of the envelope, which a request to receive does not have.
    [[nodiscard]] std::byte* last_byte() { return reinterpret_cast<std::byte*>(&envelope); }
    [[nodiscard]] const std::byte* last_byte() const { return reinterpret_cast<const std::byte*>(&envelope); }
};
static_assert(offsetof(MessageBuffer, header) + header_bytes == sizeof(MessageBuffer), "the data follows the header");

// Returns nullptr when memory is refused. `untouched` bytes of address space follow the buffer. hot
MessageBuffer* make_message_buffer(std::size_t room, std::size_t untouched = 0);
// Frees the whole list; `first` may be nullptr. Any thread may free what another one has made. hot
void free_message_buffers(MessageBuffer* first);

// Takes and gives back a buffer for a blocking call of this thread. Calls nest, so the buffer that was taken last is
// given back first, even when a signal handler interrupts. hot
MessageBuffer* get_spare_message_buffer(std::size_t room);
void give_back(MessageBuffer* message_buffer);
// Frees the datatype only.
void free_type(MessageBuffer& message_buffer);
// A thread that calls the first function keeps spare buffers until it calls the second one at its end. Other threads
// keep none.
void keep_spare_message_buffers();
void free_spare_message_buffers();

// Fills the buffer with header and data before the message is sent. Returns false when memory is refused. hot
bool send_off(MessageBuffer& message_buffer, const MessageHeader& header);
// Prepares the buffer of a persistent request, send or receive, that is started again. It may be nullptr.
void send_off_again(MessageBuffer* message_buffer, const MessageHeader& header);

enum class Received : unsigned char {
    nothing,  // no message has arrived yet, or the request is a send
    headed,   // the message buffer holds the header of the message
    split,    // the message buffer holds a header, which may belong to another message
    bare,     // a message without a header
    truncated // data is lost, and the MPI has not noticed: see raise_truncation()
};
// Whether `header` is that of the message that was received with `status`. hot
bool is_header(const MessageHeader& header, const MPI_Status& status);
// Called after a call that may have completed the receive; `error` is the class of what the call returned. Delivers the
// message once, and corrects the length in the status to the size of the application's data. hot
Received finish_receive(MessageBuffer* message_buffer, MPI_Status& status, int error);

// Calls the error handler of `comm` as the MPI would have done, and returns what the application's call must return.
int raise_truncation(MPI_Comm comm, int code = MPI_ERR_TRUNCATE);

} // namespace tactus
