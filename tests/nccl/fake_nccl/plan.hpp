// What one kernel launch does: its tasks in NCCL's order, and the callbacks that a launch makes.
#pragma once

#include "library.hpp"

namespace tactus::fake_nccl {

struct Task {
    CommState* comm = nullptr;
    Func func = Func::all_reduce;
    std::size_t count = 0; // as the user gave it
    Datatype type = Datatype::int8;
    int root = 0, peer = -1;
    Operation operation{};
    int mask = 0;          // the event mask when the user called
    bool captured = false; // into a graph
    Cell api{}, event{};
    std::int64_t sequence = -1; // of the last launch, if it is launched again and again
    TruthRecord* truth = nullptr;

    [[nodiscard]] std::size_t bytes() const { return count * size_of(type); }
    [[nodiscard]] bool to_self() const { return peer == comm->options.rank; }
    // Below the API, AllGather and Broadcast are rewritten to count bytes.
    [[nodiscard]] bool in_bytes() const { return func == Func::all_gather || func == Func::broadcast; }
    [[nodiscard]] int channels() const;
    [[nodiscard]] int first_channel() const;
};

struct Plan {
    CommState* comm = nullptr;
    std::vector<Task> tasks{}; // collectives first, the largest first; then sends and receives
    void* group_api = nullptr;
    Cell group{};
    bool captured = false;
    std::uint32_t kernel = 0; // CUDA's number of its launch; 0: there is no CUDA

    [[nodiscard]] int mask() const;
};

// Makes one or several plans for each communicator, interleaved by rounds. Moves the tasks into them.
[[nodiscard]] std::vector<Plan> plans_of(std::vector<Task>& tasks, void* group_api);

// Whether the task is reported at API level only.
[[nodiscard]] bool api_only(const Library& library, const Task& task);
void note_api_only(Library& library, const Task& task); // writes it into the truth
void run_on_copy_engine(Library& library, const Task& task);

void launch_kernel(Library& library, Plan& plan);  // inside of KernelLaunch
void capture_kernel(Library& library, Plan& plan); // the same for a graph, which launches it later
[[nodiscard]] std::uint32_t start_kernel(const Library& library, const Plan& plan);
// Starts the group and the tasks, gives the progress thread its work, and stops them all. launched_ns is when the
// kernel was launched.
void issue(Library& library, Plan& plan, std::int64_t launched_ns);

[[nodiscard]] TruthFacts facts_of(const Task& task, What what);

} // namespace tactus::fake_nccl
