// Sequences of rare events and of what can go wrong: dead handles, foreign addresses, failed inits, changing masks.
#include "sequences.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static bool is_forked_child;
#ifdef __SANITIZE_ADDRESS__
// The leak checker takes locks when a process ends that another thread may have held when it was forked.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return is_forked_child ? 1 : 0; }
#endif

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;

void* address(std::uint64_t value) { return reinterpret_cast<void*>(value); } // not mapped

void few_all_reduces(Communicator& comm, std::size_t number) {
    for (std::size_t i = 0; i < number; ++i) {
        comm.all_reduce(100, Datatype::float32);
        comm.synchronize();
    }
}

// A kernel that begins `delay_ns` later and takes a millisecond.
Operation slow(std::int64_t delay_ns) {
    const std::int64_t now_ns = host_now_ns();
    return {.kernel = KernelTimes{.start_ns = now_ns + delay_ns, .stop_ns = now_ns + delay_ns + 1'000'000}};
}

} // namespace

void pxn(Stage& stage) {
    CommunicatorOptions options = stage.comm(0x9C, 0, 2);
    options.nodes = 2;
    options.network = true;
    Communicator comm{stage.library, options};
    const int other = getpid() + 1;
    for (std::size_t i = 0; i < stage.operations(50); ++i) {
        const std::uint64_t offset = i * 64;
        comm.all_reduce(10'000, Datatype::float32);
        comm.foreign_proxy_op({.pid = other, .context = address(0xDEAD0000), .parent = address(0xDEAD1000 + offset)});
        // Another pid namespace may have the same pid. Then only the context tells the processes apart.
        comm.foreign_proxy_op({.pid = getpid(),
                               .context = address(0xDEAD2000),
                               .parent = address(0xDEAD3000 + offset),
                               .channel = 1,
                               .is_send = false});
        comm.synchronize();
    }
    comm.destroy();
}

// The init of the second communicator fails. In 2.30, freeing that communicator takes the plugin from the first one.
void init_failure(Stage& stage) {
    Communicator good{stage.library, stage.comm(0xFA0, 0, 2)};
    CommunicatorOptions options = stage.comm(0xFA1, 0, 2);
    options.init_fails = !stage.wanted.plugin_fails;
    Communicator bad{stage.library, options};
    const std::size_t number = stage.operations(20);
    few_all_reduces(good, number);
    few_all_reduces(bad, number);
    good.settle(); // because no thread may be in the plugin, which is unloaded now
    bad.destroy();
    few_all_reduces(good, number);
    good.destroy();
    Communicator later{stage.library, stage.comm(0xFA2, 0, 2)};
    few_all_reduces(later, number);
    later.destroy();
}

void in_flight(Stage& stage) {
    constexpr std::int64_t later_ns = 3'000'000;
    for (std::size_t i = 0; i < stage.operations(3); ++i) {
        Communicator aborted{stage.library, stage.comm(0x1F0 + i, 0, 2)};
        few_all_reduces(aborted, 5);
        aborted.all_reduce(100, Datatype::float32, slow(later_ns)); // its KernelCh never starts
        aborted.all_reduce(100, Datatype::float32, slow(0));        // and this one's never stops
        std::this_thread::sleep_for(std::chrono::microseconds{200});
        aborted.abort();

        CommunicatorOptions options = stage.comm(0x2F0 + i, 0, 2);
        options.network = true;
        Communicator parent{stage.library, options};
        const auto child = parent.split({.share = true});
        parent.all_reduce(100, Datatype::float32, slow(later_ns));
        parent.abort(); // the thread continues for the child: proxy operations and kernels come after finalize
        few_all_reduces(*child, 5);
        child->all_reduce(100, Datatype::float32, slow(2 * later_ns));
        child->destroy();
    }
    Communicator left{stage.library, stage.comm(0x3F0, 0, 2)}; // never destroyed as far as NCCL knows
    few_all_reduces(left, 5);
    left.all_reduce(100, Datatype::float32, slow(later_ns));
    left.settle(); // what it tells of this one, the plugin and the truth have both
    constexpr std::int64_t never_ns = 1'000'000'000'000;
    left.all_reduce(100, Datatype::float32, slow(never_ns));
    stage.leave_running = true;
}

// Starts that the progress thread misses, and stamps of later operations in the GPU's ring.
void kernel_race(Stage& stage) {
    Communicator comm{stage.library, stage.comm(0x4ACE, 0, 2)};
    for (std::size_t i = 0; i < stage.operations(50); ++i) {
        comm.all_reduce(100, Datatype::float32, {.start_lost = i % 5 == 4});
        comm.finalize(); // so that the next operation gets the same cells
    }
    comm.destroy();

    CommunicatorOptions options = stage.comm(0x4ACF, 0, 2);
    options.ring_entries = 64;
    options.model = {.least_delay_ns = 1000, .most_delay_ns = 1000, .least_ns = 1000, .most_ns = 2000};
    Communicator overrun{stage.library, options};
    for (int round = 0; round < 3; ++round) {
        overrun.all_reduce(100, Datatype::float32, {.poll_delay_ns = 20'000'000});
        for (int i = 0; i < 100; ++i) overrun.all_reduce(1, Datatype::float32);
        overrun.finalize();
    }
    overrun.destroy();
}

void mask_changes(Stage& stage) {
    CommunicatorOptions options = stage.comm(0x3A5C, 0, 2);
    options.network = true;
    Communicator comm{stage.library, options};
    const int wanted = stage.library.mask();
    std::vector<int> masks{wanted, 0, 1};
    for (int bit = 1; bit < 15; ++bit) masks.push_back(1 << bit);
    masks.push_back(static_cast<int>(event::coll | event::kernel_ch));
    masks.push_back(wanted);
    for (const int mask : masks) {
        stage.library.set_mask(mask);
        for (std::size_t i = 0; i < stage.operations(5); ++i) {
            group_start();
            comm.all_reduce(100, Datatype::float32);
            stage.library.set_mask(i % 2 == 0 ? mask : wanted); // also in the middle of a group
            comm.send(100, Datatype::float32, 1);
            group_end();
            stage.library.set_mask(mask);
        }
        comm.synchronize();
    }
    comm.destroy();
}

void copy_engine(Stage& stage) {
    Communicator comm{stage.library, stage.comm(0xCE, 0, 2)};
    for (std::size_t i = 0; i < stage.operations(50); ++i) {
        comm.all_gather(1 << 20, Datatype::float32, {.copy_engine = true});
        comm.all_reduce(100, Datatype::float32);
        comm.unknown_event();
        comm.synchronize();
    }
    comm.destroy();
}

void net_plugin(Stage& stage) {
    std::uint64_t id = 0x4E7;
    for (const NetEvents events : {NetEvents::ib, NetEvents::socket, NetEvents::irregular}) {
        CommunicatorOptions options = stage.comm(id++, 0, 2);
        options.nodes = 2;
        options.network = true;
        options.net_events = events;
        options.steps = 12; // more than can be in flight at once
        Communicator comm{stage.library, options};
        few_all_reduces(comm, stage.operations(20));
        comm.destroy();
    }
}

void coll_net(Stage& stage) {
    Communicator comm{stage.library, stage.comm(0xC011, 0, 8)};
    for (std::size_t i = 0; i < stage.operations(20); ++i) {
        comm.all_reduce(1 << 16, Datatype::float32,
                        {.channels = 64, .coll_net = true, .algo = "COLLNET_DIRECT", .proto = "SIMPLE"});
        // RCCL has channels of such numbers.
        comm.all_reduce(100, Datatype::float32, {.channels = 1, .first_channel = 127});
        comm.all_reduce(100, Datatype::float32, {.channels = 4, .first_channel = 4});
        comm.synchronize();
    }
    comm.destroy();
}

void blind_spots(Stage& stage) {
    Communicator comm{stage.library, stage.comm(0xB11D, 0, 2)};
    Communicator alone{stage.library, stage.comm(0xB11E, 0, 1)};
    for (std::size_t i = 0; i < stage.operations(30); ++i) {
        comm.broadcast(100, Datatype::float32, 0);
        comm.all_reduce(100, Datatype::float32, {.symmetric = true});
        comm.all_gather(100, Datatype::float64); // its Coll counts bytes
        comm.all_reduce(100, Datatype::uint8);   // a type without a name
        comm.all_reduce(0, Datatype::float32);
        alone.all_reduce(100, Datatype::float32);
        comm.synchronize();
    }
    alone.destroy();
    comm.destroy();
}

// A child that has nothing to do with NCCL, and ends with exit().
void forked(Stage& stage) {
    constexpr std::chrono::seconds patience{60}; // a limit for hangs: a child with a sanitizer takes long to end
    Communicator comm{stage.library, stage.comm(0xF04C, 0, 2)};
    const auto some = [&] {
        for (std::size_t i = 0; i < stage.operations(30); ++i) comm.all_reduce(100, Datatype::float32);
        comm.synchronize();
    };
    some();
    std::fflush(nullptr);
    const pid_t child = fork();
    is_forked_child = child == 0;
    if (child == 0) std::exit(0);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
            continue;
        }
        std::fprintf(stderr, "nccl_host: the child of a fork hangs in exit()\n");
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        std::exit(1);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::fprintf(stderr, "nccl_host: the child of a fork ends with %#x\n", static_cast<unsigned>(status));
        std::exit(1);
    }
    some();
    comm.destroy();
}

} // namespace tactus::fake_nccl
