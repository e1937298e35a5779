// What one kernel launch does: tasks, in NCCL's order, and the callbacks of their launch.
#pragma once

#include "library.hpp"

namespace tactus::fake_nccl {

struct Task {
    CommState* comm = nullptr;
    Func func = Func::all_reduce;
    std::size_t count = 0; // the user's
    Datatype type = Datatype::int8;
    int root = 0, peer = -1;
    Operation operation{};
    int mask = 0;          // sampled when the user called
    bool captured = false; // into a graph
    Cell api{}, event{};
    std::int64_t sequence = -1; // the last, if it is launched again and again
    TruthRecord* truth = nullptr;

    [[nodiscard]] std::size_t bytes() const { return count * size_of(type); }
    [[nodiscard]] bool to_self() const { return peer == comm->options.rank; }
    // AllGather and Broadcast are rewritten to bytes below the API.
    [[nodiscard]] bool in_bytes() const { return func == Func::all_gather || func == Func::broadcast; }
    [[nodiscard]] int channels() const;
    [[nodiscard]] int first_channel() const;
};

struct Plan {
    CommState* comm = nullptr;
    std::vector<Task> tasks{}; // collectives, the largest first, then sends and receives
    void* group_api = nullptr;
    Cell group{};
    bool captured = false;
    std::uint32_t kernel = 0; // its launch, by CUDA's number; 0: there is no CUDA

    [[nodiscard]] int mask() const;
};

// One or several plans of each communicator, interleaved by rounds. Takes the tasks.
[[nodiscard]] std::vector<Plan> plans_of(std::vector<Task>& tasks, void* group_api);

// Whether the task is told of at API level only.
[[nodiscard]] bool api_only(const Library& library, const Task& task);
void note_api_only(Library& library, const Task& task); // in the truth
void run_on_copy_engine(Library& library, const Task& task);

void launch_kernel(Library& library, Plan& plan);  // around it KernelLaunch
void capture_kernel(Library& library, Plan& plan); // the same for a graph, which launches it later
[[nodiscard]] std::uint32_t start_kernel(const Library& library, const Plan& plan);
// Group and tasks start, the progress thread gets its work, all stop. launched_ns: when the kernel was.
void issue(Library& library, Plan& plan, std::int64_t launched_ns);

[[nodiscard]] TruthFacts facts_of(const Task& task, What what);

} // namespace tactus::fake_nccl
