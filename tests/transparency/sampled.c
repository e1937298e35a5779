/* Programs that a sampler could disturb, or that could disturb it; argv[1] names the case. Own timers and counters of
 * the processor, fibers on stacks that end where the next page cannot be read, small stacks, threads by thousands, code
 * made at run time, children, and kernels that refuse what the tracer would like to know. All compute between calls, so
 * that they are sampled, and wait long enough in calls that their stacks are copied. */
#include "check.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static double cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(double seconds) {
    const double end = cpu_seconds() + seconds;
    while (cpu_seconds() < end) {
    }
}

/* Rank 1 is late, so the others wait. */
static void meet(double seconds) {
    int one = 1, all = 0;
    if (rank_in(MPI_COMM_WORLD) == 1) compute(seconds);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == size_of(MPI_COMM_WORLD));
}

/* A profiler within the program: SIGPROF by the process's timer, and a timer of the thread's own. */
static atomic_int profiled, timed;

static void on_profile(int number) { atomic_fetch_add(number == SIGPROF ? &profiled : &timed, 1); }

static void timers(void) {
    const struct itimerval every = {{0, 2000}, {0, 2000}};
    const struct itimerspec each = {{0, 2000000}, {0, 2000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    signal(SIGPROF, on_profile);
    signal(SIGUSR1, on_profile);
    CHECK(setitimer(ITIMER_PROF, &every, NULL) == 0);
    CHECK(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &each, NULL) == 0);
    for (int i = 0; i < 10; i++) {
        compute(0.03);
        meet(0.01);
    }
    struct itimerval left;
    CHECK(getitimer(ITIMER_PROF, &left) == 0 && left.it_interval.tv_usec == 2000);
    CHECK(setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL) == 0);
    CHECK(timer_delete(timer) == 0);
    CHECK(profiled > 10 && timed > 10);
}

/* Counters that the program opened itself count on, and none of its descriptors is closed. */
static void own_counters(void) {
    int counters[4];
    for (int i = 0; i < 4; i++) {
        struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                             .size = sizeof attributes,
                                             .config = PERF_COUNT_SW_TASK_CLOCK,
                                             .exclude_kernel = 1,
                                             .exclude_hv = 1};
        counters[i] = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    }
    for (int i = 0; i < 10; i++) {
        compute(0.02);
        meet(0.01);
    }
    for (int i = 0; i < 4; i++) {
        uint64_t counted = 0;
        if (counters[i] < 0) continue; /* the kernel refuses them */
        CHECK(read(counters[i], &counted, sizeof counted) == sizeof counted && counted > 100000000);
        CHECK(close(counters[i]) == 0);
    }
}

/* Stacks that nobody can read beyond, above and below. */
enum { stack_size = 1 << 18, page = 4096 };

static char* new_stack(void) {
    char* const room = (char*)mmap(NULL, stack_size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(room != MAP_FAILED && mprotect(room + page, stack_size, PROT_READ | PROT_WRITE) == 0);
    return room + page;
}

enum { most_fibers = 50 };

static ucontext_t home, fibers[most_fibers];
static int made, done;

static void fiber(void) {
    const int own = made;
    for (int i = 0; i < 4; i++) {
        compute(0.001);
        meet(0.002);
        CHECK(swapcontext(&fibers[own], &home) == 0);
    }
    done++;
}

static void run_fibers(void) {
    char* stacks[most_fibers];
    for (volatile int i = 0; i < most_fibers; i++) { /* getcontext() returns twice, as far as a compiler knows */
        stacks[i] = new_stack();
        CHECK(getcontext(&fibers[i]) == 0);
        fibers[i].uc_stack.ss_sp = stacks[i];
        fibers[i].uc_stack.ss_size = stack_size;
        fibers[i].uc_link = &home;
        makecontext(&fibers[i], fiber, 0);
    }
    for (int turn = 0; turn < 5; turn++)
        for (made = 0; made < most_fibers; made++) CHECK(swapcontext(&home, &fibers[made]) == 0);
    CHECK(done == most_fibers);
    for (int i = 0; i < most_fibers; i++) munmap(stacks[i] - page, stack_size + 2 * page);
    meet(0.01);
}

static void* small_thread(void* argument) {
    compute(0.02);
    *(int*)argument = rank_in(MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_SELF);
    return NULL;
}

/* Threads with the least stack in which both MPIs can be called untraced. */
static void small_stacks(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, 1 << 15) == 0);
    for (int i = 0; i < 20; i++) {
        pthread_t threads[2];
        int ranks[2] = {7, 7};
        for (int j = 0; j < 2; j++) CHECK(pthread_create(&threads[j], &attributes, small_thread, &ranks[j]) == 0);
        meet(0.01);
        for (int j = 0; j < 2; j++) CHECK(pthread_join(threads[j], NULL) == 0 && ranks[j] == 0);
    }
    pthread_attr_destroy(&attributes);
}

static void* short_thread(void* calls) {
    compute(0.0002);
    if (calls) CHECK(rank_in(MPI_COMM_SELF) == 0);
    return NULL;
}

/* Most end before anybody has seen them; every eighth calls MPI. */
static void thousands(void) {
    for (int i = 0; i < 500; i++) {
        pthread_t threads[8];
        for (int j = 0; j < 8; j++)
            CHECK(pthread_create(&threads[j], NULL, short_thread, j == 0 ? threads : NULL) == 0);
        for (int j = 0; j < 8; j++) CHECK(pthread_join(threads[j], NULL) == 0);
        if (i % 100 == 0) meet(0.01);
    }
}

/* Code in memory of no file, that has no frame and no unwinding rules, calls MPI, and is gone afterwards. */
static void made_code(void) {
#ifdef __x86_64__
    static const unsigned char spins[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};          /* dec %rdi; jnz; ret */
    static const unsigned char calls[] = {0x50, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3}; /* push; call *%rdi; add; ret */
    for (int i = 0; i < 20; i++) {
        unsigned char* const code =
            (unsigned char*)mmap(NULL, page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(code != MAP_FAILED);
        memcpy(code, spins, sizeof spins);
        memcpy(code + 64, calls, sizeof calls);
        ((void (*)(long))(void*)code)(20000000);
        void (*const function)(void) = i % 2 ? (void (*)(void))MPI_Wtime : NULL;
        if (function) ((void (*)(void (*)(void)))(void*)(code + 64))(function);
        meet(0.01);
        munmap(code, page);
    }
#endif
    meet(0.01);
}

/* They compute beside their parent, longer than many samples take, and end in several ways. */
static void children(void) {
    for (int way = 0; way < 6; way++) {
        const pid_t child = fork();
        if (child == 0) {
            compute(0.05);
            if (way % 3 == 0) _exit(40);
            if (way % 3 == 1) raise(SIGKILL);
            execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 41", NULL);
            _exit(42);
        }
        int status = 0;
        meet(0.01);
        compute(0.05);
        CHECK(waitpid(child, &status, 0) == child);
        if (way % 3 == 1)
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        else
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (way % 3 == 0 ? 40 : 41));
    }
}

/* From here on the kernel answers the system call with this error, for process_vm_readv only if the process reads its
 * own memory: an MPI copies messages with it. */
static void refuse(uint32_t number, uint32_t error) {
    const int any = number != SYS_process_vm_readv;
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | (any ? BPF_JGE : BPF_JEQ) | BPF_K, any ? 0 : (uint32_t)getpid(), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* Changes what this process sees as /proc, where it may. */
static void change_proc(const char* how) {
    char path[64];
    if (unshare(CLONE_NEWNS) != 0) return;
    CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    if (strcmp(how, "no_proc") == 0) CHECK(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
    if (strcmp(how, "read_only_proc") == 0)
        CHECK(mount(NULL, "/proc", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0);
    if (strcmp(how, "no_schedstat") != 0) return;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)getpid());
    CHECK(mount("/dev/null", path, NULL, MS_BIND, NULL) == 0);
    CHECK(mount("/dev/null", "/proc/self/schedstat", NULL, MS_BIND, NULL) == 0);
}

static void compute_and_meet(void) {
    for (int i = 0; i < 10; i++) {
        compute(0.02);
        meet(0.02);
    }
}

static const struct {
    const char* name;
    void (*run)(void);
    uint32_t refused, error; /* a system call, before MPI_Init */
} cases[] = {
    {"timers", timers, 0, 0},
    {"own_counters", own_counters, 0, 0},
    {"fibers", run_fibers, 0, 0},
    {"small_stacks", small_stacks, 0, 0},
    {"thousands", thousands, 0, 0},
    {"made_code", made_code, 0, 0},
    {"children", children, 0, 0},
    {"no_samples", compute_and_meet, SYS_perf_event_open, EACCES},
    {"no_samples_at_all", compute_and_meet, SYS_perf_event_open, ENOSYS},
    {"no_own_memory", compute_and_meet, SYS_process_vm_readv, EPERM},
    {"no_proc", compute_and_meet, 0, 0},
    {"read_only_proc", compute_and_meet, 0, 0},
    {"no_schedstat", compute_and_meet, 0, 0},
};

int main(int argc, char** argv) {
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(argv[1], cases[i].name) != 0) continue;
        int provided;
        if (cases[i].refused) refuse(cases[i].refused, cases[i].error);
        change_proc(cases[i].name);
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        cases[i].run();
        say_done(cases[i].name);
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "which case?\n");
    return 2;
}
