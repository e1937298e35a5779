#include "cli/launch/execute.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tactus {

namespace {

// While this object lives, SIGCHLD and the signals to pass on are blocked, and wait_for() fetches them one by one.
// There is no handler, so nothing runs at an arbitrary moment. No signal is lost before the command exists.
class SignalWatch {
  public:
    SignalWatch() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGCHLD);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
            struct sigaction now {};
            sigaction(number, nullptr, &now);
            if (now.sa_handler != SIG_IGN) sigaddset(&set_, number);
        }
        struct sigaction usual {}; // because a process that ignores SIGCHLD cannot wait for the end of a child
        usual.sa_handler = SIG_DFL;
        sigaction(SIGCHLD, &usual, &child_before_);
        pthread_sigmask(SIG_BLOCK, &set_, &mask_before_);
    }
    ~SignalWatch() {
        const timespec no_time{}; // Pending signals arrived after the end of the command, so they are dropped.
        while (sigtimedwait(&set_, nullptr, &no_time) > 0) continue;
        restore();
    }
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    void restore() { // also called in the child, before exec
        sigaction(SIGCHLD, &child_before_, nullptr);
        pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    }

    // Returns the status of `child` after its end.
    int wait_for(pid_t child) {
        int status = 0;
        while (::waitpid(child, &status, WNOHANG) == 0) {
            siginfo_t info{};
            const int number = sigwaitinfo(&set_, &info);
            // The kernel raises signals of the terminal (Ctrl-C, hang-up) in the whole foreground group, which includes
            // the command. Passing them on would deliver them twice, and a second Ctrl-C makes launchers exit without
            // cleaning up.
            if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) ::kill(child, number);
        }
        return status;
    }

  private:
    sigset_t set_{};
    sigset_t mask_before_{};
    struct sigaction child_before_ {};
};

[[noreturn]] void become(const std::vector<char*>& argv, int report, SignalWatch& watch) {
    watch.restore();
    ::execvp(argv.front(), argv.data());
    const int why = errno;
    const bool told = ::write(report, &why, sizeof why) == sizeof why;
    ::_exit(told ? 127 : 126);
}

// Returns the errno that the child wrote when exec failed, or 0 when exec closed the pipe.
int read_failure(int from) {
    int why = 0;
    ssize_t got = 0;
    do got = ::read(from, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    return got == sizeof why ? why : 0;
}

Ended could_not_start(const std::string& program, int why) {
    const bool missing = why == ENOENT;
    const std::string reason = missing ? "command not found" : std::strerror(why);
    const std::string advice = missing
                                   ? " (check its spelling and PATH; a script's first line must name an interpreter "
                                     "that exists)"
                                   : " (it must be a program or script that you may execute)";
    return {.code = missing ? 127 : 126, .problem = program + ": " + reason + advice};
}

Ended run(const Arguments& command, const std::array<int, 2>& report, SignalWatch& watch) {
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str())); // execvp never writes
    argv.push_back(nullptr);
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) become(argv, report[1], watch);
    const int fork_failure = errno;
    ::close(report[1]);
    if (child < 0) return could_not_start(command.front(), fork_failure);
    const int exec_failure = read_failure(report[0]);
    const int status = watch.wait_for(child);
    if (exec_failure != 0) return could_not_start(command.front(), exec_failure);
    Ended ended;
    ended.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ended.code = ended.signal != 0 ? 128 + ended.signal : WEXITSTATUS(status);
    return ended;
}

} // namespace

Ended execute(const Arguments& command) {
    std::array<int, 2> report{};
    if (::pipe2(report.data(), O_CLOEXEC) != 0) return could_not_start(command.front(), errno);
    SignalWatch watch;
    Ended ended = run(command, report, watch);
    ::close(report[0]);
    return ended;
}

} // namespace tactus
