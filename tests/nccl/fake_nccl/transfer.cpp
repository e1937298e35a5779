// The NetPlugin callbacks of a network step: what a net plugin reports of its transfers for the step.
#include "library.hpp"

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;
namespace state = abi::state;

// NCCL's callback for net plugins, which NCCL calls "start".
void start_transfer(Library& library, const ProxyWork& work, ProxyCells::Step& step, std::int64_t id, void* data) {
    if (!library.emits(event::net_plugin, work.mask)) return;
    abi::DescriptorV6 descriptor = descriptor_of(event::net_plugin, step.step.handle, work.rank);
    descriptor.net_plugin = {.id = id, .data = data};
    library.callbacks.start(work.context, step.transfer, descriptor, work.comm->identity);
}

void update_transfer(Library& library, ProxyCells::Step& step, void* data) {
    library.callbacks.state(step.transfer, state::net_update, {.value = reinterpret_cast<std::uint64_t>(data)},
                            OnNull::call);
}

void stop_transfer(Library& library, ProxyCells::Step& step) {
    // NCCL does not check whether the handle is NULL.
    library.callbacks.stop(step.transfer, event::net_plugin, OnNull::call);
}

// `data` is valid during the call only: it is overwritten when the call has returned.
void start_ib(Library& library, const ProxyWork& work, ProxyCells::Step& step, int number) {
    abi::IbEvent data{.type = 1,
                      .device = 0,
                      .work_request = static_cast<std::uint64_t>(number),
                      .opcode = 1,
                      .queue_pair = 100 + work.channel,
                      .bytes = work.chunk_bytes};
    start_transfer(library, work, step, abi::ib_event_v1, &data);
    data = {};
}

void whole_socket_transfer(Library& library, const ProxyWork& work, ProxyCells::Step& step) {
    abi::SocketEvent data{.type = 1, .descriptor = 40 + work.channel, .operation = work.is_send, .bytes = 0};
    start_transfer(library, work, step, abi::socket_event_v1, &data);
    data.bytes = work.chunk_bytes;
    if (library.emits(event::net_plugin, work.mask)) update_transfer(library, step, &data);
    if (library.emits(event::net_plugin, work.mask)) stop_transfer(library, step);
    data = {};
}

} // namespace

void ActiveOp::begin_transfer(Library& library, ProxyCells::Step& step, int number) {
    switch (work_.net_events) {
    case NetEvents::none:
        return;
    case NetEvents::ib:
        return start_ib(library, work_, step, number);
    case NetEvents::irregular:
        step.transfer = {};
        stop_transfer(library, step); // stops what was never started
        start_ib(library, work_, step, number);
        start_ib(library, work_, step, number + 1); // the first transfer is never stopped
        return;
    case NetEvents::socket:
        step.transferred.store(false, std::memory_order_relaxed); // ordered by the queue of jobs
        library.helper_thread(static_cast<std::uint64_t>(number)).ask([&library, work = work_, &step] {
            whole_socket_transfer(library, work, step);
            step.transferred.store(true, std::memory_order_release);
        });
        return;
    }
}

void ActiveOp::end_transfer(Library& library, ProxyCells::Step& step) {
    if (work_.net_events == NetEvents::none || work_.net_events == NetEvents::socket) return;
    if (!library.emits(event::net_plugin, work_.mask)) return;
    abi::IbEvent data{.type = 1, .device = 0, .work_request = 0, .opcode = 1, .queue_pair = 0, .bytes = 0};
    if (work_.net_events == NetEvents::irregular) update_transfer(library, step, &data); // "update and stop"
    stop_transfer(library, step);
    if (work_.net_events == NetEvents::irregular) stop_transfer(library, step); // a second time
}

} // namespace tactus::fake_nccl
