// The fake NCCL's user interface: communicators, their calls, groups and graphs. As with NCCL, one thread at a time
// uses a communicator.
#pragma once

#include "group.hpp"

#include <functional>

namespace tactus::fake_nccl {

struct SplitOptions {
    int color = 0; // negative: no child
    int rank = 0, ranks = 2;
    bool share = false; // the parent's progress thread
    std::optional<std::string> name{};
};

// A proxy operation that another process handed to this one (PXN): the addresses are of that process.
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
    ~Communicator() = default; // leaks it, as a user does who does not destroy

    void all_reduce(std::size_t count, Datatype type, const Operation& operation = {});
    void reduce_scatter(std::size_t receive_count, Datatype type, const Operation& operation = {});
    void all_gather(std::size_t send_count, Datatype type, const Operation& operation = {});
    void broadcast(std::size_t count, Datatype type, int root, const Operation& operation = {});
    void reduce(std::size_t count, Datatype type, int root, const Operation& operation = {});
    void send(std::size_t count, Datatype type, int peer, const Operation& operation = {});
    void recv(std::size_t count, Datatype type, int peer, const Operation& operation = {});
    void all_to_all(std::size_t count, Datatype type, const Operation& operation = {}); // count: per peer
    void gather(std::size_t count, Datatype type, int root, const Operation& operation = {});
    void scatter(std::size_t count, Datatype type, int root, const Operation& operation = {});

    [[nodiscard]] std::unique_ptr<Communicator> split(const SplitOptions& wanted);
    void foreign_proxy_op(const ForeignOp& foreign);
    void unknown_event(); // of a type and with states that no version has

    void synchronize(); // as cudaStreamSynchronize: until the last kernel is over by the clock
    void finalize();    // ncclCommFinalize: until the progress thread has done all of this communicator's work
    void settle();      // and until the progress thread sleeps, so that it is in no callback
    void destroy();     // finalize, then end the progress thread if nobody shares it, then the plugin's finalize
    void abort();       // the same without waiting: nothing in flight is stopped

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
    int plugin_references_ = 0; // to give back
    std::uint64_t splits_ = 0;
};

// ncclCommInitAll, or several inits in a group: on threads of their own, at the same time. And destroys likewise.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> init_all(Library& library,
                                                                  const std::vector<CommunicatorOptions>& wanted);
void destroy_all(const std::vector<Communicator*>& communicators);

// A CUDA graph of what `calls` calls.
class Graph {
  public:
    Graph(Library& library, const std::function<void()>& calls);
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() { wait(); }

    void replay(); // once, on the host-callback thread
    void wait();   // for the replays so far

  private:
    Library& library_;
    std::vector<Plan> plans_; // the host-callback thread's, after capture
};

} // namespace tactus::fake_nccl
