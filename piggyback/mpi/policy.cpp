#include "piggyback/mpi/policy.hpp"

#include "collector/libraries.hpp"
#include "collector/session.hpp"
#include "piggyback/mpi/large_receive.hpp"

#include <algorithm>
#include <dlfcn.h>

namespace tactus {

constinit PiggybackPolicy piggyback_policy;

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
bool agree_on_piggyback_policy(const Options& options, std::int64_t deadline_ns) {
    enum { carries, collectives, one_thread, in_front, most_headed, words };
    static std::int64_t wanted[words]; // the MPI may read and write these as long as it likes
    static std::int64_t agreed[words];
    const Piggyback choice = options.piggyback();
    piggyback_policy.copies = choice != Piggyback::structs;
    piggyback_policy.copy_max =
        choice == Piggyback::packed ? ~std::size_t{0} : options.bytes(Option::piggyback_copy_max);
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
    piggyback_policy.on = agreed[carries] == all_is_well;
    piggyback_policy.reason = static_cast<NothingCarried>(agreed[carries]);
    if (piggyback_policy.on) requests.use_one_table();
    piggyback_policy.lengths.most_headed = static_cast<std::uint64_t>(agreed[most_headed]);
    constexpr std::size_t most_kept = 65536; // bytes that a thread keeps for a blocking call
    const std::size_t of_copy = piggyback_policy.copies ? piggyback_policy.copy_max : 0;
    const std::size_t of_large_receive =
        piggyback_policy.lengths.most_headed == Lengths::unlimited ? 0 : large_receive_space();
    piggyback_policy.spare_room = std::min(std::max(of_copy, of_large_receive), most_kept);
    piggyback_policy.lengths.all_beside = agreed[in_front] == 0;
    if (piggyback_policy.lengths.all_beside) piggyback_policy.lengths.most_headed = 0;
    piggyback_policy.collectives = piggyback_policy.on && agreed[collectives] != 0;
    piggyback_policy.names = piggyback_policy.on && agreed[one_thread] == 0;
    return true;
}

bool is_tag(int tag) {
    const int* most = nullptr;
    int known = 0;
    pmpi.Comm_get_attr(handle.COMM_WORLD, MPI_TAG_UB, &most, &known);
    return tag >= 0 && (known == 0 || tag <= *most);
}

} // namespace tactus
