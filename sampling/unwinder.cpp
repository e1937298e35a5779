#include "sampling/unwinder.hpp"

#include <algorithm>
#include <cstring>
#include <link.h>

namespace tactus {

// The loader holds its lock meanwhile, so it takes only what it needs to find the tables later.
int Unwinder::take_file(dl_phdr_info* info, std::size_t, void* self) {
    Unwinder& unwinder = *static_cast<Unwinder*>(self);
    if (unwinder.file_count_ == unwinder.files_.size()) return 1;
    File file{.all = {~std::uint64_t{0}, 0}, .tables = {}};
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_GNU_EH_FRAME) file.header = begin;
        if (segment.p_type != PT_LOAD) continue;
        file.all = {std::min(file.all.begin, begin), std::max(file.all.end, begin + segment.p_memsz)};
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && file.header - begin < segment.p_filesz)
            file.tables = {begin, begin + segment.p_filesz};
    }
    if (file.header != 0) unwinder.files_[unwinder.file_count_++] = file;
    return 0;
}

bool StackCopy::word(std::uint64_t at, std::uint64_t& value) const {
    if (at < begin || at - begin > bytes.size() || bytes.size() - (at - begin) < sizeof value) return false;
    std::memcpy(&value, bytes.data() + (at - begin), sizeof value);
    return true;
}

StackCopy copy_of_stack(std::uint64_t from, std::span<std::byte> into) {
    return {.begin = from, .bytes = into.first(copy_own_memory(from, into))};
}

void Unwinder::forget() {
    known_ = {};
    files_known_ = false;
    pages_.forget();
}

namespace {

// Whether the code by which a signal's handler returns is at the address, or one byte behind it: no table describes it
// on some processors.
bool is_signal_return(Pages& pages, std::uint64_t address) {
    auto code = processor::signal_return;
    constexpr std::uint64_t instruction = sizeof code[0];
    const std::uint64_t begin = (address + instruction - 1) / instruction * instruction;
    return !code.empty() && pages.read(begin, code.data(), sizeof code) && code == processor::signal_return;
}

} // namespace

const FrameRule& Unwinder::rule_at(std::uint64_t address) {
    Known& known = known_[address * 0x9e3779b97f4a7c15U >> 53];
    static_assert(std::tuple_size_v<decltype(known_)> == std::size_t{1} << (64 - 53));
    if (known.address == address) return known.rule;
    if (!files_known_) {
        file_count_ = 0;
        dl_iterate_phdr(take_file, this);
        files_known_ = true;
    }
    known = {.address = address, .rule = {}};
    for (std::size_t i = 0; i < file_count_; ++i) {
        const File& file = files_[i];
        if (address < file.all.begin || address >= file.all.end) continue;
        known.rule = frame_rule(pages_, file.tables, file.header, address);
        break;
    }
    if (known.rule.kind == FrameRule::Kind::unknown && is_signal_return(pages_, address))
        known.rule.kind = FrameRule::Kind::signal;
    return known.rule;
}

// Goes to the frame that called this one. False when that is not known.
bool Unwinder::step(const FrameRule& rule, const StackCopy& stack, Registers& registers) {
    using Kind = FrameRule::Kind;
    const auto moved = [](std::uint64_t from, std::int32_t by) {
        return from + static_cast<std::uint64_t>(std::int64_t{by});
    };
    std::uint64_t cfa = 0;
    Registers caller = registers;
    switch (rule.kind) {
    case Kind::by_sp:
        cfa = moved(registers.sp, rule.cfa);
        break;
    case Kind::by_fp:
        if (!registers.fp_known) return false;
        cfa = moved(registers.fp, rule.cfa);
        break;
    case Kind::by_fp_deref:
        if (!registers.fp_known || !stack.word(moved(registers.fp, rule.cfa), cfa) ||
            !stack.word(registers.fp, caller.fp))
            return false;
        break;
    case Kind::signal: {
        processor::Frame frame;
        const auto word = [&](std::uint64_t at, std::uint64_t& value) { return stack.word(registers.sp + at, value); };
        if (!processor::read_interrupted(word, frame)) return false;
        registers = {.pc = frame.pc, .sp = frame.sp, .fp = frame.fp, .ra = frame.ra};
        return true;
    }
    case Kind::unknown:
    case Kind::last:
        return false;
    }
    if (rule.fp != FrameRule::not_saved) {
        if (!stack.word(moved(cfa, rule.fp), caller.fp)) return false;
        caller.fp_known = true;
    }
    const bool in_register = !processor::call_pushes && rule.ra == FrameRule::not_saved;
    // A stack does not grow outward, but a function may need none of it.
    if (cfa <= registers.sp && rule.kind != Kind::by_fp_deref && !(in_register && cfa == registers.sp)) return false;
    if (in_register)
        caller.pc = registers.ra;
    else if (!stack.word(moved(cfa, rule.ra), caller.pc))
        return false;
    caller.pc = processor::without_signature(caller.pc);
    caller.ra = 0;
    caller.sp = cfa;
    registers = caller;
    return true;
}

Unwinder::Path Unwinder::walk(Registers registers, const StackCopy& stack, std::span<std::uint64_t> into) {
    Path path;
    bool interrupted = true; // the address is that of the next instruction, and not behind a call
    while (path.frames < into.size() && registers.pc > 1) {
        into[path.frames++] = registers.pc + (interrupted ? 1 : 0);
        const FrameRule& rule = rule_at(interrupted ? registers.pc : registers.pc - 1);
        interrupted = rule.kind == FrameRule::Kind::signal;
        if (rule.kind == FrameRule::Kind::last) path.complete = true;
        if (!step(rule, stack, registers)) break;
    }
    return path;
}

} // namespace tactus
