#include "piggyback/mpi/side_message.hpp"

#include "base/locked.hpp"
#include "base/ticks.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/kept_requests.hpp"
#include "piggyback/mpi/message_buffer.hpp"
#include "piggyback/mpi/policy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <pthread.h>
#include <utility>

namespace tactus {
namespace {

// One kind of side messages, and the list of those that arrived before a receive asked for them.
struct Line {
    int tag;
    SideMessage* oldest;
};
constinit Line with_data{300, nullptr};
constinit Line header_alone{302, nullptr};
constinit pthread_mutex_t side_message_lock = PTHREAD_MUTEX_INITIALIZER;
constinit std::atomic<std::uint32_t> last_count{0};

// Receives the next side message from any sender. Returns nullptr when there is none yet or memory is refused.
SideMessage* receive_next(const Line& line) {
    MPI_Message message;
    MPI_Status status;
    int there = 0;
    pmpi.Improbe(MPI_ANY_SOURCE, line.tag, piggyback_host.comm, &there, &message, &status);
    if (there == 0) return nullptr;
    const std::size_t bytes = bytes_in(status);
    auto* const next = static_cast<SideMessage*>(operator new(offsetof(SideMessage, front) + bytes, std::nothrow));
    if (next == nullptr) return nullptr;
    next->next = nullptr;
    pmpi.Mrecv(&next->front, static_cast<int>(bytes), handle.BYTE, &message, &status);
    return next;
}

// Side messages are small enough to arrive without their sender's help. One that does not arrive in this time was never
// sent.
constexpr std::int64_t longest_wait_ns = 60'000'000'000;

template <class IsIt> SideMessage* fetch(Line& line, bool waits, IsIt is_it) {
    const Locked hold{side_message_lock};
    const std::int64_t deadline = waits ? monotonic_ns() + longest_wait_ns : 0;
    SideMessage** place = &line.oldest;
    for (;;) {
        if (*place == nullptr) *place = receive_next(line);
        if (*place != nullptr) {
            if (is_it((*place)->front)) break;
            place = &(*place)->next;
        } else if (!waits || monotonic_ns() > deadline) {
            return nullptr;
        }
    }
    SideMessage* const found = *place;
    *place = found->next;
    return found;
}

Envelope envelope_of(const Route& route) { return {route.sender, route.tag}; }
Envelope envelope_of(const MPI_Status& status) { return {status.MPI_SOURCE, status.MPI_TAG}; }

// Sends `front` followed by `bytes` of the data. Returns false when memory is refused.
bool send(const Line& line, const SidePart& side_part, const SideMessage::Front& front, std::size_t bytes) {
    MessageBuffer* const message_buffer = make_message_buffer(sizeof front + bytes);
    if (message_buffer == nullptr) return false;
    auto* const message = new (message_buffer->data()) SideMessage::Front{front};
    if (bytes > 0) pack(side_part.data, message + 1, bytes);
    MPI_Request request = handle.REQUEST_NULL;
    MPI_Status status;
    int sent = 0;
    pmpi.Isend(message, static_cast<int>(sizeof front + bytes), handle.BYTE, side_part.route.receiver, line.tag,
               piggyback_host.comm, &request);
    pmpi.Test(&request, &sent, &status);
    if (sent != 0)
        free_message_buffers(message_buffer);
    else
        keep_until_done(request, message_buffer);
    return true;
}

} // namespace

bool find_route(const Destination& envelope, Route& route) {
    const bool in_world = envelope.comm == handle.COMM_WORLD;
    const std::int32_t receiver = in_world ? envelope.peer : world_rank(envelope.comm, envelope.peer);
    route = {receiver, known_comms.rank(envelope.comm), envelope.tag};
    return receiver >= 0 && receiver < piggyback_host.ranks;
}

bool send_side_message(const SidePart& side_part, const MessageHeader& header, void* mark) {
    const Route& route = side_part.route;
    const std::uint64_t number = mark_of(++last_count, envelope_of(route), side_part.bytes, piggyback_policy.key);
    std::memset(mark, 0, mark_bytes);
    std::memcpy(mark, &number, sizeof number);
    return send(with_data, side_part, {header, number, side_part.bytes, route.sender, route.tag}, side_part.bytes);
}

// This must not use MPI_Send: in a job of one process, MPI_Send of MPICH 4.0.2 waits until the process has received the
// message.
void send_header(const SidePart& side_part, const MessageHeader& header) {
    send(header_alone, side_part, {header, 0, side_part.bytes, side_part.route.sender, side_part.route.tag}, 0);
}

bool is_marked(const MPI_Status& status, std::uint64_t size, const void* first, std::size_t length) {
    std::uint64_t mark = 0;
    std::memcpy(&mark, first, std::min(length, sizeof mark));
    return is_mark(mark, length, envelope_of(status), size, piggyback_policy.key);
}

SideMessage* fetch_side_message(const MPI_Status& status, std::uint64_t size, const void* mark, std::size_t length) {
    return fetch(with_data, true, [&](const SideMessage::Front& front) {
        return front.sender == status.MPI_SOURCE && front.tag == status.MPI_TAG && front.size == size &&
               std::memcmp(&front.mark, mark, std::min(length, sizeof front.mark)) == 0;
    });
}

bool fetch_header(const MPI_Status& status, std::uint64_t size, MessageHeader& header) {
    SideMessage* const found = fetch(header_alone, false, [&](const SideMessage::Front& front) {
        return front.sender == status.MPI_SOURCE && front.tag == status.MPI_TAG && front.size == size;
    });
    if (found == nullptr) return false;
    header = found->front.header;
    operator delete(found);
    return true;
}

void drop_side_messages() {
    const Locked hold{side_message_lock};
    for (Line* const line : {&with_data, &header_alone}) {
        while (line->oldest != nullptr) operator delete(std::exchange(line->oldest, line->oldest->next));
        while (SideMessage* const next = receive_next(*line)) operator delete(next);
    }
}

} // namespace tactus
