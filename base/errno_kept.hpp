// The application's errno, kept while we do what may change it.
#pragma once

#include <cerrno>

namespace tactus {

class ErrnoKept {
  public:
    ErrnoKept() = default;
    ~ErrnoKept() { errno = value_; }
    ErrnoKept(const ErrnoKept&) = delete;
    ErrnoKept& operator=(const ErrnoKept&) = delete;

  private:
    int value_ = errno;
};

} // namespace tactus
