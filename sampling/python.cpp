#include "sampling/python.hpp"

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

constexpr std::size_t most_interpreters = 16;
constexpr std::size_t most_states = 4096; // threads of an interpreter

template <class Value> bool copy(std::uint64_t from, Value& value) {
    return from != 0 && copy_own_memory(from, std::as_writable_bytes(std::span{&value, 1})) == sizeof value;
}

std::uint64_t word_at(std::uint64_t address) {
    std::uint64_t word = 0;
    return copy(address, word) ? word : 0;
}

std::uint64_t word_in(std::span<const std::byte> bytes, std::size_t offset) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    return word;
}

constexpr std::size_t most_of_object = 256; // bytes of a thread, frame or code object that are read
constexpr std::size_t most_frames = 4096;
constexpr std::uint64_t most_of_code = 1 << 20; // bytes of the instructions of a function

// Reads frames. Those of callers mostly lie in front of a frame, so the page is read from its begin.
class FrameMemory {
  public:
    explicit FrameMemory(std::size_t size) : size_{size} {}

    // The bytes of the frame at an address; nothing, if it is not there.
    std::span<const std::byte> at(std::uint64_t address) {
        if (size_ > most_of_object) return {};
        if (address < begin_ || known_ < size_ || address - begin_ > known_ - size_) {
            begin_ = address - address % page_size;
            const std::span<std::byte> part = std::span{bytes_}.first(address - begin_ + size_);
            known_ = copy_own_memory(begin_, part);
            if (known_ < part.size()) return {};
        }
        return std::span{bytes_}.subspan(address - begin_, size_);
    }

  private:
    std::size_t size_;
    std::uint64_t begin_ = 0;
    std::size_t known_ = 0; // bytes
    std::array<std::byte, page_size + most_of_object> bytes_;
};

// The first words of _PyRuntime in 3.13 (_Py_DebugOffsets), as many as are needed.
constexpr std::size_t words_of_offsets = 44;
constexpr std::uint64_t cookie = 0x7970677562656478; // "xdebugpy"

// Objects, variable objects and strings have not changed since 3.11, but for where the text lies.
constexpr std::uint32_t type_in_object = 8;
constexpr std::uint32_t size_in_bytes = 16;
constexpr std::uint32_t text_in_bytes = 32;
constexpr std::uint32_t length_in_string = 16;
constexpr std::uint32_t state_in_string = 32;

// Bits of the state of a string, from the lowest: interned (2), kind (3), compact, ASCII.
constexpr unsigned kind_of(std::uint32_t state) { return state >> 2 & 7; }
constexpr bool is_compact(std::uint32_t state) { return (state >> 5 & 1) != 0; }
constexpr bool is_ascii(std::uint32_t state) { return (state >> 6 & 1) != 0; }

// Appends a character in UTF-8; false where there is no room.
bool append(std::uint32_t character, std::span<char> room, std::size_t& size) {
    std::array<char, 4> bytes;
    std::size_t count = 1;
    if (character < 0x80) {
        bytes[0] = static_cast<char>(character);
    } else {
        count = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
        for (std::size_t i = count; i-- > 1; character >>= 6) bytes[i] = static_cast<char>(0x80 | (character & 0x3f));
        constexpr std::array<unsigned, 5> begins = {0, 0, 0xc0, 0xe0, 0xf0};
        bytes[0] = static_cast<char>(begins[count] | character);
    }
    if (size + count > room.size()) return false;
    std::copy_n(bytes.begin(), count, room.begin() + static_cast<std::ptrdiff_t>(size));
    size += count;
    return true;
}

// Finds the line of an instruction in a location table (Objects/locations.md). Its entries begin with a byte whose
// highest bit is set.
std::uint32_t line_at(std::uint64_t table, std::uint64_t offset, std::uint32_t first, Pages& pages) {
    std::uint64_t size = 0;
    if (!pages.read(table + size_in_bytes, &size, sizeof size)) return 0;
    std::uint64_t at = table + text_in_bytes;
    const std::uint64_t end = at + std::min<std::uint64_t>(size, 1 << 20);
    bool known = offset < most_of_code;
    const auto next_byte = [&] {
        std::uint8_t byte = 0;
        known = known && at < end && pages.read(at, &byte, 1);
        return byte;
    };
    std::int64_t line = first;
    std::uint64_t begin = 0; // of the instructions of an entry
    while (known && at < end) {
        const unsigned head = next_byte();
        ++at;
        constexpr unsigned one_line = 10;
        constexpr unsigned no_columns = 13;
        constexpr unsigned whole = 14;
        constexpr unsigned no_line = 15;
        const unsigned form = head >> 3 & 15;
        if (form == no_columns || form == whole) { // a signed number, six bits a byte, the lowest first
            std::uint64_t number = 0;
            for (unsigned bits = 0; bits < 36; bits += 6) {
                const unsigned byte = next_byte();
                ++at;
                number |= std::uint64_t{byte & 0x3f} << bits;
                if ((byte & 0x40) == 0) break;
            }
            const auto distance = static_cast<std::int64_t>(number >> 1);
            line += (number & 1) != 0 ? -distance : distance;
        } else if (form >= one_line && form < no_columns) {
            line += form - one_line;
        }
        constexpr std::uint64_t bytes_an_instruction = 2;
        begin += ((head & 7) + 1) * bytes_an_instruction;
        if (known && offset < begin) return form == no_line || line < 0 ? 0 : static_cast<std::uint32_t>(line);
        while (known && at < end && (next_byte() & 0x80) == 0) ++at;
    }
    return 0;
}

} // namespace

std::optional<Python::Layout> Python::layout_of(const PythonSymbols& symbols) {
    const std::uint64_t minor = symbols.version >> 16;
    if (minor == 0x030b)
        return Layout{.interpreters = 40,
                      .next_interpreter = 0,
                      .threads = 16,
                      .next_thread = 8,
                      .native_id = 160,
                      .frame = 56,
                      .frame_in_cframe = 8,
                      .code = 32,
                      .previous = 48,
                      .instruction = 56,
                      .owner = 69,
                      .last_owner = 2,
                      .first_line = 72,
                      .file = 112,
                      .name = 128,
                      .line_table = 136,
                      .instructions = 184,
                      .ascii_text = 48,
                      .other_text = 72};
    if (minor == 0x030c)
        return Layout{.interpreters = 40,
                      .next_interpreter = 0,
                      .threads = 72,
                      .next_thread = 8,
                      .native_id = 144,
                      .frame = 56,
                      .frame_in_cframe = 0,
                      .code = 0,
                      .previous = 8,
                      .instruction = 56,
                      .owner = 70,
                      .last_owner = 2,
                      .first_line = 68,
                      .file = 112,
                      .name = 128,
                      .line_table = 136,
                      .instructions = 192,
                      .ascii_text = 40,
                      .other_text = 56};
    if (minor != 0x030d) return {};
    std::array<std::uint64_t, words_of_offsets> known;
    constexpr std::size_t free_threaded = 2;
    if (!copy(symbols.runtime, known) || known[0] != cookie || known[free_threaded] != 0) return {};
    const auto offset = [&](std::size_t word) { return static_cast<std::uint32_t>(known[word]); };
    return Layout{.interpreters = offset(5),
                  .next_interpreter = offset(8),
                  .threads = offset(9),
                  .next_thread = offset(21),
                  .native_id = offset(25),
                  .frame = offset(23),
                  .frame_in_cframe = {},
                  .code = offset(30),
                  .previous = offset(29),
                  .instruction = offset(31),
                  .owner = offset(33),
                  .last_owner = 2,
                  .first_line = offset(39),
                  .file = offset(35),
                  .name = offset(37),
                  .line_table = offset(38),
                  .instructions = offset(43),
                  .ascii_text = 40,
                  .other_text = 56};
}

std::optional<Python> Python::of(const PythonSymbols& symbols) {
    if (symbols.runtime == 0 || symbols.code_type == 0) return {};
    if (const auto layout = layout_of(symbols)) return Python{symbols, *layout};
    return {};
}

bool Python::read_state(std::uint64_t address, State& state) const {
    std::array<std::byte, most_of_object> bytes;
    const std::size_t size = std::max({layout_.next_thread, layout_.native_id, layout_.frame}) + sizeof(std::uint64_t);
    if (size > bytes.size() || copy_own_memory(address, std::span{bytes}.first(size)) < size) return false;
    state = {.next = word_in(bytes, layout_.next_thread),
             .thread = word_in(bytes, layout_.native_id),
             .frame = word_in(bytes, layout_.frame)};
    return true;
}

bool Python::find_state(pid_t thread, std::uint64_t& address, State& state) const {
    const auto number = static_cast<std::uint64_t>(thread);
    if (address != 0 && read_state(address, state) && state.thread == number) return true;
    std::uint64_t interpreter = word_at(symbols_.runtime + layout_.interpreters);
    for (std::size_t i = 0; i < most_interpreters && interpreter != 0; ++i) {
        address = word_at(interpreter + layout_.threads);
        for (std::size_t s = 0; s < most_states && address != 0 && read_state(address, state); ++s) {
            if (state.thread == number) return true;
            address = state.next;
        }
        interpreter = word_at(interpreter + layout_.next_interpreter);
    }
    address = 0;
    return false;
}

Python::Stack Python::frames_of(pid_t thread, std::span<PythonFrame> into, std::uint64_t& state_address) const {
    Stack stack;
    State state;
    if (!find_state(thread, state_address, state)) return stack;
    std::uint64_t at = state.frame;
    if (layout_.frame_in_cframe && at != 0) at = word_at(at + *layout_.frame_in_cframe);
    if (at == 0) return stack;
    FrameMemory memory{std::max({layout_.code, layout_.previous, layout_.instruction, layout_.owner}) +
                       sizeof(std::uint64_t)};
    for (std::size_t i = 0; at != 0; ++i) {
        const std::span<const std::byte> frame = memory.at(at);
        if (frame.empty() || i == most_frames) return stack; // it was changed meanwhile
        if (std::to_integer<std::uint8_t>(frame[layout_.owner]) <= layout_.last_owner) {
            if (stack.frames == into.size()) return stack;
            into[stack.frames++] = {.code = word_in(frame, layout_.code),
                                    .instruction = word_in(frame, layout_.instruction)};
        }
        at = word_in(frame, layout_.previous);
    }
    stack.complete = true;
    return stack;
}

void Python::identify(std::span<const PythonFrame> frames, std::span<std::uint64_t> identities) const {
    const std::array<std::uint32_t, 4> members = {layout_.file, layout_.name, layout_.line_table, layout_.first_line};
    const std::size_t size = std::ranges::max(members) + sizeof(std::uint64_t);
    std::array<std::array<std::byte, most_of_object>, most_memory_parts> bytes;
    std::array<MemoryPart, most_memory_parts> parts;
    const std::size_t count = size > most_of_object ? 0 : std::min(frames.size(), most_memory_parts);
    for (std::size_t i = 0; i < count; ++i) parts[i] = {frames[i].code, std::span{bytes[i]}.first(size)};
    std::ranges::fill(identities, 0);
    for (std::size_t i = 0; i < count; ++i) { // one that is not there is passed over
        const std::size_t end = i + copy_own_parts(std::span{parts}.subspan(i, count - i));
        for (; i < end; ++i) {
            if (word_in(bytes[i], type_in_object) != symbols_.code_type) continue;
            identities[i] = 0xcbf29ce484222325; // FNV-1a, of words
            for (const std::uint32_t part : members)
                identities[i] = (identities[i] ^ word_in(bytes[i], part)) * 0x100000001b3;
        }
    }
}

// The text of a string object in UTF-8.
std::string_view Python::text_at(std::uint64_t string, Pages& pages, std::span<char> room) const {
    std::uint64_t length = 0;
    std::uint32_t state = 0;
    if (!pages.read(string + length_in_string, &length, sizeof length) ||
        !pages.read(string + state_in_string, &state, sizeof state) || !is_compact(state))
        return {};
    const std::uint64_t text = string + (is_ascii(state) ? layout_.ascii_text : layout_.other_text);
    const unsigned width = kind_of(state); // of a character
    if (width != 1 && width != 2 && width != 4) return {};
    std::size_t size = 0;
    for (std::uint64_t i = 0; i < length; ++i) {
        std::uint32_t character = 0; // the processor stores the lowest byte first
        if (!pages.read(text + i * width, &character, width) || !append(character, room, size)) break;
    }
    return {room.data(), size};
}

bool Python::describe(const PythonFrame& frame, Pages& pages, std::span<char> room, PythonLine& line) const {
    const auto word = [&](std::uint32_t offset) {
        std::uint64_t value = 0;
        return pages.read(frame.code + offset, &value, sizeof value) ? value : 0;
    };
    if (word(type_in_object) != symbols_.code_type) return false;
    line.function = text_at(word(layout_.name), pages, room.first(room.size() / 2));
    line.file = text_at(word(layout_.file), pages, room.subspan(room.size() / 2));
    const std::uint64_t instructions = frame.code + layout_.instructions;
    // A frame that has run nothing yet points before them.
    const std::uint64_t offset = frame.instruction > instructions ? frame.instruction - instructions : 0;
    line.line = line_at(word(layout_.line_table), offset, static_cast<std::uint32_t>(word(layout_.first_line)), pages);
    return !line.function.empty() && !line.file.empty();
}

} // namespace tactus
