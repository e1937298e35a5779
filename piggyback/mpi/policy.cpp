#include "piggyback/mpi/policy.hpp"

#include "base/mpi/libraries.hpp"
#include "base/mpi/own_operation.hpp"
#include "base/ticks.hpp"
#include "piggyback/mpi/large_receive.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <span>
#include <sys/random.h>
#include <unistd.h>

namespace tactus {

constinit PiggybackPolicy piggyback_policy;

std::uint64_t most_headed_wanted(const Options& options) {
    if (options.piggyback() != Piggyback::on) return Lengths::unlimited;
    constexpr std::uint64_t least = 64; // because the messages that measure the costs need headers
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    return std::clamp<std::uint64_t>(options.bytes(Option::piggyback_copy_max), least, most);
}

namespace {

// The value of Wishes::carries that is no NothingCarried. It is larger than each of them, so that MPI_MIN prefers them.
constexpr std::int64_t all_is_well = 4;

bool is_mapped(const char* library) {
    void* const found = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (found != nullptr) dlclose(found);
    return found != nullptr;
}

// A header needs a copy of the data, and the processor may be unable to read a device's memory. The other side of a
// message cannot tell whether the buffer is on a device. So either all messages have headers or none has.
bool takes_device_buffers() {
    // Without a driver there is no such memory, and MPICH 3.4.1 ends the program when it is asked.
    constexpr const char* drivers[] = {"libcuda.so.1",     "libamdhip64.so",   "libamdhip64.so.4",
                                       "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"};
    const bool has_driver = std::ranges::any_of(drivers, is_mapped);
    if (asks_need_driver && !has_driver && !is_mapped("libze_loader.so.1")) return false;
    bool has_asked = false;
    for (const char* const question :
         {"MPIX_Query_cuda_support", "MPIX_Query_hip_support", "MPIX_Query_rocm_support", "MPIX_Query_ze_support"}) {
        void* found = dlsym(RTLD_DEFAULT, question);
        if (found == nullptr) found = find_in_libraries(library_names, question);
        const auto ask = reinterpret_cast<int (*)()>(found);
        if (ask != nullptr && ask() == 1) return true;
        has_asked = has_asked || ask != nullptr;
    }
    // Libraries of the standard ABI do not have these functions. The loader of Level Zero says nothing, for Debian's
    // MPICH needs it everywhere.
    return is_standard_abi && !has_asked && has_driver;
}

std::int64_t could_carry(Piggyback choice, bool has_mpi_session) {
    if (choice == Piggyback::off) return static_cast<std::int64_t>(NothingCarried::asked);
    // On communicators made from a session, messages may be under way already.
    if (has_mpi_session) return static_cast<std::int64_t>(NothingCarried::sessions);
    if (!is_known_mpi()) return static_cast<std::int64_t>(NothingCarried::unknown_mpi);
    if (takes_device_buffers()) return static_cast<std::int64_t>(NothingCarried::device_buffers);
    return all_is_well;
}

} // namespace

namespace {

// What one rank wants or can do. The minimum of each value over all ranks is what all ranks do.
struct Wishes {
    std::int64_t carries;     // a NothingCarried, or all_is_well
    std::int64_t collectives; // 1: collectives bring delays
    std::int64_t one_thread;  // 1: at most one thread makes calls at a time
    std::int64_t in_front;    // 1: headers may come before the data
    std::int64_t most_headed; // bytes
    std::int64_t key;         // random
};

// A random number that is not negative.
std::int64_t any_number() {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = mix(static_cast<std::uint64_t>(monotonic_ns()), static_cast<std::uint64_t>(getpid()));
    return static_cast<std::int64_t>(number >> 1U);
}

Wishes wishes_of(const Options& options, bool has_mpi_session) {
    int level = MPI_THREAD_SINGLE;
    pmpi.Query_thread(&level);
    const Piggyback choice = options.piggyback();
    return {.carries = could_carry(choice, has_mpi_session),
            .collectives = options.on(Option::piggyback_collectives) ? 1 : 0,
            .one_thread = level < MPI_THREAD_MULTIPLE ? 1 : 0,
            .in_front = choice != Piggyback::message ? 1 : 0,
            .most_headed = static_cast<std::int64_t>(most_headed_wanted(options)),
            .key = any_number()};
}

} // namespace

// Either all ranks use headers or none does: a rank that cannot would send messages without headers, and would receive
// the headers of others into its data. For the same reason all ranks use the same sizes.
bool agree_on_piggyback_policy(const Options& options, bool has_mpi_session, std::int64_t deadline_ns) {
    Wishes agreed = wishes_of(options, has_mpi_session);
    static_assert(sizeof agreed == 6 * sizeof(std::int64_t));
    const std::span values{&agreed.carries, sizeof agreed / sizeof(std::int64_t)};
    if (!Together{piggyback_host.comm, deadline_ns}.reduce(values, handle.MIN)) return false;
    PiggybackPolicy& policy = piggyback_policy;
    const Piggyback choice = options.piggyback();
    policy.copies = choice != Piggyback::structs;
    policy.copy_max = choice == Piggyback::packed ? ~std::size_t{0} : options.bytes(Option::piggyback_copy_max);
    policy.on = agreed.carries == all_is_well;
    policy.reason = static_cast<NothingCarried>(agreed.carries);
    policy.lengths.most_headed = static_cast<std::uint64_t>(agreed.most_headed);
    constexpr std::size_t most_kept = 65536; // bytes that a thread keeps for a blocking call
    const std::size_t of_copy = policy.copies ? policy.copy_max : 0;
    const std::size_t of_large_receive = policy.lengths.most_headed == Lengths::unlimited ? 0 : large_receive_space();
    policy.spare_room = std::min(std::max(of_copy, of_large_receive), most_kept);
    policy.lengths.all_split = agreed.in_front == 0;
    if (policy.lengths.all_split) policy.lengths.most_headed = 0;
    policy.key = static_cast<std::uint64_t>(agreed.key);
    policy.collectives = policy.on && agreed.collectives != 0;
    policy.names = policy.on && agreed.one_thread == 0;
    return true;
}

bool is_tag(int tag) {
    const int* most = nullptr;
    int known = 0;
    pmpi.Comm_get_attr(handle.COMM_WORLD, MPI_TAG_UB, &most, &known);
    return tag >= 0 && (known == 0 || tag <= *most);
}

} // namespace tactus
