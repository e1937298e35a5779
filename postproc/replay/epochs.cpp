#include "postproc/replay/epochs.hpp"

#include "postproc/replay/collective_groups.hpp"

#include <utility>

namespace tactus {

Epochs::Epochs(const RankFile& file) : file_{file} {
    for (const SharedObject& window : file.definitions().windows)
        identities_[static_cast<std::int32_t>(window.number)] = window.identity;
}

Epochs::Step Epochs::step(const Signature& what, Words words) {
    Step step;
    const auto known = identities_.find(what.tag);
    if (known == identities_.end()) return step;
    step.window = known->second;
    Epoch& epoch = open_[what.tag];
    const bool fenced = std::exchange(epoch.fenced, false);
    switch (what.function) {
    case Function::Win_fence:
        if (words.empty()) return step;
        step.waits = fenced && (words[0] & fence::no_precede) == 0;
        epoch.fenced = (words[0] & fence::no_succeed) == 0;
        return step;
    case Function::Win_start:
    case Function::Win_post: {
        std::vector<RankRun> runs;
        const bool whole = take_runs(words, runs);
        auto ranks = list_of_ranks(runs, ranks_of(file_.header()));
        (what.function == Function::Win_start ? epoch.targets : epoch.origins) =
            whole && ranks ? std::move(*ranks) : std::vector<std::uint32_t>{};
        return step;
    }
    case Function::Win_complete:
        step.ranks = std::exchange(epoch.targets, {});
        return step;
    case Function::Win_wait:
    case Function::Win_test: // one that succeeded
        step.ranks = std::exchange(epoch.origins, {});
        return step;
    default: // MPI_Win_lock and MPI_Win_lock_all: a passive target epoch, which orders nothing
        return step;
    }
}

} // namespace tactus
