#include "postproc/recover/backup.hpp"

#include "base/input_file.hpp"
#include "base/write_all.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tactus {
namespace fs = std::filesystem;

namespace {

Error cannot(const char* what, const std::string& file) {
    return {.what = std::string{"cannot be "} + what + ": " + strerror(errno), .file = file};
}

// Copies a file from `offset` to its end. The copy gets its name only when it is complete and on disk.
Outcome copy(const std::string& from, std::uint64_t offset, const std::string& to) {
    const InputFile in{from};
    if (!in.good()) return cannot("opened", from);
    const std::string draft = to + ".new";
    const int out = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (out < 0) return cannot("created", draft);
    constexpr std::uint64_t most = 1 << 20;
    std::vector<std::uint8_t> piece;
    bool good = true;
    for (std::uint64_t at = offset; good && at < in.size(); at += piece.size()) {
        piece.resize(std::min(most, in.size() - at));
        good = in.read(piece.data(), piece.size(), at) && write_all(out, piece.data(), piece.size());
    }
    good = good && fsync(out) == 0;
    const Error refused = cannot("written", to);
    if (close(out) == 0 && good && rename(draft.c_str(), to.c_str()) == 0) return Done{};
    unlink(draft.c_str());
    return refused;
}

} // namespace

Outcome Backup::make_folder() {
    struct stat status {};
    used_ = used_ || mkdir(folder_.c_str(), 0777) == 0 ||
            (errno == EEXIST && lstat(folder_.c_str(), &status) == 0 && S_ISDIR(status.st_mode));
    return used_ ? Outcome{Done{}} : Outcome{cannot("created", folder_)};
}

Outcome Backup::keep_end(const RankFile& file, std::uint64_t offset) {
    if (auto made = make_folder(); !made) return made;
    const std::string name = fs::path{file.path()}.filename();
    const std::string target = folder_ + "/" + name + ".from-" + std::to_string(offset);
    // A copy that an interrupted recovery made is older, so it stays.
    return offset >= file.size() || access(target.c_str(), F_OK) == 0 ? Outcome{Done{}}
                                                                      : copy(file.path(), offset, target);
}

Outcome Backup::move_here(const std::string& path) {
    if (auto made = make_folder(); !made) return made;
    const std::string name = folder_ + "/" + fs::path{path}.filename().string();
    std::string target = name;
    for (int number = 2; access(target.c_str(), F_OK) == 0; ++number) target = name + "-" + std::to_string(number);
    if (rename(path.c_str(), target.c_str()) == 0) return Done{};
    if (errno != EXDEV) return cannot("moved", path);
    if (auto copied = copy(path, 0, target); !copied) return copied;
    return unlink(path.c_str()) == 0 ? Outcome{Done{}} : Outcome{cannot("removed", path)};
}

} // namespace tactus
