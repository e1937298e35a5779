// What a look at an operation does: kernels advance by their times, network transfers step by step, eight in flight.
#include "library.hpp"

#include <algorithm>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;
namespace state = abi::state;

constexpr std::uint64_t stale = 0x5A1E; // the size in a state that does not know the size yet

} // namespace

void ActiveOp::count_if_late() const {
    if (work_.comm->finalized.load(std::memory_order_acquire)) counts().after_finalize.add();
}

void ActiveOp::append(Library& library) {
    if (work_.kind == ProxyWork::Kind::kernel) {
        if (work_.comm->options.ring_entries == 0) return;
        auto& works = work_.comm->works[work_.channel];
        if (works.size() <= work_.number) works.resize(work_.number + 1, {work_.start_ns, work_.stop_ns});
        return;
    }
    if (!library.emits(event::proxy_op, work_.mask)) return;
    abi::DescriptorV6 descriptor = descriptor_of(event::proxy_op, work_.parent, work_.rank);
    descriptor.proxy_op = {.pid = work_.pid,
                           .channel = work_.channel,
                           .peer = work_.peer,
                           .steps = work_.steps,
                           .chunk_bytes = static_cast<int>(work_.chunk_bytes),
                           .is_send = work_.is_send && work_.kind == ProxyWork::Kind::network};
    count_if_late();
    library.callbacks.start(work_.context, cells_->op, descriptor, work_.comm->identity);
}

bool ActiveOp::advance(Library& library) {
    switch (work_.kind) {
    case ProxyWork::Kind::kernel:
        return advance_kernel(library);
    case ProxyWork::Kind::network:
        return advance_network(library);
    case ProxyWork::Kind::coll_net:
        return host_now_ns() >= work_.stop_ns; // its ProxyOp is never stopped
    }
    return true;
}

std::int64_t ActiveOp::next_look_ns() const {
    if (work_.kind == ProxyWork::Kind::coll_net) return work_.stop_ns;
    if (work_.kind == ProxyWork::Kind::network) return started_ ? 0 : work_.start_ns;
    return (started_ || work_.start_lost ? work_.stop_ns : work_.start_ns) + delay_ns();
}

// NCCL first asks whether the kernel has started, then whether it has completed. The look ends once a start is seen.
bool ActiveOp::advance_kernel(Library& library) {
    if (!started_ && !work_.start_lost) {
        const std::int64_t now_ns = host_now_ns();
        if (now_ns < work_.start_ns + delay_ns()) return false;
        started_ = true;
        start_kernel(library, now_ns);
        return false;
    }
    const std::int64_t now_ns = host_now_ns();
    if (now_ns < work_.stop_ns + delay_ns()) return false;
    stop_kernel(library, now_ns);
    return true;
}

// The stamps that the GPU's ring holds at the place of this work. Later works with the same place overwrite them.
CommState::Work ActiveOp::stamps_at(std::int64_t now_ns, bool by_stop) const {
    CommState::Work found{work_.start_ns, work_.stop_ns};
    const auto entries = static_cast<std::uint64_t>(work_.comm->options.ring_entries);
    if (entries == 0) return found;
    const auto& works = work_.comm->works[work_.channel];
    for (std::uint64_t later = work_.number + entries; later < works.size(); later += entries) {
        if ((by_stop ? works[later].stop_ns : works[later].start_ns) > now_ns) break;
        if (work_.truth != nullptr) work_.truth->overrun();
        found = works[later];
    }
    return found;
}

Stamp ActiveOp::stamp_of(std::int64_t host_ns) const { return {work_.comm->options.gpu.gpu_ns(host_ns), host_ns}; }

// The truth gets the kernel's own time, even where the plugin gets that of another kernel.
void ActiveOp::start_kernel(Library& library, std::int64_t now_ns) {
    if (!library.emits(event::kernel_ch, work_.mask)) return;
    const Stamp stamp = stamp_of(stamps_at(now_ns, false).start_ns);
    abi::DescriptorV6 descriptor = descriptor_of(event::kernel_ch, work_.parent);
    descriptor.kernel_ch = {.channel = work_.channel, .timer = static_cast<std::uint64_t>(stamp.gpu_ns)};
    count_if_late();
    library.callbacks.start(work_.context, cells_->kernel, descriptor, work_.comm->identity);
    if (work_.truth != nullptr) work_.truth->told_start(stamp_of(work_.start_ns));
}

// If the start was missed, the cell still has the handle of the operation that used it before.
void ActiveOp::stop_kernel(Library& library, std::int64_t now_ns) {
    const Stamp stamp = stamp_of(stamps_at(now_ns, true).stop_ns);
    if (cells_->kernel.handle != nullptr) count_if_late();
    library.callbacks.state(cells_->kernel, state::kernel_ch_stop, {.value = static_cast<std::uint64_t>(stamp.gpu_ns)});
    library.callbacks.stop(cells_->kernel, event::kernel_ch);
    if (work_.truth == nullptr || !library.callbacks.active()) return;
    if (work_.start_lost)
        work_.truth->lost_start();
    else
        work_.truth->told_stop(stamp_of(work_.stop_ns));
}

bool ActiveOp::advance_network(Library& library) {
    if (!started_) {
        if (host_now_ns() < work_.start_ns) return false;
        started_ = true;
        library.callbacks.state(cells_->op, state::op_in_progress);
    }
    if (done_ < sent_ && end_step(library)) ++done_;
    if (sent_ < ready_) send_step(library);
    if (ready_ < begun_) middle_step(library);
    if (begun_ < std::min(work_.steps, done_ + ProxyCells::steps_in_flight)) begin_step(library);
    if (done_ < work_.steps) return false;
    library.callbacks.stop(cells_->op, event::proxy_op);
    cells_->op.handle = nullptr; // the only handle that NCCL clears
    return true;
}

ProxyCells::Step& ActiveOp::step_of(int number) const {
    return cells_->steps[static_cast<std::size_t>(number % ProxyCells::steps_in_flight)];
}

// States of the ProxyOp itself, which only NCCL 2.26 has.
void ActiveOp::op_state(Library& library, int of_send, int of_recv, int steps) const {
    if (library.options.core != Core::v2_26) return;
    library.callbacks.state(cells_->op, work_.is_send ? of_send : of_recv,
                            {.value = work_.chunk_bytes * static_cast<std::size_t>(steps), .steps = steps});
}

void ActiveOp::begin_step(Library& library) {
    Cell& cell = step_of(begun_).step;
    if (library.emits(event::proxy_step, work_.mask)) {
        abi::DescriptorV6 descriptor = descriptor_of(event::proxy_step, cells_->op.handle, work_.rank);
        descriptor.proxy_step.step = begun_;
        count_if_late();
        library.callbacks.start(work_.context, cell, descriptor, work_.comm->identity);
    }
    library.callbacks.state(cell, work_.is_send ? state::send_gpu_wait : state::recv_wait, {.value = stale});
    ++begun_;
    op_state(library, state::op_send_posted, state::op_recv_posted, begun_);
}

void ActiveOp::middle_step(Library& library) {
    ProxyCells::Step& step = step_of(ready_);
    if (!work_.is_send)
        library.callbacks.state(step.step, state::recv_flush_wait, {.value = work_.chunk_bytes});
    else if (library.options.core != Core::v2_26)
        library.callbacks.state(step.step, state::send_peer_wait, {.value = stale});
    ++ready_;
    op_state(library, state::op_send_fifo_wait, state::op_recv_received, ready_);
}

void ActiveOp::send_step(Library& library) {
    ProxyCells::Step& step = step_of(sent_);
    library.callbacks.state(step.step, work_.is_send ? state::send_wait : state::recv_gpu_wait,
                            {.value = work_.chunk_bytes});
    begin_transfer(library, step, sent_);
    ++sent_;
    op_state(library, state::op_send_transmitted, state::op_recv_transmitted, sent_);
}

bool ActiveOp::end_step(Library& library) {
    ProxyCells::Step& step = step_of(done_);
    if (!step.transferred.load(std::memory_order_acquire)) return false;
    end_transfer(library, step);
    library.callbacks.stop(step.step, event::proxy_step);
    step.step.handle = nullptr;
    op_state(library, state::op_send_done, state::op_recv_done, done_ + 1);
    return true;
}

} // namespace tactus::fake_nccl
