// What travels by another message, on our own communicator, sent just before the application's (lengths.hpp says which
// and why): of tiny messages the header, of 24 sizes header and data. Of these the application's message holds the
// number that finds them, so neither the order of receives nor messages that were sent and never received matter. A
// header that was sent alone is found by its order: a receive that completes in another order than it was
// posted may get another one's, which spoils a delay and nothing else. Any thread.
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
// False when there is no such receiver.
bool find_route(const Destination& envelope, Route& route);

struct SidePart {
    Route route;
    Data data;
    std::uint64_t bytes; // of it
    bool only_header;    // the data is the application's message
};

// Writes what the message is to hold to `mark`. False when memory is refused.
bool send_side_message(const SidePart& side_part, const MessageHeader& header, void* mark);
constexpr std::size_t mark_bytes = header_bytes + 8; // that it may take
void send_header(const SidePart& side_part, const MessageHeader& header);

struct SideMessage {
    // What comes before the data on our communicator.
    struct Front {
        MessageHeader header;
        std::uint64_t number; // no other message that is under way has it: the sender, and a count
        std::uint64_t size;   // of the data, in bytes
        std::int32_t sender;  // see Route
        std::int32_t tag;
    };
    SideMessage* next;
    Front front; // the data follows
    [[nodiscard]] const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }
};
// Of the message that has come with that status, `length` bytes at `mark`, for `size` bytes of data. To be freed with
// operator delete; nullptr: memory is refused.
SideMessage* fetch_side_message(const MPI_Status& status, std::uint64_t size, const void* mark, std::size_t length);
// Of the message that has come with that status. False when it is not there.
bool fetch_header(const MPI_Status& status, std::uint64_t size, MessageHeader& header);

// In MPI_Finalize: those that nobody asked for, or MPICH would say on standard error that they were not received.
void drop_side_messages();

} // namespace tactus
