#include "postproc/nccl/matches.hpp"

#include <algorithm>
#include <tuple>

namespace tactus {
namespace {

auto key_of(const NcclPart& part) { return std::tuple{part.comm, part.function, part.tag.kind, part.sequence}; }

bool can_match(const NcclParts& all, const NcclPart& part) {
    if (all.comms[part.comm].id == 0) return false;
    return part.tag.kind == NcclKind::coll ||
           (part.tag.kind == NcclKind::group && all.functions[part.function] == "AlltoAll");
}

void add_times(NcclMatch& match, std::size_t index, const NcclPart& part) {
    if (!part.is_timed()) return;
    const bool first = match.timed++ == 0;
    match.first_start = first ? part.start : std::min(match.first_start, part.start);
    match.end = first ? part.end : std::max(match.end, part.end);
    match.gpu_within_ns = std::max(match.gpu_within_ns, part.gpu_within_ns);
    match.clock_within_ns = std::max(match.clock_within_ns, part.clock_within_ns);
    if (!first && part.start <= match.last_start) return;
    match.last_start = part.start;
    match.late = index;
}

NcclMatch match_of(const NcclParts& all, std::span<const NcclPart* const> parts, std::size_t first) {
    const NcclPart& part = *parts.front();
    NcclMatch match{.first = first,
                    .seen = parts.size(),
                    .comm = part.comm,
                    .function = part.function,
                    .kind = part.tag.kind,
                    .sequence = part.sequence,
                    .expected = all.comms[part.comm].ranks};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        match.bytes = std::max(match.bytes, parts[i]->bytes);
        match.worst = std::max(match.worst, parts[i]->tag.span);
        match.flags |= parts[i]->tag.flags;
        add_times(match, first + i, *parts[i]);
    }
    return match;
}

} // namespace

NcclMatches match_nccl(const NcclParts& all) {
    NcclMatches out;
    std::vector<const NcclPart*> candidates;
    for (const NcclPart& part : all.parts) {
        if (can_match(all, part))
            candidates.push_back(&part);
        else
            ++out.alone;
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const NcclPart* a, const NcclPart* b) {
        return std::tuple_cat(key_of(*a), std::tuple{a->member, a->rank}) <
               std::tuple_cat(key_of(*b), std::tuple{b->member, b->rank});
    });
    for (std::size_t i = 0; i < candidates.size();) {
        std::size_t end = i + 1;
        bool twice = false;
        for (; end < candidates.size() && key_of(*candidates[end]) == key_of(*candidates[i]); ++end)
            twice = twice || candidates[end]->member == candidates[end - 1]->member;
        if (twice) {
            out.ambiguous += end - i;
        } else {
            const std::size_t first = out.parts.size();
            out.parts.insert(out.parts.end(), candidates.begin() + static_cast<std::ptrdiff_t>(i),
                             candidates.begin() + static_cast<std::ptrdiff_t>(end));
            out.matches.push_back(match_of(all, std::span{out.parts}.subspan(first), first));
        }
        i = end;
    }
    return out;
}

} // namespace tactus
