// Shows a long output of the command page by page.
#pragma once

#include <sys/types.h>

namespace tactus {

class Pager {
  public:
    Pager() = default;
    Pager(const Pager&) = delete;
    Pager& operator=(const Pager&) = delete;
    ~Pager(); // waits until the reader has seen the output

    // From now on standard output goes through a pager, if it goes to a terminal: through TACTUS_PAGER, else PAGER,
    // else less. An empty name, or "cat", means none.
    void start();

  private:
    pid_t child_ = -1;
};

} // namespace tactus
