// Stores the kernels that CUPTI reported.
#include "collector/nccl/assembly.hpp"

#include <algorithm>

namespace tactus::nccl {

void Assembly::kernel(const GpuKernel& kernel) {
    const std::uint32_t context = kernel.mark.context();
    static_cast<void>(comm_of(context));
    NcclTag tag{.kind = NcclKind::kernel};
    NcclWork work;
    work.comm = context + 1;
    work.parent = static_cast<std::int64_t>(kernel.mark.launch().bits);
    work.detail = kernel.stream;
    work.within_ns = scale_.ns(kernel.start) - scale_.ns(kernel.start - kernel.moved);
    Record record;
    record.enter = kernel.start;
    record.leave = kernel.stop;
    Stream& stream = stream_of(kernel.device, kernel.stream);
    // Kernels that overlap by more than this really do. Kernels that follow each other may seem to overlap by less.
    const Ticks little = static_cast<Ticks>(scale_.ticks(1000));
    if (&stream != &other_streams_ && record.enter + little >= stream.leave) {
        const Ticks enter = std::max(record.enter, std::min(stream.leave, record.leave));
        work.within_ns += scale_.ns(enter) - scale_.ns(record.enter);
        record.enter = enter;
        tag.flags |= NcclTag::drawn;
    }
    stream.leave = std::max(stream.leave, record.leave);
    ++kernels_;
    record.what = {.peer = peer::none, .tag = tag.packed(), .type = names_.of_kernel(kernel.name), .kind = Kind::nccl};
    store(stream.row, record, work);
}

// Kernels of one stream follow each other, but they overlap with those of all other streams. So each stream has a row.
Assembly::Stream& Assembly::stream_of(std::uint32_t device, std::uint32_t number) {
    constexpr unsigned most_stream_rows = 16;
    const bool has_room = streams_.size() < most_stream_rows;
    const auto known = streams_.find({device, number});
    if (known != streams_.end()) return known->second;
    Stream& stream = has_room ? streams_[{device, number}] : other_streams_;
    if (stream.row != TraceRows::no_row) return stream;
    stream.row = rows_.add(has_room ? "GPU " + std::to_string(device) + " stream " + std::to_string(number) + " (CUPTI)"
                                    : "GPU, other streams (CUPTI)");
    return stream;
}

} // namespace tactus::nccl
