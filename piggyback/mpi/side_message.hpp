// Side messages: they travel on tactus's own communicator and are sent just before the application's message
// (lengths.hpp says which and why). For tiny messages the side message is the header, and for 32 other sizes it is
// header and data. In the latter case the application's message holds a mark that finds the side message. So it does
// not matter in which order messages are received, or that some never are. A header that was sent alone is found by its
// order. A receive that completes in another order than it was posted may get the header of another message, which
// spoils a delay and nothing else. Any thread may call these functions.
#pragma once

#include "piggyback/header.hpp"
#include "piggyback/mpi/data.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus {

struct Destination {
    MPI_Comm comm;
    int peer; // the receiver
    int tag;
};

struct Route {
    std::int32_t receiver; // in MPI_COMM_WORLD
    std::int32_t sender;   // in the application's communicator, as receives there see it
    std::int32_t tag;
};
// Fills `route`. Returns false when there is no such receiver.
bool find_route(const Destination& envelope, Route& route);

struct SidePart {
    Route route;
    Data data;
    std::uint64_t bytes; // size of the data
    bool only_header;    // the data travels in the application's message
};

// Sends header and data as a side message. Writes mark_bytes to `mark`: the mark (header.hpp) and zeros. The
// application's message must then hold them in place of its data. Returns false when memory is refused.
bool send_side_message(const SidePart& side_part, const MessageHeader& header, void* mark);
constexpr std::size_t mark_bytes = header_bytes + 8;
// Sends the header alone as a side message.
void send_header(const SidePart& side_part, const MessageHeader& header);

struct SideMessage {
    // The beginning of a side message; the data follows.
    struct Front {
        MessageHeader header;
        std::uint64_t mark;
        std::uint64_t size;  // of the data, in bytes
        std::int32_t sender; // see Route
        std::int32_t tag;
    };
    SideMessage* next;
    Front front; // the data follows
    [[nodiscard]] const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }
};
// Whether the application's message that was received with `status`, and whose `length` bytes begin at `first`, holds a
// mark of data of `size` bytes. A message that came around tactus does not, but for one in 2^32; one in 2^16 if it has
// 4 bytes.
bool is_marked(const MPI_Status& status, std::uint64_t size, const void* first, std::size_t length);
// Waits for the side message of the application's message that was received with `status`, and returns it. `mark` holds
// the `length` bytes that the application's message had, and `size` is the size of the data in bytes. The caller frees
// the result with operator delete. The result is nullptr when memory is refused, or when there is no side message.
SideMessage* fetch_side_message(const MPI_Status& status, std::uint64_t size, const void* mark, std::size_t length);
// Fetches the header of the message of `size` bytes that was received with `status`. Returns false when the header has
// not arrived; it does not wait.
bool fetch_header(const MPI_Status& status, std::uint64_t size, MessageHeader& header);

// Called in MPI_Finalize. Receives all side messages that nobody asked for, since MPICH would otherwise say on standard
// error that they were not received.
void drop_side_messages();

} // namespace tactus
