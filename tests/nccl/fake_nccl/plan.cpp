// Makes plans, and handles what does not become part of a plan.
#include "plan.hpp"

#include <algorithm>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;

constexpr std::size_t tasks_per_plan = 64;

void add_task(std::vector<Plan>& plans, Task& task, void* group_api) {
    const auto has_room = [&](const Plan& plan) {
        return plan.comm == task.comm && plan.tasks.size() < tasks_per_plan;
    };
    const auto plan = std::find_if(plans.begin(), plans.end(), has_room);
    Plan& chosen = plan != plans.end() ? *plan : plans.emplace_back();
    chosen.comm = task.comm;
    chosen.group_api = group_api;
    chosen.tasks.push_back(task);
}

bool before(const Task& a, const Task& b) {
    if (is_p2p(a.func) != is_p2p(b.func)) return is_p2p(b.func);
    return !is_p2p(a.func) && a.bytes() > b.bytes();
}

// First the first plans of all communicators, then all second ones, and so on.
void interleave(std::vector<Plan>& plans) {
    std::vector<std::pair<std::size_t, std::size_t>> order; // pairs of round and place
    for (std::size_t i = 0; i < plans.size(); ++i) {
        std::size_t round = 0;
        for (std::size_t j = 0; j < i; ++j) round += plans[j].comm == plans[i].comm;
        order.emplace_back(round, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Plan> ordered;
    for (const auto& [round, place] : order) ordered.push_back(std::move(plans[place]));
    plans = std::move(ordered);
}

} // namespace

int Task::channels() const {
    if (operation.channels != 0) return operation.channels;
    return is_p2p(func) ? 1 : comm->options.channels;
}

int Task::first_channel() const {
    constexpr int p2p_channels = 8;
    if (operation.first_channel >= 0) return operation.first_channel;
    return is_p2p(func) ? peer % p2p_channels : 0;
}

int Plan::mask() const {
    int mask = 0;
    for (const Task& task : tasks) mask |= task.mask;
    return mask;
}

std::vector<Plan> plans_of(std::vector<Task>& tasks, void* group_api) {
    std::stable_sort(tasks.begin(), tasks.end(), before);
    std::vector<Plan> plans;
    for (Task& task : tasks) add_task(plans, task, group_api);
    if (plans.size() > 1) interleave(plans);
    return plans;
}

bool api_only(const Library& library, const Task& task) {
    if (task.operation.symmetric) return true;
    const bool gathers_v = library.options.core >= Core::v2_29 && !library.options.broadcast_seen;
    if (task.func == Func::broadcast && gathers_v) return true;
    return is_p2p(task.func) && task.to_self() && task.operation.in_place;
}

TruthFacts facts_of(const Task& task, What what) {
    const bool api = what == What::api;
    return {.what = what,
            .comm = task.comm->identity.id,
            .rank = task.comm->identity.rank,
            .ranks = task.comm->identity.ranks,
            .func = name_of(task.func),
            .sequence = -1,
            .bytes = task.bytes(),
            .channels = api ? 0 : task.channels(),
            .peer = task.peer,
            .algo = what == What::coll ? task.operation.algo : "",
            .proto = what == What::coll ? task.operation.proto : "",
            .datatype = name_of(task.in_bytes() && !api ? Datatype::int8 : task.type),
            .kernel_start = {},
            .kernel_stop = {}};
}

void note_api_only(Library& library, const Task& task) {
    TruthFacts facts = facts_of(task, What::api);
    const std::int64_t now_ns = host_now_ns();
    facts.kernel_start = facts.kernel_stop = {task.comm->options.gpu.gpu_ns(now_ns), now_ns};
    library.truth.add(facts);
}

template <class Between> void tell_launch(Library& library, const Plan& plan, const Between& between) {
    if (!library.emits(event::kernel_launch, plan.mask())) return between();
    abi::DescriptorV6 descriptor = descriptor_of(event::kernel_launch, plan.group_api);
    descriptor.kernel_launch.stream = plan.tasks.front().operation.stream;
    Cell cell;
    library.callbacks.start(plan.comm->context, cell, descriptor, plan.comm->identity);
    between();
    library.callbacks.stop(cell, event::kernel_launch);
}

std::uint32_t start_kernel(const Library& library, const Plan& plan) {
    const Func func = plan.tasks.front().func;
    const std::string name =
        is_p2p(func) ? "ncclDevKernel_SendRecv" : std::string{"ncclDevKernel_"} + name_of(func) + "_Sum_f32_RING_LL";
    const CommunicatorOptions& options = plan.comm->options;
    return library.cuda.launch(name, static_cast<std::uint32_t>(options.rank), static_cast<std::uint32_t>(options.id));
}

void launch_kernel(Library& library, Plan& plan) {
    const std::uint32_t others = library.cuda.launch("kernel_of_the_application", 0, 0);
    tell_launch(library, plan, [&] { plan.kernel = start_kernel(library, plan); });
    library.cuda.ran(others, host_now_ns(), host_now_ns() + 1000);
}

void capture_kernel(Library& library, Plan& plan) {
    tell_launch(library, plan, [] {});
    plan.captured = true;
}

} // namespace tactus::fake_nccl
