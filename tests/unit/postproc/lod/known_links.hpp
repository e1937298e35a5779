// The messages, waits and collectives that a simulated run is known to have.
#pragma once

#include "tests/unit/made/random_run.hpp"
#include "tests/unit/postproc/lod/links_by_rule.hpp"
#include "trace/rank_file.hpp"

#include <array>

namespace tactus {

// All links, by the clocks of a trace.
class KnownLinks {
  public:
    KnownLinks(const Trace& trace, const RandomRun& run);

    [[nodiscard]] const Links& of(LinkKind kind) const { return links_[static_cast<std::size_t>(kind)]; }

  private:
    Links& of(LinkKind kind) { return links_[static_cast<std::size_t>(kind)]; }
    void add_messages(const Trace& trace, const RandomRun& run);
    void add_collectives(const Trace& trace, const RandomRun& run);
    // A wait for each call that took something, until the latest of what it took.
    void add_waits(const Trace& trace, const RandomRun& run);

    std::array<Links, link_kinds> links_;
};

} // namespace tactus
