// A collective done by copy engines: a CeColl, with a synchronization around each batch of copies. No states are sent,
// and the current mask applies.
#include "plan.hpp"

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;

void tell_child(Library& library, const Task& task, const abi::DescriptorV6& descriptor) {
    if (descriptor.parent == nullptr || !library.emits(descriptor.type, library.mask())) return;
    Cell cell;
    library.callbacks.start(task.comm->context, cell, descriptor, task.comm->identity);
    library.callbacks.stop(cell, descriptor.type);
}

void tell_sync(Library& library, const Task& task, void* parent, bool complete) {
    abi::DescriptorV6 descriptor = descriptor_of(event::ce_sync, parent, task.comm->identity.rank);
    descriptor.ce_sync = {.complete = complete, .ranks = task.comm->identity.ranks};
    tell_child(library, task, descriptor);
}

void tell_batch(Library& library, const Task& task, void* parent) {
    abi::DescriptorV6 descriptor = descriptor_of(event::ce_batch, parent, task.comm->identity.rank);
    descriptor.ce_batch = {.operations = task.comm->identity.ranks, .bytes = task.bytes(), .intra_sync = false};
    tell_child(library, task, descriptor);
}

abi::DescriptorV6 descriptor_of_coll(const Task& task, std::uint64_t sequence) {
    abi::DescriptorV6 descriptor = descriptor_of(event::ce_coll, task.api.handle, task.comm->identity.rank);
    descriptor.ce_coll = {.sequence = sequence,
                          .func = name_of(task.func),
                          .send_buffer = nullptr,
                          .recv_buffer = nullptr,
                          .count = task.count,
                          .root = task.root,
                          .datatype = name_of(task.type),
                          .sync_strategy = "MemoryOp",
                          .intra_batch_sync = false,
                          .batch_size = 1,
                          .batches = 1,
                          .ce_sequence = static_cast<std::uint32_t>(sequence),
                          .stream = task.operation.stream};
    return descriptor;
}

} // namespace

void run_on_copy_engine(Library& library, const Task& task) {
    const std::uint64_t sequence = task.comm->next_ce_sequence++;
    Cell coll;
    if (library.emits(event::ce_coll, library.mask()))
        library.callbacks.start(task.comm->context, coll, descriptor_of_coll(task, sequence), task.comm->identity);
    tell_sync(library, task, coll.handle, false);
    tell_batch(library, task, coll.handle);
    tell_sync(library, task, coll.handle, true);
    library.callbacks.stop(coll, event::ce_coll);
}

} // namespace tactus::fake_nccl
