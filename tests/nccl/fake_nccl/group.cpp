#include "group.hpp"

#include <chrono>
#include <utility>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;
namespace state = abi::state;

struct Group {
    int depth = 0;
    Library* library = nullptr; // set by the first call in the group
    CommState* first = nullptr;
    Cell api;
    std::vector<Task> tasks;
    std::vector<Plan>* graph = nullptr;
};

Group& group() {
    thread_local Group mine;
    return mine;
}

void start_group_api(Group& group, Library& library, const Task& task) {
    group.library = &library;
    group.first = task.comm;
    if (!library.emits(event::group_api, task.mask)) return;
    abi::DescriptorV6 descriptor = descriptor_of(event::group_api, nullptr);
    descriptor.group_api = {.captured = task.captured, .depth = group.depth};
    library.callbacks.start(task.comm->context, group.api, descriptor, task.comm->identity);
    library.callbacks.state(group.api, state::group_start_stop);
}

void tell_api(Library& library, Task& task, void* group_api) {
    const bool p2p = is_p2p(task.func);
    const std::uint64_t type = p2p ? event::p2p_api : event::coll_api;
    if (!library.emits(type, task.mask)) return;
    abi::DescriptorV6 descriptor = descriptor_of(type, group_api);
    if (p2p)
        descriptor.p2p_api = {.func = name_of(task.func),
                              .count = task.count,
                              .datatype = name_of(task.type),
                              .stream = task.operation.stream,
                              .captured = task.captured};
    else
        descriptor.coll_api = {.func = name_of(task.func),
                               .count = task.count,
                               .datatype = name_of(task.type),
                               .root = task.root,
                               .stream = task.operation.stream,
                               .captured = task.captured};
    library.callbacks.start(task.comm->context, task.api, descriptor, task.comm->identity);
    library.callbacks.stop(task.api, type);
}

void launch(Library& library, std::vector<Plan>& plans) {
    for (Plan& plan : plans) {
        launch_kernel(library, plan);
        issue(library, plan, host_now_ns());
    }
}

// Launches on the communicator's own thread, after the user's thread has continued.
void launch_later(Library& library, CommState& comm, std::vector<Plan> plans) {
    constexpr std::chrono::microseconds head_start{100};
    comm.launcher->ask([&library, plans = std::move(plans), head_start]() mutable {
        std::this_thread::sleep_for(head_start);
        launch(library, plans);
    });
}

// Removes what does not become part of a plan: tasks that are seen at API level only, or done by copy engines.
void take_out_of_plans(Library& library, std::vector<Task>& tasks) {
    std::erase_if(tasks, [&library](const Task& task) {
        if (task.operation.copy_engine && native_version(library.options.core) >= 6)
            run_on_copy_engine(library, task);
        else if (!api_only(library, task))
            return false;
        note_api_only(library, task);
        return true;
    });
}

void end_outermost(Group& group) {
    Library& library = *group.library;
    library.callbacks.state(group.api, state::group_end_start);
    take_out_of_plans(library, group.tasks);
    std::vector<Plan> plans = plans_of(group.tasks, group.api.handle);
    if (group.graph != nullptr)
        for (Plan& plan : plans) {
            capture_kernel(library, plan);
            group.graph->push_back(std::move(plan));
        }
    else if (group.first->launcher)
        launch_later(library, *group.first, std::move(plans));
    else
        launch(library, plans);
    library.callbacks.stop(group.api, event::group_api);
    group.api = {};
    group.tasks.clear();
    group.library = nullptr;
}

} // namespace

void group_start() { ++group().depth; }

void group_end() {
    Group& mine = group();
    if (--mine.depth == 0 && mine.library != nullptr) end_outermost(mine);
}

void capture_into(std::vector<Plan>* graph) { group().graph = graph; }

void add_to_group(Library& library, Task task) {
    Group& mine = group();
    task.mask = library.mask();
    task.captured = mine.graph != nullptr;
    if (mine.library == nullptr) start_group_api(mine, library, task);
    tell_api(library, task, mine.api.handle);
    mine.tasks.push_back(task);
}

} // namespace tactus::fake_nccl
