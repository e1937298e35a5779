#include "tests/unit/made/made_nccl.hpp"

namespace tactus {

MadeRecord made_nccl(const MadeNccl& what) {
    MadeRecord made = made_call(Function{}, what.start, what.end);
    made.record.what.kind = Kind::nccl;
    made.record.what.type = static_cast<std::uint32_t>(what.function);
    made.record.what.bytes = what.bytes;
    made.record.what.tag = NcclTag{.kind = what.kind, .span = what.span, .flags = what.flags}.packed();
    const NcclWork work{.comm = what.comm,
                        .handle = what.handle,
                        .sequence = what.sequence,
                        .channels = 4,
                        .within_ns = what.within_ns,
                        .parent = what.parent,
                        .pid = what.pid};
    made.words.resize(NcclWork::most_words);
    made.words.resize(work.put(made.words.data()));
    return made;
}

std::vector<MadeRank> made_nccl_ranks(std::uint32_t count, bool measured) {
    std::vector<MadeRank> ranks = made_ranks(count);
    for (MadeRank& rank : ranks) {
        rank.header.mpi.clear();
        rank.header.pid = 1000 + rank.header.rank;
        rank.definitions.comms.clear();
        for (const char* name : {"NCCL:AllReduce", "NCCL:AllGather", "NCCL:AlltoAll", "NCCL:Send", "NCCL:proxy op"})
            rank.definitions.symbols.push_back(
                {.number = first_nccl_symbol + static_cast<std::uint32_t>(rank.definitions.symbols.size()),
                 .name = name});
        if (measured) {
            TimeMap map = straight(made_start, 0, 1);
            map.fit = Fit::interval;
            map.knots[0].half_width_ns = 5;
            rank.definitions.time_maps = {map};
        }
        rank.definitions.nccl_comms = {
            {.number = 1, .id = 99, .name = "world", .ranks = count, .nodes = 1, .rank = rank.header.rank}};
    }
    return ranks;
}

} // namespace tactus
