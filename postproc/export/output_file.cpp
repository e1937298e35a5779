#include "postproc/export/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tactus {

Result<OutputFile> OutputFile::open(const std::string& path) {
    if (path == "-") return OutputFile{path, STDOUT_FILENO};
    auto made = NewOutput::file(path);
    if (!made) return made.error();
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return Error{.what = "cannot be written: " + std::string{std::strerror(errno)}, .file = path};
    OutputFile output{path, file};
    output.made_.emplace(std::move(*made));
    return output;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_{std::move(other.path_)}, file_{std::exchange(other.file_, -1)}, made_{std::move(other.made_)},
      buffer_{std::move(other.buffer_)}, errno_{other.errno_} {
    other.made_.reset();
}

OutputFile::~OutputFile() {
    if (file_ > STDOUT_FILENO) ::close(file_);
}

void OutputFile::flush() {
    for (std::string_view rest = buffer_; !rest.empty() && errno_ == 0;) {
        const ssize_t written = ::write(file_, rest.data(), rest.size());
        if (written >= 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            errno_ = errno;
    }
    buffer_.clear();
}

Outcome OutputFile::close() {
    flush();
    if (file_ > STDOUT_FILENO && ::close(std::exchange(file_, -1)) != 0 && errno_ == 0) errno_ = errno;
    if (errno_ != 0)
        return Error{.what = "cannot be written: " + std::string{std::strerror(errno_)},
                     .file = path_ == "-" ? "standard output" : path_};
    if (made_) made_->keep();
    return Done{};
}

} // namespace tactus
