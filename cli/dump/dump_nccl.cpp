#include "cli/dump/dump_nccl.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "postproc/nccl/rank_operations.hpp"

#include <fmt/format.h>

namespace tactus {
namespace {

struct FlagText {
    std::uint8_t flag;
    const char* text;
};
constexpr FlagText flag_texts[] = {{NcclTag::batched, "in one kernel with others"},
                                   {NcclTag::overrun, "stamps left out"},
                                   {NcclTag::host_times, "by callbacks"},
                                   {NcclTag::foreign, "for another process"},
                                   {NcclTag::captured, "captured"},
                                   {NcclTag::sends, "sends"},
                                   {NcclTag::cut, "unfinished"}};

std::string comm_text(const RankFile& file, std::int64_t number) {
    const NcclComm* const comm = nccl_comm(file, number);
    return comm == nullptr || comm->name.empty() ? fmt::format("#{}", number) : printable(comm->name);
}

void add(std::string& text, const char* name, std::int64_t value) {
    if (value != 0) text += fmt::format(" {} {}", name, value);
}

void add_symbol(std::string& text, const RankFile& file, std::int64_t number) {
    if (number > 0 && number <= std::int64_t{UINT32_MAX})
        text += " " + printable(nccl_function(file, static_cast<std::uint32_t>(number)));
}

std::string operation_text(const RankFile& file, const NcclTag& tag, const NcclWork& work) {
    std::string text = fmt::format(" {}", nccl_spans[static_cast<std::size_t>(tag.span)]);
    if (work.channels > 0) text += fmt::format(" channels {}/{}/{}", work.started, work.stopped, work.channels);
    add_symbol(text, file, work.datatype);
    add_symbol(text, file, work.algorithm);
    add_symbol(text, file, work.protocol);
    if (work.gpu_start != 0) text += fmt::format(" GPU {} to {}", work.gpu_start, work.gpu_stop);
    if (work.within_ns != 0) text += fmt::format(" within {} ns", work.within_ns);
    add(text, "skew_ns", work.skew_ns);
    add(text, "longest_ns", work.longest_ns);
    return text;
}

} // namespace

std::string nccl_text(const RankFile& file, const Record& record, Words words) {
    const NcclTag tag = NcclTag::of(record.what.tag);
    if (!tag.is_sound()) return fmt::format("NCCL record of an unknown kind {:#x}", record.what.tag);
    const NcclWork work = NcclWork::from(words);
    const std::string name = fmt::format("NCCL {} {}", nccl_kinds[static_cast<std::size_t>(tag.kind)].name,
                                         printable(nccl_function(file, record.what.type)));
    std::string text = fmt::format("{:<22} {:>12} ", name, duration_text(file.seconds(record.leave - record.enter)));
    if (work.comm != 0) text += fmt::format(" comm {}", comm_text(file, work.comm));
    if (is_operation(tag.kind)) text += fmt::format(" seq {}", work.sequence);
    if (record.what.peer >= 0) text += fmt::format(" peer {}", record.what.peer);
    if (tag.kind != NcclKind::kernel) text += fmt::format(" bytes {}", record.what.bytes);
    add(text, "handle", work.handle);
    if (is_operation(tag.kind)) text += operation_text(file, tag, work);
    add(text, "group", work.group);
    add(text, "sends", work.sends);
    add(text, "receives", work.receives);
    add(text, "parent", work.parent);
    add(text, "pid", work.pid);
    if (tag.kind == NcclKind::kernel) {
        text += fmt::format(" stream {}", work.detail);
    } else if (tag.kind >= NcclKind::proxy_op) {
        text += fmt::format(" channel {}", work.channel);
        add(text, "step", work.step);
        add(text, "detail", work.detail);
        if (work.waited > 0) text += " waited " + duration_text(file.seconds(static_cast<Ticks>(work.waited)));
    }
    for (const FlagText& flag : flag_texts)
        if (tag.has(flag.flag)) text += fmt::format("  {}", flag.text);
    return text;
}

} // namespace tactus
