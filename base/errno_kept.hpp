// Restores the application's errno at the end of a scope that may change it.
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
