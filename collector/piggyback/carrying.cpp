#include "collector/piggyback/carrying.hpp"

#include "base/locked.hpp"
#include "collector/comms.hpp"
#include "collector/datatypes.hpp"
#include "collector/handle_table.hpp"
#include "collector/piggyback/header.hpp"
#include "collector/session.hpp"

#include <algorithm>
#include <climits>

namespace tactus {

constinit Carrying carrying;

namespace {

constinit HandleTable sound_types; // derived ones that the MPI took, and the ways it took them
constinit pthread_mutex_t types_lock = PTHREAD_MUTEX_INITIALIZER;

// The MPI checks its arguments and then does nothing for a message to or from nobody.
bool would_take(const Data& data, Way way) {
    const int count = static_cast<int>(std::min<MPI_Count>(data.count, INT_MAX));
    MPI_Status status;
    return way == Way::in ? pmpi.Recv(const_cast<void*>(data.buffer), count, data.type, MPI_PROC_NULL, 0, session->comm,
                                      &status) == MPI_SUCCESS
                          : pmpi.Send(data.buffer, count, data.type, MPI_PROC_NULL, 0, session->comm) == MPI_SUCCESS;
}

} // namespace

bool is_sound(const Data& data, Way way) {
    if (data.count < 0) return false;
    const bool predefined = datatypes.predefined(data.type).size != 0;
    const bool has_buffer = data.buffer != nullptr || data.count == 0;
    if (predefined && has_buffer) return true;
    const std::uint64_t wanted = static_cast<std::uint64_t>(way);
    const std::uint64_t known = predefined ? 0 : sound_types.find(key_of(data.type));
    if ((known & wanted) == wanted) return true;
    for (const Way one : {Way::out, Way::in})
        if ((wanted & static_cast<std::uint64_t>(one)) != 0 && !would_take(data, one)) return false;
    if (predefined) return true;
    const Locked hold{types_lock};
    sound_types.put(key_of(data.type), known | wanted);
    return true;
}

void forget_type(MPI_Datatype type) {
    if (!carrying.on || sound_types.find(key_of(type)) == 0) return;
    const Locked hold{types_lock};
    sound_types.put(key_of(type), 0);
}

// More elements than an int counts, as MPI_Send_c takes them, are blocks of `many` and the rest.
MPI_Datatype type_behind(const void* header, const Data& data) {
    constexpr MPI_Count many = 1 << 30;
    const auto user = reinterpret_cast<std::intptr_t>(data.buffer);
    const auto front = reinterpret_cast<std::intptr_t>(header);
    int lengths[] = {header_bytes, static_cast<int>(data.count % many), static_cast<int>(data.count / many)};
    MPI_Aint places[] = {0, user - front, user - front};
    MPI_Datatype types[] = {handle.BYTE, data.type, handle.DATATYPE_NULL};
    MPI_Datatype outer = handle.DATATYPE_NULL;
    int parts = 2;
    if (lengths[2] != 0) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        if (pmpi.Type_contiguous(many, data.type, &types[2]) != MPI_SUCCESS) return handle.DATATYPE_NULL;
        pmpi.Type_get_extent(data.type, &lower, &extent);
        places[1] += (data.count - data.count % many) * extent;
        parts = 3;
    }
    const bool made = pmpi.Type_create_struct(parts, lengths, places, types, &outer) == MPI_SUCCESS;
    if (parts == 3) pmpi.Type_free(&types[2]);
    return made && pmpi.Type_commit(&outer) == MPI_SUCCESS ? outer : handle.DATATYPE_NULL;
}

// Every rank or none: one that cannot would send messages without a header, and receive ours into its data.
bool agree_on_carrying(const Options& options, std::int64_t deadline_ns) {
    static int wanted[3]; // the MPI may read and write these as long as it likes
    static int agreed[3];
    const Piggyback choice = options.piggyback();
    // On communicators made of a session messages may be under way already.
    wanted[0] = choice != Piggyback::off && !session->has_mpi_session ? 1 : 0;
    wanted[1] = options.on(Option::piggyback_collectives) ? 1 : 0;
    int level = MPI_THREAD_SINGLE;
    pmpi.Query_thread(&level);
    wanted[2] = level < MPI_THREAD_MULTIPLE ? 1 : 0;
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Iallreduce(wanted, agreed, 3, handle.INT, handle.MIN, session->comm, &request) != MPI_SUCCESS ||
        !complete_by(request, deadline_ns))
        return false;
    constexpr std::size_t most_kept = 65536; // bytes that a thread keeps for a blocking call
    carrying.copies = choice != Piggyback::structs;
    carrying.copy_max = options.bytes(Option::piggyback_copy_max);
    carrying.spare_room = carrying.copies ? std::min(carrying.copy_max, most_kept) : 0;
    if (choice == Piggyback::packed) carrying.copy_max = ~std::size_t{0};
    if (agreed[0] != 0) requests.use_one_table();
    carrying.on = agreed[0] != 0;
    carrying.collectives = carrying.on && agreed[1] != 0;
    carrying.names = carrying.on && agreed[2] == 0;
    return true;
}

} // namespace tactus
