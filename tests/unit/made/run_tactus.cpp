#include "tests/unit/made/run_tactus.hpp"

#include "tests/unit/made/test_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <sys/wait.h>

namespace tactus {
namespace {

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace

CommandOutcome run_tactus(const std::string& arguments, const std::string& shell_before) {
    const TestFolder folder;
    const std::string out = (folder.path() / "out").string();
    const std::string err = (folder.path() / "err").string();
    // Redirections in the arguments come after ours, so they win.
    // On a busy machine a command may need ten times as long as its tests allow it to compute.
    const std::string line = shell_before + "timeout 900 '" TACTUS_COMMAND "' >" + out + " 2>" + err + ' ' + arguments;
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
}

} // namespace tactus
