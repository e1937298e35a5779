#include "system_call_number.hpp"

#include <sys/syscall.h>

namespace tactus {

long processor::number_in_traces(long call) {
    constexpr long unnamed = 100'000;
    switch (call) {
    case SYS_read:
        return 0;
    case SYS_write:
        return 1;
    case SYS_close:
        return 3;
    case SYS_mmap:
        return 9;
    case SYS_munmap:
        return 11;
    case SYS_pread64:
        return 17;
    case SYS_pwrite64:
        return 18;
    case SYS_readv:
        return 19;
    case SYS_writev:
        return 20;
    case SYS_madvise:
        return 28;
    case SYS_nanosleep:
        return 35;
    case SYS_connect:
        return 42;
    case SYS_sendto:
        return 44;
    case SYS_recvfrom:
        return 45;
    case SYS_sendmsg:
        return 46;
    case SYS_recvmsg:
        return 47;
    case SYS_wait4:
        return 61;
    case SYS_fcntl:
        return 72;
    case SYS_flock:
        return 73;
    case SYS_fsync:
        return 74;
    case SYS_fdatasync:
        return 75;
    case SYS_ftruncate:
        return 77;
    case SYS_futex:
        return 202;
    case SYS_clock_nanosleep:
        return 230;
    case SYS_openat:
        return 257;
    case SYS_pselect6:
        return 270;
    case SYS_ppoll:
        return 271;
    case SYS_epoll_pwait:
        return 281;
    case SYS_accept4:
        return 288;
    default:
        return call < 0 ? call : unnamed + call;
    }
}

} // namespace tactus
