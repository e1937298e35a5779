// What the operating system counted for the threads of a rank, as counter tracks, and what they were doing when the
// tracer looked, as samples with the functions they were in. They have a packet sequence of their own, in which each
// name, function and path of functions is written once, and then used by number.
//
// Memory: the paths of functions of the rank, and of each thread the stretches since the system was last asked how long
// it had no core.
#pragma once

#include "postproc/export/not_said.hpp"
#include "postproc/export/output_file.hpp"
#include "postproc/export/perfetto_packets.hpp"
#include "postproc/export/place_names.hpp"
#include "postproc/export/protobuf.hpp"
#include "postproc/export/steps.hpp"
#include "postproc/export/thread_counters.hpp"
#include "postproc/profile/samples.hpp"
#include "trace/core_time.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace tactus {

class PerfettoThreads {
  public:
    // `sequence`: the number of the packet sequence, which nothing else has.
    PerfettoThreads(const RankFile& file, const StepClock& clock, const PlaceNames& names, std::uint64_t sequence,
                    OutputFile& out, NotSaid& not_said);

    // Takes the stretches of each thread in their order.
    void stretch(std::uint32_t lane, const Record& record, Words words);
    void finish_stretches();
    // Takes the records of the lane of samples in their order.
    void sampled(const Record& record, Words words);
    [[nodiscard]] std::uint64_t events() const { return events_; }

  private:
    struct Known {
        Ticks from = 0;
        Ticks to = 0;
        CoreTime time;
    };
    struct Thread {
        StretchesInOrder<Known> stretches;
        std::array<std::uint64_t, thread_counters.size()> tracks{}; // by ThreadCounter; 0: not described yet
        std::array<double, thread_counters.size()> shown{};         // the values that the tracks have now
        std::uint64_t end = 0;                                      // of the last stretch that was put
    };
    void put_stretch(std::uint32_t lane, Thread& thread, const Known& known);
    void put_value(std::uint32_t lane, Thread& thread, ThreadCounter which, std::uint64_t time, double value);
    std::uint64_t describe_counter(std::uint32_t lane, ThreadCounter which);
    std::uint64_t thread_of(const Signature& sample);
    std::uint64_t callstack(const Signature& sample, Words words);
    std::uint64_t frame(const Place& place);
    std::uint64_t blocked_frame(const std::string& name);
    std::uint64_t new_frame(const std::string& function, const std::string& module, std::uint64_t offset);
    std::uint64_t mapping(const std::string& module);
    void put_timed(std::uint64_t time, std::uint32_t field, const Protobuf& content);

    const RankFile& file_;
    const StepClock& clock_;
    const PlaceNames& names_;
    PerfettoPackets packets_;
    NotSaid& not_said_;
    std::uint32_t rank_;
    std::map<std::uint32_t, Thread> threads_; // by lane
    std::uint32_t counter_tracks_ = 0;
    SamplePlaces places_;
    std::map<std::int32_t, std::uint64_t> without_lane_; // numbers of threads, by those of the operating system
    std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>, std::uint64_t> callstacks_; // by place, path and
                                                                                                  // frame of a call
    std::unordered_map<const Place*, std::uint64_t> frames_; // places stay where they are
    std::map<std::string, std::uint64_t> blocked_frames_;
    std::map<std::string, std::uint64_t> mappings_;
    std::uint64_t last_frame_ = 0;
    std::uint64_t events_ = 0;
};

} // namespace tactus
