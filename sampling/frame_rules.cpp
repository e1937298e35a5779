#include "sampling/frame_rules.hpp"

#include "processor.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

namespace tactus {
namespace {

struct Source {
    Pages& pages;
    Mapped memory;
};

// Reads forward within a part of memory. What lies outside of it reads as 0, and from then on the reader has failed.
class Reader {
  public:
    Reader(Source source, std::uint64_t at) : source_{source}, at_{at} {}

    [[nodiscard]] std::uint64_t at() const { return at_; }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] bool before(std::uint64_t end) const { return good_ && at_ < end; }
    void go_to(std::uint64_t at) { at_ = at; }
    void skip(std::uint64_t bytes) {
        if (bytes > source_.memory.end - source_.memory.begin) good_ = false;
        at_ += bytes;
    }

    template <class T> T get() {
        T value{};
        const Mapped& memory = source_.memory;
        const bool inside = at_ >= memory.begin && at_ <= memory.end && memory.end - at_ >= sizeof value;
        if (!inside || !source_.pages.read(at_, &value, sizeof value)) {
            good_ = false;
            return T{};
        }
        at_ += sizeof value;
        return value;
    }
    std::uint64_t unsigned_leb() { return leb().value; }
    std::int64_t signed_leb() {
        const Leb number = leb();
        std::uint64_t value = number.value;
        if (number.bits < 64 && (number.last & 0x40) != 0) value |= ~std::uint64_t{0} << number.bits;
        return static_cast<std::int64_t>(value);
    }
    // A pointer in an encoding of the Linux Standard Base, 10.5. Encodings that compilers do not use here fail.
    std::uint64_t pointer(std::uint8_t encoding) {
        constexpr std::uint8_t omitted = 0xff;
        if (encoding == omitted) return 0;
        const std::uint64_t here = at_;
        std::uint64_t value = 0;
        switch (encoding & 0x0f) {
        case 0x00:
        case 0x04:
        case 0x0c:
            value = get<std::uint64_t>();
            break;
        case 0x01:
            value = unsigned_leb();
            break;
        case 0x02:
            value = get<std::uint16_t>();
            break;
        case 0x03:
            value = get<std::uint32_t>();
            break;
        case 0x0a:
            value = static_cast<std::uint64_t>(std::int64_t{get<std::int16_t>()});
            break;
        case 0x0b:
            value = static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>()});
            break;
        default:
            good_ = false;
        }
        constexpr std::uint8_t relative_to_here = 0x10;
        return value != 0 && (encoding & 0x70) == relative_to_here ? value + here : value;
    }

  private:
    struct Leb {
        std::uint64_t value = 0;
        unsigned bits = 0;
        std::uint8_t last = 0;
    };
    Leb leb() {
        Leb number;
        do {
            number.last = get<std::uint8_t>();
            if (number.bits < 64) number.value |= std::uint64_t{number.last & 0x7fU} << number.bits;
            number.bits += 7;
        } while (good_ && (number.last & 0x80) != 0);
        return number;
    }

    Source source_;
    std::uint64_t at_;
    bool good_ = true;
};

using processor::frame_pointer;
using processor::return_address;
using processor::stack_pointer;

struct Saved {
    enum class How : std::uint8_t { not_saved, at_cfa, otherwise, undefined };
    How how = How::not_saved;
    std::int64_t offset = 0;
};

// One row of the table.
struct Row {
    std::uint64_t cfa_register = stack_pointer;
    std::int64_t cfa_offset = processor::cfa_at_entry;
    std::uint64_t cfa_expression = 0; // where it lies; 0: there is none
    Saved fp;
    Saved ra;
};

// What a common information entry (CIE) says for the functions that refer to it.
struct Common {
    std::uint64_t code_factor = 1;
    std::int64_t data_factor = 1;
    std::uint8_t encoding = 0;
    bool signal = false;
    bool augmented = false;
    std::uint64_t instructions = 0;
    std::uint64_t end = 0;
};

class Program {
  public:
    Program(Source source, const Common& common, std::uint64_t look) : source_{source}, common_{common}, look_{look} {}

    // Carries out instructions until the row of the address is complete. False for what this does not know.
    bool run(std::uint64_t from, std::uint64_t end, std::uint64_t location, Row& row, const Row& initial) {
        Reader in{source_, from};
        std::array<Row, 8> stack;
        std::size_t depth = 0;
        while (in.before(end)) {
            const auto byte = in.get<std::uint8_t>();
            const std::uint8_t low = byte & 0x3f;
            switch (byte >> 6) {
            case 1: // advance_loc
                location += low * common_.code_factor;
                if (location > look_) return in.good();
                continue;
            case 2: // offset
                save(row, low, {Saved::How::at_cfa, offset(in.unsigned_leb())});
                continue;
            case 3: // restore
                restore(row, low, initial);
                continue;
            default:
                break;
            }
            if (processor::signs_return_address(low)) continue;
            switch (low) {
            case 0x00: // nop
                break;
            case 0x01: // set_loc
                location = in.pointer(common_.encoding);
                if (location > look_) return in.good();
                break;
            case 0x02: // advance_loc1, 2, 4
                location += in.get<std::uint8_t>() * common_.code_factor;
                if (location > look_) return in.good();
                break;
            case 0x03:
                location += in.get<std::uint16_t>() * common_.code_factor;
                if (location > look_) return in.good();
                break;
            case 0x04:
                location += in.get<std::uint32_t>() * common_.code_factor;
                if (location > look_) return in.good();
                break;
            case 0x05: { // offset_extended
                const std::uint64_t number = in.unsigned_leb();
                save(row, number, {Saved::How::at_cfa, offset(in.unsigned_leb())});
                break;
            }
            case 0x06: // restore_extended
                restore(row, in.unsigned_leb(), initial);
                break;
            case 0x07: // undefined
                save(row, in.unsigned_leb(), {Saved::How::undefined, 0});
                break;
            case 0x08: // same_value
                save(row, in.unsigned_leb(), {});
                break;
            case 0x09: // register
                save(row, in.unsigned_leb(), {Saved::How::otherwise, 0});
                in.unsigned_leb();
                break;
            case 0x0a: // remember_state
                if (depth == stack.size()) return false;
                stack[depth++] = row;
                break;
            case 0x0b: // restore_state
                if (depth == 0) return false;
                row = stack[--depth];
                break;
            case 0x0c: // def_cfa
                row.cfa_register = in.unsigned_leb();
                row.cfa_offset = static_cast<std::int64_t>(in.unsigned_leb());
                row.cfa_expression = 0;
                break;
            case 0x0d: // def_cfa_register
                row.cfa_register = in.unsigned_leb();
                break;
            case 0x0e: // def_cfa_offset
                row.cfa_offset = static_cast<std::int64_t>(in.unsigned_leb());
                break;
            case 0x0f: { // def_cfa_expression
                const std::uint64_t size = in.unsigned_leb();
                row.cfa_expression = in.at();
                in.skip(size);
                break;
            }
            case 0x10:   // expression
            case 0x16: { // val_expression
                const std::uint64_t number = in.unsigned_leb();
                save(row, number, {Saved::How::otherwise, 0});
                in.skip(in.unsigned_leb());
                break;
            }
            case 0x11: { // offset_extended_sf
                const std::uint64_t number = in.unsigned_leb();
                save(row, number, {Saved::How::at_cfa, offset(static_cast<std::uint64_t>(in.signed_leb()))});
                break;
            }
            case 0x12: // def_cfa_sf
                row.cfa_register = in.unsigned_leb();
                row.cfa_offset = offset(static_cast<std::uint64_t>(in.signed_leb()));
                row.cfa_expression = 0;
                break;
            case 0x13: // def_cfa_offset_sf
                row.cfa_offset = offset(static_cast<std::uint64_t>(in.signed_leb()));
                break;
            case 0x2e: // GNU_args_size
                in.unsigned_leb();
                break;
            default:
                return false;
            }
        }
        return in.good();
    }

  private:
    [[nodiscard]] std::int64_t offset(std::uint64_t factored) const {
        return static_cast<std::int64_t>(factored * static_cast<std::uint64_t>(common_.data_factor));
    }
    static void save(Row& row, std::uint64_t number, Saved saved) {
        if (number == frame_pointer) row.fp = saved;
        if (number == return_address) row.ra = saved;
    }
    static void restore(Row& row, std::uint64_t number, const Row& initial) {
        if (number == frame_pointer) row.fp = initial.fp;
        if (number == return_address) row.ra = initial.ra;
    }

    Source source_;
    const Common& common_;
    std::uint64_t look_;
};

// Where the description of the function lies that begins last at or before the address; 0: there is none.
std::uint64_t description_of(Source source, std::uint64_t header, std::uint64_t address) {
    constexpr std::uint8_t sorted_pairs = 0x3b; // of 4 bytes each, relative to the header
    Reader in{source, header};
    const auto version = in.get<std::uint8_t>();
    const auto frame_encoding = in.get<std::uint8_t>();
    const auto count_encoding = in.get<std::uint8_t>();
    const auto table_encoding = in.get<std::uint8_t>();
    in.pointer(frame_encoding);
    const std::uint64_t count = in.pointer(count_encoding);
    const std::uint64_t table = in.at();
    if (!in.good() || version != 1 || table_encoding != sorted_pairs || count > (source.memory.end - table) / 8)
        return 0;
    const auto relative = [&](std::uint64_t index, std::uint64_t which) {
        Reader entry{source, table + 8 * index + 4 * which};
        return header + static_cast<std::uint64_t>(std::int64_t{entry.get<std::int32_t>()});
    };
    std::uint64_t low = 0;
    std::uint64_t high = count;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (relative(middle, 0) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0 : relative(low - 1, 1);
}

std::optional<Common> read_common(Source source, std::uint64_t at) {
    Reader in{source, at};
    Common common;
    const auto length = in.get<std::uint32_t>();
    common.end = in.at() + length;
    in.get<std::uint32_t>(); // which says that this is one
    const auto version = in.get<std::uint8_t>();
    std::array<char, 8> letters{};
    std::size_t count = 0;
    for (char letter = in.get<char>(); letter != 0; letter = in.get<char>()) {
        if (count + 1 == letters.size()) return {};
        letters[count++] = letter;
    }
    const std::string_view augmentation{letters.data(), count};
    common.code_factor = in.unsigned_leb();
    common.data_factor = in.signed_leb();
    if (version == 1)
        in.get<std::uint8_t>();
    else
        in.unsigned_leb();
    if (augmentation.starts_with('z')) {
        common.augmented = true;
        const std::uint64_t size = in.unsigned_leb();
        const std::uint64_t after = in.at() + size;
        for (const char letter : augmentation.substr(1)) {
            if (letter == 'R') common.encoding = in.get<std::uint8_t>();
            if (letter == 'P') in.pointer(in.get<std::uint8_t>());
            if (letter == 'L') in.get<std::uint8_t>();
            if (letter == 'S') common.signal = true;
        }
        in.go_to(after);
    } else if (!augmentation.empty()) {
        return {};
    }
    common.instructions = in.at();
    if (!in.good() || common.end > source.memory.end) return {};
    return common;
}

// The offsets of a rule have 32 bits.
bool fits(std::int64_t offset) { return offset >= INT32_MIN && offset <= INT32_MAX; }

FrameRule rule_of(Source source, const Row& row) {
    using Kind = FrameRule::Kind;
    if (row.ra.how == Saved::How::undefined || (processor::call_pushes && row.ra.how == Saved::How::not_saved))
        return {.kind = Kind::last};
    if (row.ra.how == Saved::How::otherwise || !fits(row.ra.offset) || !fits(row.cfa_offset)) return {};
    FrameRule rule;
    if (row.ra.how == Saved::How::at_cfa) rule.ra = static_cast<std::int32_t>(row.ra.offset);
    if (row.cfa_expression != 0) {
        constexpr auto frame_pointer_plus = static_cast<std::uint8_t>(0x70 + frame_pointer); // DW_OP_breg0 and on
        constexpr std::uint8_t deref = 0x06;
        Reader in{source, row.cfa_expression};
        const bool plus = in.get<std::uint8_t>() == frame_pointer_plus;
        const std::int64_t offset = in.signed_leb();
        if (!plus || in.get<std::uint8_t>() != deref || !in.good() || !fits(offset)) return {};
        rule.kind = Kind::by_fp_deref;
        rule.cfa = static_cast<std::int32_t>(offset);
        return rule;
    }
    if (row.fp.how == Saved::How::otherwise) return {};
    if (row.fp.how == Saved::How::at_cfa) {
        if (!fits(row.fp.offset)) return {};
        rule.fp = static_cast<std::int32_t>(row.fp.offset);
    }
    if (row.cfa_register != stack_pointer && row.cfa_register != frame_pointer) return {};
    rule.kind = row.cfa_register == stack_pointer ? Kind::by_sp : Kind::by_fp;
    rule.cfa = static_cast<std::int32_t>(row.cfa_offset);
    return rule;
}

} // namespace

FrameRule frame_rule(Pages& pages, Mapped memory, std::uint64_t header, std::uint64_t address) {
    const Source source{pages, memory};
    const std::uint64_t description = description_of(source, header, address);
    if (description == 0) return {};
    Reader in{source, description};
    const auto length = in.get<std::uint32_t>();
    const std::uint64_t end = in.at() + length;
    const std::uint64_t back_from = in.at();
    const auto back = in.get<std::uint32_t>();
    if (!in.good() || end > memory.end || length == 0xffffffff) return {};
    const std::optional<Common> common = read_common(source, back_from - back);
    if (!common) return {};
    const std::uint64_t begin = in.pointer(common->encoding);
    const std::uint64_t size = in.pointer(common->encoding & 0x0f);
    if (!in.good() || address < begin || address - begin >= size) return {};
    if (common->augmented) in.skip(in.unsigned_leb());
    if (common->signal) return {.kind = FrameRule::Kind::signal};
    Row row;
    const Row nothing;
    Program first{source, *common, ~std::uint64_t{0}};
    if (!first.run(common->instructions, common->end, 0, row, nothing)) return {};
    const Row initial = row;
    Program own{source, *common, address};
    if (!in.good() || !own.run(in.at(), end, begin, row, initial)) return {};
    return rule_of(source, row);
}

} // namespace tactus
