#include "cli/launch/rights.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace tactus {

namespace {

std::string_view kind_of_rights(const std::filesystem::path& program) {
    struct stat file {};
    struct statvfs system {};
    if (::stat(program.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
    if (::statvfs(program.c_str(), &system) == 0 && (system.f_flag & ST_NOSUID) != 0) return {};
    if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return {};
    if ((file.st_mode & S_ISUID) != 0 && file.st_uid != ::getuid()) return "setuid";
    // Without the right to execute for the group, this bit once meant something else.
    if ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != ::getgid()) return "setgid";
    if (::getuid() != 0 && ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0)
        return "file capabilities";
    return {};
}

} // namespace

std::string gained_rights(const std::filesystem::path& program) {
    const std::string_view kind = kind_of_rights(program);
    if (kind.empty()) return {};
    return "runs with rights that you do not have (" + std::string{kind} +
           "), and the dynamic linker preloads nothing then";
}

} // namespace tactus
