#include "postproc/export/csv_nccl.hpp"

#include "postproc/export/csv_row.hpp"
#include "postproc/nccl/matches.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

namespace tactus {
namespace {

std::string hexadecimal(std::uint64_t value) {
    char text[19];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

class NcclRows {
  public:
    NcclRows(const NcclParts& parts, const NcclMatches& matches, CsvRows& rows)
        : parts_{parts}, matches_{matches}, rows_{rows} {
        for (const NcclMatch& match : matches.matches)
            for (const NcclPart* part : matches.parts_of(match)) match_of_[part] = &match;
    }

    void put(const NcclPart& part, const RankFile& file, const StepClock& clock) {
        const DelayLine* const delay = clock.delay_of(part.rank, part.lane);
        const std::uint64_t begin = clock.at(file, delay, part.enter);
        const NcclCommunicator& comm = parts_.comms[part.comm];
        rows_.number(part.rank).number(part.lane).text(parts_.functions[part.function]);
        rows_.text(nccl_kinds[static_cast<std::size_t>(part.tag.kind)].name).text(comm.name);
        rows_.text(hexadecimal(comm.id)).number(comm.turn).number(comm.ranks).number(part.member);
        rows_.number(part.sequence).seconds(begin).seconds(std::max(begin, clock.at(file, delay, part.leave)));
        rows_.number(file.seconds(part.leave - part.enter)).number(part.bytes);
        part.peer >= 0 ? rows_.number(part.peer) : rows_.none();
        rows_.number(part.channels).text(nccl_spans[static_cast<std::size_t>(part.tag.span)]);
        for (const std::uint8_t flag :
             {NcclTag::batched, NcclTag::overrun, NcclTag::host_times, NcclTag::captured, NcclTag::cut, NcclTag::drawn})
            rows_.number(part.tag.has(flag));
        rows_.number(part.gpu_within_ns);
        std::isfinite(part.clock_within_ns) ? rows_.number(part.clock_within_ns) : rows_.none();
        put_match(part);
        put_kernel(part);
        rows_.end();
    }

  private:
    void put_match(const NcclPart& part) {
        const auto found = match_of_.find(&part);
        if (found == match_of_.end()) {
            rows_.none().none().none();
            return;
        }
        const NcclMatch& match = *found->second;
        rows_.number(match.seen);
        match.has_arrival() ? rows_.number(matches_.parts[match.late]->rank) : rows_.none();
        match.has_arrival() && part.is_timed() ? rows_.number(1e-9 * match.wait_ns(part)) : rows_.none();
    }

    void put_kernel(const NcclPart& part) {
        if (part.kernel == NcclPart::no_kernel) {
            rows_.none().none();
            return;
        }
        const NcclKernel& kernel = parts_.kernels[part.kernel];
        rows_.text(parts_.functions[kernel.function]).number(1e-9 * kernel.length_ns);
    }

    const NcclParts& parts_;
    const NcclMatches& matches_;
    CsvRows& rows_;
    std::unordered_map<const NcclPart*, const NcclMatch*> match_of_;
};

} // namespace

void put_csv_nccl(const Trace& trace, const StepClock& clock, OutputFile& out, Exported& exported) {
    CsvRows rows{out, "rank,thread,function,kind,comm,comm_id,comm_turn,comm_ranks,comm_rank,sequence,begin_s,end_s,"
                      "duration_s,bytes,peer,channels,known,batched,overrun,host_times,captured,unfinished,drawn,"
                      "gpu_within_ns,clock_within_ns,ranks_seen,last_rank,wait_s,kernel,kernel_s"};
    const NcclParts parts = read_nccl(trace);
    const NcclMatches matches = match_nccl(parts);
    NcclRows table{parts, matches, rows};
    auto file = trace.ranks.begin();
    for (const NcclPart& part : parts.parts) { // by rank
        while (file->header().rank != part.rank) ++file;
        table.put(part, *file, clock);
    }
    exported.events += rows.rows();
    for (const Error& error : parts.unreadable) keep_error(exported.unreadable, error);
}

} // namespace tactus
