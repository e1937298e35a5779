// What one message carries: a header, followed, for small messages, by a copy of the data. A blocking call gets its
// buffer from its thread's spare ones; that of a request lives until the request is complete.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "piggyback/header.hpp"

#include <atomic>
#include <cstddef>

namespace tactus {

struct LargeReceive;
struct SidePart;

// A message is delivered once, also where several threads ask about its request at the same time.
class Once {
  public:
    void reset() { state_.store(open, std::memory_order_relaxed); }
    // Whether it is for the caller to do, who then calls end(); else it is done. hot
    [[nodiscard]] bool begin();
    void end() { state_.store(done, std::memory_order_release); }

  private:
    enum : unsigned char { open, busy, done };
    std::atomic<unsigned char> state_{open};
};

struct MessageBuffer {
    MessageBuffer* next = nullptr; // of the spare ones
    std::size_t room = 0;          // bytes after the header
    void* user = nullptr;  // where dense data comes from or goes to; nullptr: the datatype is none that is dense
    std::size_t bytes = 0; // of data; of a receive, that there is room for
    MPI_Datatype type{};   // made for it, and freed with it; as it is here: none
    MPI_Comm comm{};
    // Of a receive with room for messages without a header; it lies after the header.
    LargeReceive* large_receive = nullptr;
    SidePart* side_part = nullptr; // of a send whose data, or header, goes by a side message; it lies there, too
    bool for_receive = false;      // else for a send
    bool copied = false;           // the data follows the header, else a datatype covers it
    bool in_place = false;         // the MPI has the application's buffer, and no header comes before the data
    bool headed = false;           // of a message whose header comes by another one: that was there
    Once delivered;                // what was received is where it belongs
    MessageHeader header = {};

    [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(offsetof(MessageBuffer, header) + header_bytes == sizeof(MessageBuffer), "the data follows the header");

// nullptr when memory is refused. `untouched`: bytes of address space after it.
MessageBuffer* make_message_buffer(std::size_t room, std::size_t untouched = 0);
void free_message_buffers(MessageBuffer* first); // and those chained to it; nullptr: none

// For a blocking call of this thread. Calls nest, so the last taken is given back first, also where a signal handler
// comes in between. hot
MessageBuffer* get_spare_message_buffer(std::size_t room);
void give_back(MessageBuffer* message_buffer);
// The datatype alone.
void free_type(MessageBuffer& message_buffer);
// The thread will say when it ends, by the second; one that does not keeps no spare ones.
void keep_spare_message_buffers();
void free_spare_message_buffers();

// A message is sent, or a receive waits for one, now. False when memory is refused. hot
bool send_off(MessageBuffer& message_buffer, const MessageHeader& header);
// Of a request that begins again; nullptr: none.
void send_off_again(MessageBuffer* message_buffer, const MessageHeader& header);

enum class Received : unsigned char {
    nothing,  // yet, or it is a send's
    headed,   // the header is the message_buffer's now
    split,    // so it is; it may be the header of another message
    bare,     // a message without one
    truncated // the receive was too short, and only we know: see raise_truncation()
};
// After a call that may have completed it, with an error of that class. Delivers the message, once, and corrects the
// length in the status to what it is without a header. hot
Received finish_receive(MessageBuffer* message_buffer, MPI_Status& status, int error);

// The receive's error handler hears of it, as it would from the MPI; gives what the call returns.
int raise_truncation(MPI_Comm comm, int code = MPI_ERR_TRUNCATE);

} // namespace tactus
