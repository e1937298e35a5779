#include "collector/nccl/own_trace.hpp"

#include "base/host.hpp"
#include "base/options/launched_by.hpp"
#include "base/version.hpp"
#include "collector/nccl/job_directory.hpp"
#include "writer/trace_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus::nccl {

Outcome OwnTrace::open(std::uint64_t communicator) {
    const TraceName name = trace_name(options_);
    const char* const run = std::getenv("VT_TACTUS_RUN");
    header_.run = run != nullptr ? run : "";
    header_.job = job_number(header_.run, communicator);
    header_.rank = rank_by_launcher().value_or(0); // without a launcher: by order of arrival
    header_.ranks = std::max(ranks_by_launcher().value_or(0), header_.rank + 1);
    header_.host = host_name();
    header_.boot_id = boot_id();
    header_.pid = static_cast<std::uint64_t>(getpid());
    header_.program = name.program;
    header_.tactus = version();
    header_.timer = chosen_timer();
    header_.timer_resolution = timer_resolution();
    header_.start = read_anchor();
    header_.options = options_.all();
    header_.schema = schema();
    auto directory = join_job_directory(name, header_.job);
    if (!directory) return directory.error();
    directory_ = *directory;
    const std::string& wanted = options_.text(Option::flush_prefix);
    lane_places_ = places_for_lanes(wanted.empty() ? wanted : absolute(wanted, options_), directory_, header_.job);
    for (const std::string& place : lane_places_)
        if (header_.lane_directory.empty() && (mkdir(place.c_str(), 0700) == 0 || errno == EEXIST))
            header_.lane_directory = place;
    return open_file(directory_);
}

// A process whose rank is taken, because no launcher gave it one, gets the next free rank.
Outcome OwnTrace::open_file(const std::string& directory) {
    Definitions first;
    first.anchors.push_back(read_anchor());
    constexpr int most_tries = 4096;
    for (int attempt = 0;; ++attempt) {
        path_ = directory + "/" + rank_file_name(header_.rank);
        make_parents(path_);
        auto opened = writer_.open(path_, header_, first);
        if (!opened && writer_.last_errno() == EEXIST && attempt < most_tries) {
            ++header_.rank;
            header_.ranks = std::max(header_.ranks, header_.rank + 1);
            continue;
        }
        if (opened) writer_.start_thread();
        return opened;
    }
}

bool OwnTrace::protect(Lane& lane) {
    for (const std::string& place : lane_places_)
        if ((mkdir(place.c_str(), 0700) == 0 || errno == EEXIST) && lane.protect(place)) return true;
    return false;
}

TraceRows::Row OwnTrace::add(const std::string& name) {
    auto lane = Lane::make(writer_);
    if (lane == nullptr) {
        losses_.add(Loss::no_memory);
        return no_row;
    }
    const auto number = static_cast<std::uint32_t>(lanes_.size());
    lane->set_job(header_.job, header_.rank, directory_);
    lane->begin_life(number, header_.rank, static_cast<std::uint64_t>(syscall(SYS_gettid)));
    if (!protect(*lane)) losses_.add(Loss::lane_unprotected);
    Definitions more;
    more.threads.push_back({.number = number, .name = name});
    writer_.add_definitions(more);
    lanes_.push_back(std::move(lane));
    return number;
}

void OwnTrace::beat() {
    for (const auto& lane : lanes_) lane->beat(now(), 0);
}

void OwnTrace::close() {
    Definitions closing;
    closing.anchors.push_back(read_anchor());
    Totals totals;
    totals.ending = Ending::exit;
    totals.lanes = lanes_.size();
    for (const auto& lane : lanes_) {
        lane->seal();
        totals.records += lane->records();
        totals.sealing += lane->sealing_ticks();
        totals.stalled += lane->stalled_ticks();
    }
    closing.totals.push_back(totals);
    const bool good = writer_.close(std::move(closing));
    if (!good) return; // the lanes stay, for `tactus recover`
    for (const auto& lane : lanes_) lane->unprotect();
    for (const std::string& place : lane_places_) rmdir(place.c_str()); // the last process succeeds
}

} // namespace tactus::nccl
