// A message that its MPI would have sent at once must still be one with its header: programs that send to each other
// before they receive depend on it. Until restore(), around MPI_Init, the limits that the environment gives to the MPI
// are larger by a header, and large enough for what goes apart, which has to arrive whatever its sender does next. Not
// those set in a file of Open MPI's parameters, nor UCX's own choice.
#pragma once

#include "base/options/options.hpp"

#include <cstddef>
#include <string>

namespace tactus {

class RaisedEagerLimits {
  public:
    explicit RaisedEagerLimits(const Options* options); // nullptr: the process is not recorded
    void restore();                                     // as they were
    RaisedEagerLimits(const RaisedEagerLimits&) = delete;
    RaisedEagerLimits& operator=(const RaisedEagerLimits&) = delete;

  private:
    static constexpr std::size_t most = 4;
    struct Was {
        bool changed = false;
        bool set = false;
        std::string value;
    };
    Was was_[most];
};

} // namespace tactus
