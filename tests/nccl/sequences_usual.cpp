// Sequences of what programs usually do: groups, splits, graphs, many threads.
#include "sequences.hpp"

namespace tactus::fake_nccl {

CommunicatorOptions Stage::comm(std::uint64_t id, int rank, int ranks) const {
    GpuClock::Settings clock = wanted.clock;
    clock.offset_ns += rank * std::int64_t{3'000'000};
    clock.drift_ppm *= rank % 2 == 0 ? 1 : -1;
    return {.id = id, .name = "world", .ranks = ranks, .rank = rank, .gpu = GpuClock{clock}};
}

// One process with four GPUs.
void init_all_sequence(Stage& stage) {
    constexpr int ranks = 4;
    std::vector<CommunicatorOptions> wanted;
    for (int rank = 0; rank < ranks; ++rank) wanted.push_back(stage.comm(0xA11, rank, ranks));
    const auto comms = init_all(stage.library, wanted);
    for (std::size_t i = 0; i < stage.operations(50); ++i) {
        group_start();
        for (const auto& comm : comms) comm->all_reduce(std::size_t{256} << (i % 8), Datatype::float32);
        group_end();
        for (const auto& comm : comms) comm->synchronize();
    }
    comms[2]->destroy();
    destroy_all({comms[0].get(), comms[3].get()});
    comms[1]->destroy();
}

void grouped_p2p(Stage& stage) {
    CommunicatorOptions options = stage.comm(0x929, 0, 4);
    Communicator comm{stage.library, options};
    options = stage.comm(0x92A, 0, 1);
    options.name.reset();
    Communicator alone{stage.library, options};
    for (std::size_t i = 0; i < stage.operations(50); ++i) {
        group_start();
        comm.send(1024, Datatype::float32, 1);
        comm.recv(2048, Datatype::float32, 1); // on the same channel
        comm.send(512, Datatype::bfloat16, 3);
        comm.send(64, Datatype::int8, 0); // to itself
        comm.recv(64, Datatype::int8, 0);
        group_end();
        group_start();
        alone.send(64, Datatype::int32, 0);
        alone.recv(64, Datatype::int32, 0);
        group_end();
        group_start(); // in place: seen at API level only
        alone.send(64, Datatype::int32, 0, {.in_place = true});
        alone.recv(64, Datatype::int32, 0, {.in_place = true});
        group_end();
        comm.synchronize();
    }
    alone.destroy();
    comm.destroy();
}

void all_to_all(Stage& stage) {
    Communicator root{stage.library, stage.comm(0xA2A, 0, 4)};
    Communicator other{stage.library, stage.comm(0xA2A, 1, 4)};
    for (std::size_t i = 0; i < stage.operations(30); ++i)
        for (Communicator* comm : {&root, &other}) {
            comm->all_to_all(256, Datatype::float16);
            comm->gather(128, Datatype::float64, 0);
            comm->scatter(128, Datatype::float64, 0);
            comm->synchronize();
        }
    root.destroy();
    other.destroy();
}

// A parent that ends before the child that shares its progress thread.
void split(Stage& stage) {
    Communicator parent{stage.library, stage.comm(0x5B1, 0, 4)};
    const auto sharing = parent.split({.color = 1, .share = true, .name = "sharing"});
    const auto other_part = parent.split({.color = 2, .rank = 1});
    (void)parent.split({.color = -1});
    const std::size_t rounds = stage.operations(40);
    for (std::size_t i = 0; i < rounds; ++i) {
        parent.all_reduce(1000, Datatype::float32);
        sharing->all_gather(100, Datatype::int64);
        other_part->reduce_scatter(10, Datatype::uint32);
        parent.synchronize();
    }
    parent.destroy();
    for (std::size_t i = 0; i < rounds; ++i) {
        sharing->all_reduce(1000, Datatype::float32);
        sharing->synchronize();
    }
    other_part->destroy();
    sharing->destroy();
}

void non_blocking(Stage& stage) {
    CommunicatorOptions options = stage.comm(0x4B, 0, 2);
    options.blocking = false;
    Communicator comm{stage.library, options};
    for (std::size_t i = 0; i < stage.operations(100); ++i) {
        group_start();
        comm.all_reduce(500, Datatype::float32);
        comm.send(100, Datatype::float32, 1);
        group_end();
        comm.synchronize();
    }
    comm.destroy();
}

// A graph is captured once and replayed often. The parent of the replays is a CollApi that stopped long before.
void graph(Stage& stage) {
    Communicator comm{stage.library, stage.comm(0x6AF, 0, 2)};
    comm.all_reduce(100, Datatype::float32);
    comm.synchronize();
    Graph graph{stage.library, [&comm] {
                    comm.all_reduce(100, Datatype::float32);
                    group_start();
                    comm.reduce_scatter(200, Datatype::float32);
                    comm.send(200, Datatype::float32, 1);
                    group_end();
                }};
    for (std::size_t i = 0; i < stage.operations(1000); ++i) {
        graph.replay();
        if (i % 8 == 7) graph.wait();
    }
    graph.wait();
    comm.destroy();
}

namespace {

void tiny_operations(Stage& stage, std::size_t usual, std::chrono::nanoseconds pause) {
    constexpr std::size_t threads = 8;
    CommunicatorOptions options = stage.comm(0x3A00, 0, 2);
    options.channels = 1;
    run_storm(stage.library,
              {.threads = threads, .operations = stage.operations(usual) / threads, .pause = pause, .comm = options});
}

} // namespace

// Tiny operations from eight threads, as fast as possible.
void many(Stage& stage) { tiny_operations(stage, 1'000'000, {}); }

// They take two seconds at least.
void steady(Stage& stage) { tiny_operations(stage, 3'200, std::chrono::milliseconds{5}); }

// The end of the last communicator unloads the plugin, and the start of the next loads it again.
void reload(Stage& stage) {
    for (std::uint64_t round = 0; round < 5; ++round) {
        Communicator first{stage.library, stage.comm(0x4E10 + round, 0, 2)};
        Communicator second{stage.library, stage.comm(0x4E20 + round, 0, 2)};
        for (std::size_t i = 0; i < stage.operations(10); ++i) {
            first.all_reduce(100, Datatype::float32);
            second.all_gather(100, Datatype::float32);
        }
        first.destroy();
        second.destroy();
    }
}

} // namespace tactus::fake_nccl
