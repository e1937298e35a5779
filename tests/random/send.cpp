/* Sends in all four modes: blocking, non-blocking, persistent, and freed while under way; typed or packed. */
#include "send.hpp"

namespace {

using Blocking = decltype(&MPI_Send);
using Starting = decltype(&MPI_Isend);

/* In the order of Mode. */
constexpr std::size_t modes = 4;
const Blocking blocking_sends[modes] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
const Starting starting_sends[modes] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
const Starting persistent_sends[modes] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};

struct Outgoing {
    std::shared_ptr<Area> area = std::make_shared<Area>();
    int count;
    MPI_Datatype type;
    Layout layout{}; // freed when the message is complete
};

Outgoing packed(const Outgoing& plain, MPI_Comm comm) {
    Outgoing made;
    int bytes = 0;
    must(MPI_Pack_size(plain.count, plain.type, comm, &bytes));
    made.area->resize(static_cast<std::size_t>(bytes) + 1);
    made.count = 0;
    made.type = MPI_PACKED;
    must(MPI_Pack(plain.area->data(), plain.count, plain.type, made.area->data(), bytes, &made.count, comm));
    return made;
}

void watch(Pool& pool, MPI_Request request, const Outgoing& data, int position, bool persistent) {
    auto unchanged = [data = data, before = *data.area](const MPI_Status* status) mutable {
        data.layout.free();
        int cancelled = 0;
        if (status != nullptr) must(MPI_Test_cancelled(status, &cancelled));
        require(!cancelled && before == *data.area, "a send changed its buffer or is cancelled");
    };
    pool.add({request, unchanged, position, persistent});
}

void start(const Envelope& to, const Outgoing& data, Pool& pool) {
    const bool persistent = here.choice.one_in(3);
    const auto& functions = persistent ? persistent_sends : starting_sends;
    MPI_Request request;
    must(functions[static_cast<std::size_t>(to.mode)](data.area->data(), data.count, data.type, to.dest, to.tag,
                                                      to.comm, &request));
    if (persistent) must(MPI_Start(&request));
    const bool freed = !to.to_oneself && here.choice.one_in(8);
    if (!freed) return watch(pool, request, data, to.may_wait_from, persistent);
    must(MPI_Request_free(&request));
    unwatched.push_back(data.area);
}

} // namespace

void start_send(const Envelope& to, bool may_block, Pool& pool) {
    Layout layout = random_layout(to.signature, to.granule, here.choice);
    Outgoing data;
    data.count = to.units / layout.units;
    data.type = layout.type;
    *data.area = untouched(static_cast<std::size_t>(data.count) * layout.extent);
    write(*data.area, 0, layout, to.units * layout.elements_per_unit(), to.key);
    if (!to.to_oneself && here.choice.one_in(6)) data = packed(data, to.comm);
    const bool blocking = may_block && here.choice.coin();
    if (to.to_oneself && !blocking) data.layout = layout; // MPICH uses it until the end
    if (blocking)
        must(blocking_sends[static_cast<std::size_t>(to.mode)](data.area->data(), data.count, data.type, to.dest,
                                                               to.tag, to.comm));
    else
        start(to, data, pool);
    if (!data.layout.made) layout.free();
}

/* Enough for any layout, because all layouts of a signature have the same packed size. */
int bytes_to_buffer(const Envelope& to) {
    Random same(to.key);
    Layout layout = random_layout(to.signature, 1, same);
    int bytes = 0;
    must(MPI_Pack_size(to.units, layout.type, to.comm, &bytes));
    layout.free();
    constexpr int alignment = 16; // MPICH rounds up, but does not count that as overhead
    return (bytes + MPI_BSEND_OVERHEAD) / alignment * alignment + 2 * alignment;
}
