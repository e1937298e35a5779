/* The life of a process around MPI; argv[1] names the case. Before MPI_Init and after MPI_Finalize, children, signals,
 * exits without MPI_Finalize, a shell in between, a plugin that starts MPI (argv[2]), and a libmpi opened by hand. */
#include "say.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void say_state(const char* what) {
    int initialized = 7, finalized = 7, version = 0, subversion = 0, length = 0;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    say_code("initialized", MPI_Initialized(&initialized));
    say_code("finalized", MPI_Finalized(&finalized));
    say_code("version", MPI_Get_version(&version, &subversion));
    say_code("library", MPI_Get_library_version(library, &length));
    say("%s: initialized %d finalized %d version %d.%d", what, initialized, finalized, version, subversion);
    say_bytes("library", library, (size_t)length);
}

static void use_mpi(void) {
    int one = 1, sum = 0;
    TRY(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    say("everyone is here: %d", sum == size_of(MPI_COMM_WORLD));
}

static void before_and_after(void) {
    say_state("before");
    TRY(MPI_Init(NULL, NULL));
    say_begin();
    say_state("between");
    use_mpi();
    say_out();
    TRY(MPI_Finalize());
    say_state("after");
    say_alone();
}

static void say_at_exit(void) {
    int finalized = 7;
    MPI_Finalized(&finalized);
    say("at exit: finalized %d", finalized);
    say_alone();
}

static void at_exit(void) {
    atexit(say_at_exit);
    MPI_Init(NULL, NULL);
    say_begin();
    atexit(say_at_exit);
    use_mpi();
    MPI_Finalize();
}

static void say_child(const char* what, pid_t child) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    say("%s: exited %d status %d signal %d", what, WIFEXITED(status), WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void children(void) {
    MPI_Init(NULL, NULL);
    say_begin();
    fflush(stdout);
    for (int way = 0; way < 4; way++) {
        int flag = 0;
        const pid_t child = fork();
        if (child == 0) {
            MPI_Initialized(&flag);
            double begin = MPI_Wtime();
            for (int i = 0; way == 1 && i < 200000; i++) begin = MPI_Wtime() < begin ? -1 : begin;
            if (way == 0) _exit(flag ? 41 : 42);
            if (way == 1) _exit(begin > 0 ? 43 : 44);
            if (way == 2) raise(SIGKILL);
            execl("/bin/sh", "sh", "-c", "exit 45", NULL);
            _exit(46);
        }
        say_child("fork", child);
        use_mpi();
    }
    say("system: %d", WEXITSTATUS(system("exit 47")));
    char line[64] = "";
    FILE* pipe = popen("echo from a child", "r");
    say("read: %s", fgets(line, sizeof line, pipe) ? "something" : "nothing");
    say_bytes("line", line, strlen(line));
    say("pclose: %d", pclose(pipe));
    const pid_t quick = vfork();
    if (quick == 0) {
        execl("/bin/true", "true", NULL);
        _exit(48);
    }
    say_child("vfork", quick);
    use_mpi();
    say_out();
    MPI_Finalize();
}

static volatile sig_atomic_t caught[64];

static void catch (int number) { caught[number]++; }

static void signals(void) {
    const struct itimerval soon = {{0, 0}, {0, 100000}};
    int flag;
    sigset_t mask;
    struct sigaction action;
    signal(SIGUSR2, catch);
    MPI_Init(NULL, NULL);
    say_begin();
    signal(SIGUSR1, catch);
    signal(SIGALRM, catch);
    for (int i = 0; i < 100; i++) {
        raise(i % 2 ? SIGUSR1 : SIGUSR2);
        if (i % 10 == 0) use_mpi();
    }
    setitimer(ITIMER_REAL, &soon, NULL);
    while (caught[SIGALRM] == 0) MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    say("caught: %d %d %d", (int)caught[SIGUSR1], (int)caught[SIGUSR2], (int)caught[SIGALRM]);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number < 32; number++) {
        /* The tracer handles it if it is left at default: it saves its records before the process ends. */
        if (number == SIGTERM) continue;
        sigaction(number, NULL, &action);
        const char* handled = action.sa_handler == SIG_DFL   ? "default"
                              : action.sa_handler == SIG_IGN ? "ignored"
                                                             : "handled";
        say("signal %d: %s, blocked %d, flags %x", number, handled, sigismember(&mask, number),
            (unsigned)action.sa_flags);
    }
    say_out();
    MPI_Finalize();
}

/* What a process has besides MPI stays as it was. */
static void surroundings(void) {
    enum { calls = 50000 };
    char before[4096], after[4096];
    struct rlimit core, limit;
    int rank, kept = 0;
    getrlimit(RLIMIT_CORE, &core);
    mode_t mask = umask(0);
    umask(mask);
    CHECK(getcwd(before, sizeof before) != NULL);
    MPI_Init(NULL, NULL);
    say_begin();
    CHECK(getcwd(after, sizeof after) != NULL);
    getrlimit(RLIMIT_CORE, &limit);
    mode_t now = umask(mask);
    say("folder the same %d, umask the same %d, limit the same %d", strcmp(before, after) == 0, now == mask,
        limit.rlim_cur == core.rlim_cur);
    for (int i = 0; i < calls; i++) {
        errno = 77;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        kept += errno == 77;
    }
    say("errno kept %d times", kept);
    say_out();
    MPI_Finalize();
}

static void exit_early(const char* how) {
    MPI_Init(NULL, NULL);
    say_begin();
    use_mpi();
    say_alone();
    if (strcmp(how, "exit") == 0) exit(6);
    if (strcmp(how, "_exit") == 0) _exit(7);
    if (strcmp(how, "quick_exit") == 0) quick_exit(8);
    if (strcmp(how, "abort") == 0) abort();
}

/* The plugin's constructor called MPI_Init. Its destructor must not call MPI_Finalize. */
static void plugin(const char* path) {
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != NULL);
    say_begin();
    say_state("after dlopen");
    int (*started)(void) = (int (*)(void))dlsym(handle, "plugin_started");
    say("the plugin started %d", started());
    use_mpi();
    say_out();
    ((void (*)(void))dlsym(handle, "plugin_finish"))();
    say("dlclose: %d", dlclose(handle));
    say_state("after dlclose");
    say_alone();
}

/* A shell between the launcher and the program. */
static void shell(const char* self, const char* how) {
    char command[4200];
    snprintf(command, sizeof command,
             strcmp(how, "shell_exec") == 0 ? "exec '%s' before_and_after" : "'%s' before_and_after; exit $?", self);
    execl("/bin/sh", "sh", "-c", command, NULL);
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "before_and_after") == 0) before_and_after();
    if (strcmp(what, "at_exit") == 0) at_exit();
    if (strcmp(what, "children") == 0) children();
    if (strcmp(what, "signals") == 0) signals();
    if (strcmp(what, "surroundings") == 0) surroundings();
    if (strcmp(what, "early") == 0) exit_early(argv[2]);
    if (strcmp(what, "plugin") == 0) plugin(argv[2]);
    if (strncmp(what, "shell", 5) == 0) shell(argv[0], what);
    return 0;
}
