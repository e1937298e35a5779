#include "cli/pager.hpp"

#include "cli/launch/search.hpp"
#include "cli/terminal.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace tactus {
namespace {

std::string chosen_pager() {
    for (const char* const variable : {"TACTUS_PAGER", "PAGER"})
        if (const char* const value = std::getenv(variable); value != nullptr) return value;
    return "less";
}

// Nothing may be lost where the pager is not installed.
bool can_run(const std::string& command) { return !find_program(command.substr(0, command.find(' '))).empty(); }

} // namespace

void Pager::start() {
    if (child_ >= 0 || isatty(STDOUT_FILENO) == 0 || isatty(STDIN_FILENO) == 0) return;
    const std::string command = chosen_pager();
    if (command.empty() || command == "cat" || !can_run(command)) return;
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return;
    if (const std::size_t width = terminal_width(STDOUT_FILENO); width > 0)
        setenv("COLUMNS", std::to_string(width).c_str(), 1); // tables are fitted to the terminal all the same
    child_ = fork();
    if (child_ == 0) {
        setenv("LESS", "FRX", 0); // output that fits onto the screen is just printed; colors are shown
        dup2(pipe_ends[0], STDIN_FILENO);
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    if (child_ > 0) {
        dup2(pipe_ends[1], STDOUT_FILENO);
        std::signal(SIGINT, SIG_IGN); // which is for the pager; when that ends, nothing more can be written
    }
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

Pager::~Pager() {
    if (child_ < 0) return;
    std::fflush(stdout);
    close(STDOUT_FILENO); // the pager sees the end of its input
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace tactus
