// The host's part of a plan: callbacks of Group, Coll and P2p, and the work for the progress thread. It runs on the
// launching thread, or for graphs on CUDA's host-callback thread.
#include "plan.hpp"

#include <algorithm>
#include <unistd.h>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;

std::int64_t between(std::mt19937_64& random, std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

// When the plan's one kernel runs. The kernels of a stream run one after the other.
KernelTimes modeled_times(CommState& comm, const Plan& plan, std::int64_t launched_ns) {
    if (!comm.options.paced) return {.start_ns = launched_ns, .stop_ns = host_now_ns()};
    const KernelModel& model = comm.options.model;
    constexpr std::int64_t gap_ns = 1'000, most_spread_ns = 800;
    KernelTimes times;
    times.start_ns = std::max(launched_ns + between(comm.random, model.least_delay_ns, model.most_delay_ns),
                              comm.stream_free_ns + gap_ns);
    std::int64_t length_ns = between(comm.random, model.least_ns, model.most_ns);
    for (const Task& task : plan.tasks)
        length_ns += static_cast<std::int64_t>(static_cast<double>(task.bytes()) / model.bytes_per_ns);
    times.stop_ns = times.start_ns + length_ns;
    times.spread_ns = between(comm.random, 0, std::min(most_spread_ns, length_ns / 4));
    return times;
}

KernelTimes times_of(CommState& comm, const Plan& plan, std::int64_t launched_ns) {
    const auto given = std::find_if(plan.tasks.begin(), plan.tasks.end(),
                                    [](const Task& task) { return task.operation.kernel.has_value(); });
    KernelTimes times = given != plan.tasks.end() ? *given->operation.kernel : modeled_times(comm, plan, launched_ns);
    times.start_ns = std::max(times.start_ns, launched_ns); // no kernel runs before it is launched
    times.stop_ns = std::max(times.stop_ns, times.start_ns + times.spread_ns);
    comm.stream_free_ns = std::max(comm.stream_free_ns, times.stop_ns);
    return times;
}

// The stamps of a channel. All tasks of a plan that share a channel get the same stamps, as the GPU stamps fused work
// once.
struct ChannelTimes {
    KernelTimes kernel;
    int first = 0, count = 1;

    [[nodiscard]] std::int64_t late(int channel) const {
        return count > 1 ? kernel.spread_ns * (channel - first) / (count - 1) : kernel.spread_ns;
    }
    [[nodiscard]] std::int64_t start_ns(int channel) const { return kernel.start_ns + (count > 1 ? late(channel) : 0); }
    [[nodiscard]] std::int64_t stop_ns(int channel) const { return kernel.stop_ns - kernel.spread_ns + late(channel); }
};

ChannelTimes channel_times(const Plan& plan, const KernelTimes& kernel) {
    int first = plan.tasks.front().first_channel(), end = first;
    for (const Task& task : plan.tasks) {
        first = std::min(first, task.first_channel());
        end = std::max(end, task.first_channel() + task.channels());
    }
    return {.kernel = kernel, .first = first, .count = end - first};
}

constexpr std::int64_t kernel_end_ns = 700; // how much later than its last channel a kernel ends

class Issue {
  public:
    Issue(Library& library, Plan& plan, std::int64_t launched_ns)
        : library_(library), plan_(plan), comm_(*plan.comm), launched_ns_(launched_ns), lock_(comm_.launch_mutex) {}

    void run();

  private:
    [[nodiscard]] bool below_group() const; // whether tasks are reported
    [[nodiscard]] bool replays_silently() const;
    void start_group();
    void start_task(Task& task, bool silent);
    void start_coll(Task& task);
    void start_p2p(Task& task);
    [[nodiscard]] std::int64_t take_sequence(const Task& task);
    void note(Task& task);
    void stop_tasks(bool p2p);
    void add_work(std::vector<ProxyWork>& works, const Task& task);
    void add_network(std::vector<ProxyWork>& works, const Task& task, const ProxyWork& common) const;
    [[nodiscard]] std::uint64_t number_on(int channel);

    Library& library_;
    Plan& plan_;
    CommState& comm_;
    std::int64_t launched_ns_;
    std::unique_lock<std::mutex> lock_;
    ChannelTimes times_{};
    std::unordered_map<int, std::uint64_t> numbers_; // the GPU's work counter on each channel of this plan
};

// Before 2.28, a plugin that gives a group no handle gets none of its tasks.
bool Issue::below_group() const { return library_.options.core >= Core::v2_28 || plan_.group.handle != nullptr; }

// A graph that is replayed calls the host only for proxies.
bool Issue::replays_silently() const {
    return plan_.captured && !comm_.options.network && !library_.emits(event::kernel_ch, plan_.mask());
}

void Issue::run() {
    const bool silent = replays_silently();
    if (!silent) start_group();
    for (Task& task : plan_.tasks) start_task(task, silent);
    if (plan_.captured) {
        plan_.kernel = start_kernel(library_, plan_);
        launched_ns_ = host_now_ns(); // a graph's kernel waits for its host callback
    }
    times_ = channel_times(plan_, times_of(comm_, plan_, launched_ns_));
    library_.cuda.ran(plan_.kernel, times_.kernel.start_ns, times_.kernel.stop_ns + kernel_end_ns);
    for (Task& task : plan_.tasks) note(task);
    if (silent) return;
    thread_local std::vector<ProxyWork> works;
    works.clear();
    for (const Task& task : plan_.tasks) add_work(works, task);
    lock_.unlock();
    if (comm_.progress != nullptr) comm_.progress->post(works);
    stop_tasks(false);
    stop_tasks(true);
    library_.callbacks.stop(plan_.group, event::group);
}

void Issue::start_group() {
    plan_.group = {};
    if (!library_.emits(event::group, plan_.mask())) return;
    library_.callbacks.start(comm_.context, plan_.group, descriptor_of(event::group, nullptr), comm_.identity);
}

void Issue::start_task(Task& task, bool silent) {
    task.sequence = take_sequence(task);
    task.event = {};
    if (silent || !below_group()) return;
    if (is_p2p(task.func))
        start_p2p(task);
    else
        start_coll(task);
}

std::int64_t Issue::take_sequence(const Task& task) {
    if (is_p2p(task.func)) return -1;
    if (task.captured && !library_.emits(event::kernel_ch, task.mask)) return -1;
    return static_cast<std::int64_t>(comm_.next_sequence[static_cast<std::size_t>(task.func)]++);
}

void Issue::note(Task& task) {
    TruthFacts facts = facts_of(task, is_p2p(task.func) ? What::p2p : What::coll);
    const int last = task.first_channel() + task.channels() - 1;
    facts.sequence = task.sequence;
    const std::int64_t start_ns = times_.start_ns(task.first_channel()), stop_ns = times_.stop_ns(last);
    facts.kernel_start = {comm_.options.gpu.gpu_ns(start_ns), start_ns};
    facts.kernel_stop = {comm_.options.gpu.gpu_ns(stop_ns), stop_ns};
    facts.ran_start_ns = times_.kernel.start_ns;
    facts.ran_stop_ns = times_.kernel.stop_ns + kernel_end_ns;
    task.truth = library_.truth.add(facts);
}

void Issue::start_coll(Task& task) {
    if (!library_.emits(event::coll, task.mask)) return;
    abi::DescriptorV6 descriptor = descriptor_of(event::coll, task.api.handle, comm_.identity.rank);
    descriptor.coll = {.sequence = static_cast<std::uint64_t>(std::max<std::int64_t>(task.sequence, 0)),
                       .func = name_of(task.func),
                       .send_buffer = &task,
                       .recv_buffer = &task,
                       .count = task.in_bytes() ? task.bytes() : task.count,
                       .root = task.root,
                       .datatype = name_of(task.in_bytes() ? Datatype::int8 : task.type),
                       .channels = static_cast<std::uint8_t>(task.channels()),
                       .warps = 16,
                       .algo = task.operation.algo,
                       .proto = task.operation.proto,
                       .parent_group = plan_.group.handle};
    library_.callbacks.start(comm_.context, task.event, descriptor, comm_.identity);
}

void Issue::start_p2p(Task& task) {
    if (!library_.emits(event::p2p, task.mask)) return;
    abi::DescriptorV6 descriptor = descriptor_of(event::p2p, task.api.handle, comm_.identity.rank);
    descriptor.p2p = {.func = name_of(task.func),
                      .buffer = &task,
                      .datatype = name_of(task.type),
                      .count = task.count,
                      .peer = task.peer,
                      .channels = static_cast<std::uint8_t>(task.channels()),
                      .parent_group = plan_.group.handle};
    library_.callbacks.start(comm_.context, task.event, descriptor, comm_.identity);
}

void Issue::stop_tasks(bool p2p) {
    for (Task& task : plan_.tasks)
        if (is_p2p(task.func) == p2p) library_.callbacks.stop(task.event, p2p ? event::p2p : event::coll);
}

std::uint64_t Issue::number_on(int channel) {
    if (comm_.options.ring_entries == 0) return 0;
    const auto [at, is_new] = numbers_.try_emplace(channel, 0);
    if (is_new) at->second = comm_.next_on_channel[channel]++;
    return at->second;
}

void Issue::add_work(std::vector<ProxyWork>& works, const Task& task) {
    if (task.to_self() && is_p2p(task.func)) return;
    const bool kernels = library_.emits(event::kernel_ch, task.mask) && below_group();
    for (int channel = task.first_channel(); channel < task.first_channel() + task.channels(); ++channel) {
        ProxyWork work{.channel = static_cast<std::uint8_t>(channel),
                       .mask = task.mask,
                       .rank = comm_.identity.rank,
                       .comm = &comm_,
                       .context = comm_.context,
                       .parent = task.event.handle,
                       .truth = task.truth,
                       .start_ns = times_.start_ns(channel),
                       .stop_ns = times_.stop_ns(channel),
                       .poll_delay_ns = comm_.options.poll_delay_ns + task.operation.poll_delay_ns,
                       .number = number_on(channel)};
        if (comm_.options.network || task.operation.coll_net) add_network(works, task, work);
        if (!kernels) continue;
        work.start_lost = task.operation.start_lost;
        works.push_back(work);
    }
}

// The neighbors in a ring, or the peer of a send or receive.
void Issue::add_network(std::vector<ProxyWork>& works, const Task& task, const ProxyWork& common) const {
    const int ranks = comm_.identity.ranks, rank = comm_.identity.rank;
    for (const bool send : {true, false}) {
        if (is_p2p(task.func) && send != (task.func == Func::send)) continue;
        ProxyWork work = common;
        work.kind = task.operation.coll_net ? ProxyWork::Kind::coll_net : ProxyWork::Kind::network;
        work.is_send = send;
        work.pid = getpid();
        work.peer = is_p2p(task.func) ? task.peer : (send ? rank + 1 : rank + ranks - 1) % ranks;
        work.steps = comm_.options.steps;
        work.chunk_bytes =
            std::max<std::size_t>(1, task.bytes() / static_cast<std::size_t>(task.channels() * work.steps));
        work.net_events = comm_.options.net_events;
        works.push_back(work);
    }
}

} // namespace

void issue(Library& library, Plan& plan, std::int64_t launched_ns) { Issue{library, plan, launched_ns}.run(); }

} // namespace tactus::fake_nccl
