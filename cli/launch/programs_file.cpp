#include "cli/launch/programs_file.hpp"

#include <fstream>
#include <sstream>

namespace tactus {

namespace {

// Reads a line, and those after it that a backslash at the end makes part of it.
bool read_line(std::istream& in, std::string& line) {
    line.clear();
    for (std::string text; std::getline(in, text);) {
        const bool goes_on = text.ends_with('\\');
        if (goes_on) text.pop_back();
        line += text;
        if (!goes_on) return true;
    }
    return !line.empty();
}

} // namespace

std::vector<Arguments> read_programs_file(const std::filesystem::path& file) {
    std::vector<Arguments> programs;
    std::ifstream in{file};
    for (std::string line; read_line(in, line);) {
        std::istringstream words{line};
        std::string ranks;
        if (!(words >> ranks) || ranks.starts_with('#')) continue;
        Arguments program;
        for (std::string word; words >> word;) program.push_back(std::move(word));
        if (!program.empty()) programs.push_back(std::move(program));
    }
    return programs;
}

} // namespace tactus
