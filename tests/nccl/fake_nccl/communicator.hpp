// The user interface of the fake NCCL: communicators, their calls, groups and graphs. As with NCCL, only one thread at
// a time may use a communicator.
#pragma once

#include "group.hpp"

#include <functional>

namespace tactus::fake_nccl {

struct SplitOptions {
    int color = 0; // negative: no child
    int rank = 0, ranks = 2;
    bool share = false; // use the parent's progress thread
    std::optional<std::string> name{};
};

// A proxy operation that another process handed to this one (PXN). The addresses are those of that process.
struct ForeignOp {
    int pid = 0;
    void* context = nullptr;
    void* parent = nullptr;
    int peer = 0, channel = 0, steps = 4;
    bool is_send = true;
};

class Communicator {
  public:
    Communicator(Library& library, const CommunicatorOptions& options); // ncclCommInitRank
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator() = default; // leaks it, like a user who does not destroy it

    void all_reduce(std::size_t count, Datatype type, const Operation& operation = {});
    void reduce_scatter(std::size_t receive_count, Datatype type, const Operation& operation = {});
    void all_gather(std::size_t send_count, Datatype type, const Operation& operation = {});
    void broadcast(std::size_t count, Datatype type, int root, const Operation& operation = {});
    void reduce(std::size_t count, Datatype type, int root, const Operation& operation = {});
    void send(std::size_t count, Datatype type, int peer, const Operation& operation = {});
    void recv(std::size_t count, Datatype type, int peer, const Operation& operation = {});
    void all_to_all(std::size_t count, Datatype type, const Operation& operation = {}); // count is per peer
    void gather(std::size_t count, Datatype type, int root, const Operation& operation = {});
    void scatter(std::size_t count, Datatype type, int root, const Operation& operation = {});

    [[nodiscard]] std::unique_ptr<Communicator> split(const SplitOptions& wanted);
    void foreign_proxy_op(const ForeignOp& foreign);
    void unknown_event(); // has a type and states that no version has

    void synchronize(); // like cudaStreamSynchronize: waits until the last kernel is over by the clock
    void finalize();    // ncclCommFinalize: waits until the progress thread has done all of this communicator's work
    void settle();      // waits also until the progress thread sleeps, so that it is in no callback
    void destroy();     // finalizes, ends the progress thread if nobody shares it, then calls the plugin's finalize
    void abort();       // does the same without waiting: nothing in flight is stopped

    [[nodiscard]] const Identity& identity() const { return state_.identity; }
    [[nodiscard]] const CommunicatorOptions& options() const { return state_.options; }

  private:
    Communicator(Library& library, const CommunicatorOptions& options, Progress* shared);

    void init_plugin();
    void init_failed();
    void free();
    void call(Func func, std::size_t count, Datatype type, int root, const Operation& operation);
    void call_p2p(Func func, std::size_t count, Datatype type, int peer, const Operation& operation);

    Library& library_;
    CommState& state_;
    int plugin_references_ = 0; // how many references to release
    std::uint64_t splits_ = 0;
};

// Acts as ncclCommInitAll, or several inits in a group: each runs on its own thread, at the same time. destroy_all()
// does the same for destroys.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> init_all(Library& library,
                                                                  const std::vector<CommunicatorOptions>& wanted);
void destroy_all(const std::vector<Communicator*>& communicators);

// A CUDA graph that captures what `calls` calls.
class Graph {
  public:
    Graph(Library& library, const std::function<void()>& calls);
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() { wait(); }

    void replay(); // once, on the host-callback thread
    void wait();   // until the replays so far are done

  private:
    Library& library_;
    std::vector<Plan> plans_; // after the capture used by the host-callback thread alone
};

} // namespace tactus::fake_nccl
