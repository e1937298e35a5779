// Raises the MPI's eager limits. A message that the MPI would have sent at once must still be sent at once with its
// header, because programs that send to each other before they receive depend on it. From the constructor until
// restore(), which enclose MPI_Init, the limits in the environment are larger by a header. They are also large enough
// for side messages, which must arrive whatever their sender does next. Limits in a file of Open MPI's parameters and
// UCX's own choice stay as they are.
#pragma once

#include "base/options/options.hpp"

#include <cstddef>
#include <string>

namespace tactus {

class RaisedEagerLimits {
  public:
    explicit RaisedEagerLimits(const Options* options); // nullptr: the process is not recorded, and no limit is raised
    void restore();                                     // puts the environment back as it was
    RaisedEagerLimits(const RaisedEagerLimits&) = delete;
    RaisedEagerLimits& operator=(const RaisedEagerLimits&) = delete;

  private:
    static constexpr std::size_t most = 5;
    struct Was {
        bool changed = false;
        bool set = false;
        std::string value;
    };
    Was was_[most];
};

} // namespace tactus
