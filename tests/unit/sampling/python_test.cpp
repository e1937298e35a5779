// The functions of Python that a thread is in, in the memory of an interpreter that is made here: one of version 3.13,
// which says itself where things lie. (tests/waits runs the real one.)
#include "sampling/python.hpp"
#include "tests/unit/made/catch.hpp"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

using namespace tactus;

namespace {

std::uint64_t address(const void* of) { return reinterpret_cast<std::uintptr_t>(of); }

// Everything consists of words, so that it is easy to place.
struct Interpreter {
    std::vector<std::uint64_t> runtime = std::vector<std::uint64_t>(60);
    std::vector<std::uint64_t> interpreter = std::vector<std::uint64_t>(8);
    std::vector<std::uint64_t> state = std::vector<std::uint64_t>(8);
    std::deque<std::vector<std::uint64_t>> objects; // which do not move
    char code_type = 0;

    Interpreter() {
        char cookie[9] = "xdebugpy";
        std::memcpy(runtime.data(), cookie, 8);
        const auto say = [&](std::size_t word, std::uint64_t offset) { runtime[word] = offset; };
        say(5, 8 * 50); // the first interpreter, in the runtime
        say(8, 8);      // the next interpreter, in an interpreter
        say(9, 16);     // its first thread
        say(21, 8);     // in a thread: the next one,
        say(23, 16);    // its frame,
        say(25, 24);    // and its number in the system
        say(29, 0);     // in a frame: the one before,
        say(30, 8);     // its code,
        say(31, 16);    // its instruction,
        say(33, 24);    // and its owner
        say(35, 16);    // in code: the file,
        say(37, 24);    // the name,
        say(38, 32);    // the table of lines,
        say(39, 40);    // the first line,
        say(43, 48);    // and the instructions
        runtime[50] = address(interpreter.data());
        interpreter[2] = address(state.data());
        state[3] = 1234;
    }
    [[nodiscard]] PythonSymbols symbols(std::uint64_t version = 0x030d01f0) const {
        return {.version = version, .runtime = address(runtime.data()), .code_type = address(&code_type)};
    }
    std::vector<std::uint64_t>& object(std::size_t words) { return objects.emplace_back(words); }

    // A string of characters of 1, 2 or 4 bytes.
    template <class Text> std::uint64_t text(const Text& characters, bool ascii) {
        constexpr std::size_t width = sizeof characters[0];
        auto& words = object(16 + characters.size());
        words[2] = characters.size();
        words[4] = width << 2 | 1U << 5 | (ascii ? 1U << 6 : 0U);
        std::memcpy(reinterpret_cast<char*>(words.data()) + (ascii ? 40 : 56), characters.data(),
                    width * characters.size());
        return address(words.data());
    }
    std::uint64_t bytes(const std::string& content) {
        auto& words = object(5 + content.size() / 8);
        words[2] = content.size();
        std::memcpy(words.data() + 4, content.data(), content.size());
        return address(words.data());
    }
    std::uint64_t code(std::uint64_t file, std::uint64_t name, std::uint64_t table, std::uint64_t first_line) {
        auto& words = object(64);
        words[1] = address(&code_type);
        words[2] = file;
        words[3] = name;
        words[4] = table;
        words[5] = first_line;
        return address(words.data());
    }
    // Begins a call in the thread.
    void call(std::uint64_t code, std::uint64_t instruction, std::uint64_t owner = 0) {
        auto& words = object(4);
        words[0] = state[2];
        words[1] = code;
        words[2] = code + 48 + instruction;
        words[3] = owner;
        state[2] = address(words.data());
    }
};

struct Shown {
    std::string function;
    std::string file;
    std::uint32_t line = 0;
};

Shown describe(const Python& python, const PythonFrame& frame, std::size_t room_size = 200) {
    Pages pages;
    std::vector<char> room(room_size);
    PythonLine line;
    REQUIRE(python.describe(frame, pages, room, line));
    return {std::string{line.function}, std::string{line.file}, line.line};
}

Python::Stack frames_of(const Python& python, pid_t thread, std::span<PythonFrame> into) {
    std::uint64_t state = 0;
    const Python::Stack stack = python.frames_of(thread, into, state);
    CHECK((state != 0 || stack.frames == 0));
    const Python::Stack again = python.frames_of(thread, into, state); // where it was found, or anew
    CHECK(again.frames == stack.frames);
    state = 8;
    CHECK(python.frames_of(thread, into, state).frames == stack.frames);
    return stack;
}

std::uint64_t identity_of(const Python& python, const PythonFrame& frame) {
    std::uint64_t identity = 1;
    python.identify({&frame, 1}, {&identity, 1});
    return identity;
}

std::uint32_t line_of(Interpreter& made, const std::string& table, std::uint64_t instruction) {
    const std::uint64_t code =
        made.code(made.text(std::string{"a.py"}, true), made.text(std::string{"f"}, true), made.bytes(table), 10);
    const auto python = Python::of(made.symbols());
    return describe(*python, {code, code + 48 + instruction}).line;
}

} // namespace

TEST_CASE("Python: the functions that a thread is in, the innermost first") {
    Interpreter made;
    const std::uint64_t file = made.text(std::string{"/home/me/solve.py"}, true);
    const std::uint64_t table = made.bytes("\x80\x01\x02"); // one instruction, in the first line
    const std::uint64_t main = made.code(file, made.text(std::string{"<module>"}, true), table, 1);
    const std::uint64_t step = made.code(file, made.text(std::string{"Solver.step"}, true), table, 30);
    made.call(main, 0);
    made.call(0, 0, 3); // the interpreter's own
    made.call(step, 0);
    const auto python = Python::of(made.symbols());
    REQUIRE(python);

    std::array<PythonFrame, 8> frames;
    const Python::Stack stack = frames_of(*python, 1234, frames);
    REQUIRE(stack.frames == 2);
    CHECK(stack.complete);
    const Shown inner = describe(*python, frames[0]);
    CHECK(inner.function == "Solver.step");
    CHECK(inner.file == "/home/me/solve.py");
    CHECK(inner.line == 30);
    CHECK(describe(*python, frames[1]).function == "<module>");

    CHECK(frames_of(*python, 99, frames).frames == 0); // a thread that is not in Python
    const Python::Stack cut = frames_of(*python, 1234, std::span{frames}.first(1));
    CHECK(cut.frames == 1);
    CHECK_FALSE(cut.complete);
}

TEST_CASE("Python: versions whose layout is not known, and a build without the global lock, are left alone") {
    Interpreter made;
    CHECK(Python::of(made.symbols(0x030b04f0)));
    CHECK_FALSE(Python::of(made.symbols(0x030a04f0)));
    CHECK(Python::of(made.symbols(0x030c04f0)));
    CHECK_FALSE(Python::of(made.symbols(0x030e00f0)));
    CHECK_FALSE(Python::of(made.symbols(0)));
    made.runtime[2] = 1;
    CHECK_FALSE(Python::of(made.symbols()));
    made.runtime[2] = 0;
    made.runtime[0] = 0;
    CHECK_FALSE(Python::of(made.symbols()));
    CHECK_FALSE(Python::of({}));
}

TEST_CASE("Python: parts of memory are copied up to one that is not there") {
    std::array<std::uint64_t, 3> from = {1, 2, 3};
    std::array<std::uint64_t, 3> into{};
    std::array<MemoryPart, 3> parts;
    for (std::size_t i = 0; i < from.size(); ++i)
        parts[i] = {address(&from[i]), std::as_writable_bytes(std::span{into}.subspan(i, 1))};
    CHECK(copy_own_parts(parts) == 3);
    CHECK(into == from);
    parts[1].from = 8;
    into = {};
    CHECK(copy_own_parts(parts) == 1);
    CHECK(into == std::array<std::uint64_t, 3>{1, 0, 0});
    CHECK(copy_own_parts(std::span{parts}.subspan(1)) == 0);
}

TEST_CASE("Python: memory that makes no sense is no danger") {
    Interpreter made;
    const auto python = Python::of(made.symbols());
    std::array<PythonFrame, 8> frames;
    for (const std::uint64_t frame : {std::uint64_t{8}, ~std::uint64_t{0}, std::uint64_t{1} << 46}) {
        made.state[2] = frame;
        CHECK(frames_of(*python, 1234, frames).frames == 0);
    }
    made.state[2] = 0;
    made.call(8, 0); // code that is none
    REQUIRE(frames_of(*python, 1234, frames).frames == 1);
    CHECK(identity_of(*python, frames[0]) == 0);
    Pages pages;
    std::array<char, 100> room;
    PythonLine line;
    CHECK_FALSE(python->describe(frames[0], pages, room, line));
    // A frame that is its own caller.
    made.objects.back()[0] = address(made.objects.back().data());
    CHECK_FALSE(frames_of(*python, 1234, frames).complete);
    // Threads in a circle.
    made.state[1] = address(made.state.data());
    CHECK(frames_of(*python, 99, frames).frames == 0);
}

TEST_CASE("Python: names in any script, as UTF-8, cut where there is no room") {
    Interpreter made;
    const std::uint64_t table = made.bytes("\x80\x01\x02");
    const std::uint64_t latin = made.text(std::string{"gr\xf6\xdf"}, false); // Latin-1
    const std::uint64_t greek = made.text(std::u16string{u"λ.py"}, false);
    const std::uint64_t wide = made.text(std::u32string{U"𝛥.py"}, false);
    const auto python = Python::of(made.symbols());
    const std::uint64_t code = made.code(greek, latin, table, 1);
    const Shown shown = describe(*python, {code, code + 48});
    CHECK(shown.function == "größ");
    CHECK(shown.file == "λ.py");
    const std::uint64_t other = made.code(wide, latin, table, 1);
    CHECK(describe(*python, {other, other + 48}).file == "𝛥.py");
    const Shown cut = describe(*python, {other, other + 48}, 10); // half of it for each
    CHECK(cut.function == "grö");
    CHECK(cut.file == "𝛥.");
}

TEST_CASE("Python: lines by the location table") {
    Interpreter made;
    // An entry: 1, form (4 bits), length less 1 (3 bits). The line begins at 10.
    const std::string table = {
        '\x81', 1,    2,          // short form, two instructions: line 10
        '\xd8', 1,    2,          // one line, 1 further: 11
        '\xe1', 1,    2,          // 2 further, two instructions: 13
        '\xe8', 0x03,             // no columns, 1 back: 12
        '\xf0', 0x42, 3, 0, 1, 1, // whole, 2 + 64 * 3 = 194, so 97 further: 109
        '\xf8',                   // no line
    };
    const std::vector<std::uint32_t> lines = {10, 10, 11, 13, 13, 12, 109, 0};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        CAPTURE(i);
        CHECK(line_of(made, table, 2 * i) == lines[i]);
    }
    CHECK(line_of(made, table, 100) == 0); // behind the table
    CHECK(line_of(made, "", 0) == 0);
    CHECK(line_of(made, table, ~std::uint64_t{0} / 2) == 0);
    CHECK(line_of(made, "\x01\x02\x03", 0) == 10); // no entry begins: any bytes are safe
}

TEST_CASE("Python: code that lies where other code lay is told apart") {
    Interpreter made;
    const std::uint64_t table = made.bytes("\x80\x01\x02");
    const std::uint64_t name = made.text(std::string{"f"}, true);
    const std::uint64_t code = made.code(made.text(std::string{"a.py"}, true), name, table, 1);
    const auto python = Python::of(made.symbols());
    const std::uint64_t before = identity_of(*python, {code, code + 48});
    CHECK(before != 0);
    CHECK(identity_of(*python, {code, code + 50}) == before);
    made.objects.back()[2] = made.text(std::string{"b.py"}, true);
    // (text() made an object behind it.)
    for (auto& object : made.objects)
        if (address(object.data()) == code) object[5] = 2;
    CHECK(identity_of(*python, {code, code + 48}) != before);
}
