#include "collector/piggyback/carrying.hpp"

#include "collector/libraries.hpp"
#include "collector/piggyback/landing.hpp"
#include "collector/session.hpp"

#include <algorithm>
#include <dlfcn.h>

namespace tactus {

constinit Carrying carrying;

std::uint64_t most_headed_wanted(const Options& options) {
    if (options.piggyback() != Piggyback::on) return Lengths::unlimited;
    constexpr std::uint64_t least = 64; // what measures the costs has a header, too
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    return std::clamp<std::uint64_t>(options.bytes(Option::piggyback_copy_max), least, most);
}

namespace {

// A NothingCarried, or this.
constexpr std::int64_t all_is_well = 3;

// A carrier copies, and a device's memory may be out of reach for that. Nobody can tell a device's buffer from another
// one on the other side of a message, so it is all messages or none.
bool takes_device_buffers() {
    for (const char* const question : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support", "MPIX_Query_ze_support"}) {
        void* found = dlsym(RTLD_DEFAULT, question);
        if (found == nullptr) found = find_in_libraries(library_names, question);
        const auto ask = reinterpret_cast<int (*)()>(found);
        if (ask != nullptr && ask() == 1) return true;
    }
    return false;
}

std::int64_t could_carry(Piggyback choice) {
    if (choice == Piggyback::off) return static_cast<std::int64_t>(NothingCarried::asked);
    // On communicators made of a session messages may be under way already.
    if (session->has_mpi_session) return static_cast<std::int64_t>(NothingCarried::sessions);
    if (takes_device_buffers()) return static_cast<std::int64_t>(NothingCarried::device_buffers);
    return all_is_well;
}

} // namespace

// Every rank or none: one that cannot would send messages without a header, and receive ours into its data. And the
// same sizes on all of them.
bool agree_on_carrying(const Options& options, std::int64_t deadline_ns) {
    enum { carries, collectives, one_thread, in_front, most_headed, words };
    static std::int64_t wanted[words]; // the MPI may read and write these as long as it likes
    static std::int64_t agreed[words];
    const Piggyback choice = options.piggyback();
    carrying.copies = choice != Piggyback::structs;
    carrying.copy_max = choice == Piggyback::packed ? ~std::size_t{0} : options.bytes(Option::piggyback_copy_max);
    wanted[carries] = could_carry(choice);
    wanted[collectives] = options.on(Option::piggyback_collectives) ? 1 : 0;
    int level = MPI_THREAD_SINGLE;
    pmpi.Query_thread(&level);
    wanted[one_thread] = level < MPI_THREAD_MULTIPLE ? 1 : 0;
    wanted[in_front] = choice != Piggyback::message ? 1 : 0;
    wanted[most_headed] = static_cast<std::int64_t>(most_headed_wanted(options));
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Iallreduce(wanted, agreed, words, handle.INT64_T, handle.MIN, session->comm, &request) != MPI_SUCCESS ||
        !complete_by(request, deadline_ns))
        return false;
    carrying.on = agreed[carries] == all_is_well;
    carrying.reason = static_cast<NothingCarried>(agreed[carries]);
    if (carrying.on) requests.use_one_table();
    carrying.lengths.most_headed = static_cast<std::uint64_t>(agreed[most_headed]);
    constexpr std::size_t most_kept = 65536; // bytes that a thread keeps for a blocking call
    const std::size_t of_copy = carrying.copies ? carrying.copy_max : 0;
    const std::size_t of_landing = carrying.lengths.most_headed == Lengths::unlimited ? 0 : landing_space();
    carrying.spare_room = std::min(std::max(of_copy, of_landing), most_kept);
    carrying.lengths.all_beside = agreed[in_front] == 0;
    if (carrying.lengths.all_beside) carrying.lengths.most_headed = 0;
    carrying.collectives = carrying.on && agreed[collectives] != 0;
    carrying.names = carrying.on && agreed[one_thread] == 0;
    return true;
}

bool is_tag(int tag) {
    const int* most = nullptr;
    int known = 0;
    pmpi.Comm_get_attr(handle.COMM_WORLD, MPI_TAG_UB, &most, &known);
    return tag >= 0 && (known == 0 || tag <= *most);
}

} // namespace tactus
