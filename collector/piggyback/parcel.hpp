// What one message carries: a header, and behind it, for small messages, a copy of the data. A blocking call's parcel
// comes from its thread's spare ones, a request's lives until the request is complete.
#pragma once

#include "collector/mpi_functions.hpp"
#include "collector/piggyback/header.hpp"

#include <cstddef>

namespace tactus {

struct Parcel {
    Parcel* next = nullptr; // of the spare ones; of a request: the other half of an exchange
    std::size_t room = 0;   // bytes for data behind the header
    void* user = nullptr;   // where the copied data comes from or goes to; nullptr: a datatype covers it
    std::size_t bytes = 0;  // of it
    MPI_Datatype type{};    // made for it, and freed with it; as it is here: none
    bool received = false;  // of a receive
    bool taken_in = false;  // what came is where it belongs
    bool whole = false;     // all of the copy goes back, and the status says nothing
    MessageHeader header = {};

    [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(offsetof(Parcel, header) + header_bytes == sizeof(Parcel), "the data follows the header");

// nullptr when memory is refused. `untouched`: bytes of address space behind it.
Parcel* make_parcel(std::size_t room, std::size_t untouched = 0);
void free_parcels(Parcel* first); // and those chained to it; nullptr: none

// For a blocking call of this thread. Calls nest, so the last taken is given back first, also where a signal handler
// comes in between. hot
Parcel* take_spare_parcel(std::size_t room);
void give_back(Parcel* parcel);
// The datatype alone.
void free_type(Parcel& parcel);
// The thread ends.
void free_spare_parcels();

// Both halves of an exchange, for its request; nullptr: nothing is carried.
Parcel* chained(Parcel* incoming, Parcel* outgoing);

// A message is sent, or a receive waits for one, now. hot
void send_off(Parcel& parcel, const MessageHeader& header);
// Of a request, or of both halves of an exchange, that begins again; nullptr: none.
void send_off_again(Parcel* first, const MessageHeader& header);

// Behind a call that may have completed it: puts copied data where it belongs, once, and gives the length that the
// message has without its header to the status. False when it is a send's, or no message has come. hot
bool take_in(Parcel* parcel, MPI_Status& status);
void take_in_all(Parcel* first, MPI_Status& status);

} // namespace tactus
