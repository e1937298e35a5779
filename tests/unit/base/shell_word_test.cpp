// What a message suggests to run, as a shell reads it.
#include "base/shell_word.hpp"
#include "base/utf8.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

using namespace tactus;

namespace {

// Has bash print each word followed by a zero byte.
std::string read_by_bash(const std::vector<std::string>& words) {
    const TestFolder folder;
    const std::string script = (folder.path() / "script").string();
    const std::string output = (folder.path() / "output").string();
    std::ofstream file{script};
    for (const std::string& word : words) file << "printf '%s\\0' " << word << "\n";
    file.close();
    REQUIRE(std::system(("LC_ALL=C bash " + script + " > " + output).c_str()) == 0);
    std::ifstream in{output, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("shell word: a path is quoted only where it must be") {
    CHECK(shell_word("/scratch/run-1/app.x_2.tactus") == "/scratch/run-1/app.x_2.tactus");
    CHECK(shell_word("my runs/app.tactus") == "'my runs/app.tactus'");
    CHECK(shell_word("it's/$HOME/`x`.tactus") == "'it'\\''s/$HOME/`x`.tactus'");
    CHECK(shell_word("größe.tactus") == "'größe.tactus'");
    CHECK(shell_word("a\nb'\\\x1b[31m\xff.tactus") == "$'a\\012b\\047\\134\\033[31m\\377.tactus'");
    CHECK(shell_word("-rf.tactus") == "./-rf.tactus");
    CHECK(shell_word("-r f") == "'./-r f'");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("~/x") == "'~/x'");
}

TEST_CASE("shell word: bash reads any bytes back, and nothing in it changes the terminal") {
    std::mt19937 random{7};
    std::vector<std::string> words;
    std::string expected;
    for (int i = 0; i < 300; ++i) {
        std::string text(random() % 12, ' ');
        for (char& c : text) c = static_cast<char>(1 + random() % (i % 2 == 0 ? 127U : 255U));
        words.push_back(shell_word(text));
        expected += (text.starts_with("-") ? "./" : "") + text + '\0';
        for (std::string_view rest = words.back(); !rest.empty();) {
            const Character next = first_character(rest);
            REQUIRE((next.bytes > 0 && is_harmless(next.code)));
            rest.remove_prefix(next.bytes);
        }
    }
    CHECK(read_by_bash(words) == expected);
}
