// What the threads of a rank were doing when the tracer looked (trace/sample.hpp): the function of the program that
// each sample is in. Pure.
//
// A sample lies in a path of functions. What is shown is the innermost function of the program's own files, not one of
// a library of the system, of the compiler, or of an MPI. A sample in a function that an MPI was called from is in MPI,
// and says nothing about the program.
#pragma once

#include "postproc/profile/places.hpp"
#include "postproc/profile/window.hpp"
#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tactus {

// What a thread was doing, as far as samples tell.
struct SampledPlace {
    Place place;            // in the function; unknown if the whole path lies outside of the program's own files
    Place called;           // in the function of a library that this place called, if the thread was blocked there
    std::int32_t call = -1; // the system call that it was blocked in, or a number of trace/sample.hpp
    std::string file;       // that the system call was about
    auto operator<=>(const SampledPlace&) const = default;
};

struct TimedSample {
    Ticks at = 0;
    std::uint32_t place = 0; // in RankSamples::places
};

// A thread as samples saw it outside of MPI.
struct SampledThread {
    std::int32_t number = 0;                       // in the operating system
    std::map<std::uint32_t, std::uint64_t> counts; // of samples, by number of place
};

// Samples that each stand for some time.
struct SampleSum {
    std::uint64_t samples = 0;
    double seconds = 0;
    double squares = 0; // of the seconds of each
    void add(double time_s) {
        ++samples;
        seconds += time_s;
        squares += time_s * time_s;
    }
    void add(const SampleSum& other) {
        samples += other.samples;
        seconds += other.seconds;
        squares += other.squares;
    }
    // How many samples of equal time would say as much (Kish, Survey sampling, 1965).
    [[nodiscard]] double effective() const { return squares > 0 ? seconds * seconds / squares : 0; }
};

// Callers of calls at one place, as far as samples of calls tell.
struct CallPath {
    Place place;                // of the calls
    std::vector<Place> callers; // of the function that makes them, innermost first
    bool complete = true;       // false: not all callers are known
    SampleSum before = {};      // of the time before the calls,
    SampleSum inside = {};      // and in them
};

struct RankSamples {
    std::vector<SampledPlace> places;
    std::vector<TimedSample> first_thread; // outside of MPI, of the thread that called MPI_Init, by time; of very many
                                           // each second one is left out
    std::vector<SampledThread> threads;    // by number
    std::vector<CallPath> calls;           // of all threads, by address and path
    double period_s = 0;                   // time on a core between two samples of a thread
    // How much time a sample stands for: on a core, or blocked.
    [[nodiscard]] double seconds_of(std::uint32_t place) const;
};

// Whether a place is in a library of the system, of a compiler, of an MPI or of an interpreter, by the file's name.
bool is_of_system(const Place& place);
bool is_library_of_mpi(std::string_view path);

// The places and paths of functions that the samples of a rank are in. It takes their definitions, which come before
// the samples.
class SamplePlaces {
  public:
    // `modules` of the rank must stay.
    explicit SamplePlaces(const std::vector<Module>& modules) : modules_{modules} {}
    // Takes a definition; other records are passed over.
    void add(const Record& record, Words words);
    const Place& at(std::uint64_t place);
    // Calls `take` with each function of a path, the innermost first, until it returns false.
    template <class Take> void each_caller(std::uint32_t path, Take&& take) {
        auto known = paths_.find(path);
        for (int frames = 0; frames < most_frames && known != paths_.end() && take(at(known->second.place)); ++frames)
            known = paths_.find(known->second.callers);
    }

  private:
    static constexpr int most_frames = 256; // more than a collector stores
    void define_script(const Signature& what, Words words);
    struct Path {
        std::uint32_t callers = 0; // a lower number
        std::uint64_t place = 0;
    };
    const std::vector<Module>& modules_;
    std::unordered_map<std::uint32_t, Path> paths_; // by number
    std::unordered_map<std::uint64_t, Place> places_;
};

// Takes the records of the lane of samples of a rank.
class SampleTally {
  public:
    // `first_thread`: the number of the lane of the thread that called MPI_Init.
    SampleTally(const RankFile& file, const TickWindow& window, std::uint32_t first_thread);
    void add(const Record& record, Words words);
    [[nodiscard]] RankSamples take();

  private:
    struct Innermost {
        Place place;
        Place called;
        bool in_mpi = false;
    };
    Innermost innermost(const Place& at, std::uint32_t path);
    void add_call(const Record& record);
    [[nodiscard]] std::vector<CallPath> calls();

    const RankFile& file_;
    TickWindow window_;
    std::uint32_t first_thread_;
    SamplePlaces places_;
    struct CallSum {
        SampleSum before;
        SampleSum inside;
    };
    struct CallKey {
        std::uint64_t place = 0;
        std::uint32_t path = 0;
        bool complete = true;
        auto operator<=>(const CallKey&) const = default;
    };
    std::map<CallKey, CallSum> calls_;
    std::map<SampledPlace, std::uint32_t> numbers_;
    std::map<std::int32_t, SampledThread> threads_;
    RankSamples samples_;
    std::uint64_t stride_ = 1; // of the samples of the first thread, one in so many is kept
    std::uint64_t of_first_ = 0;
};

// The samples of one thread by global time.
class SamplesInTime {
  public:
    SamplesInTime() = default;
    SamplesInTime(const RankSamples& samples, const ProcessClock& clock);
    // The numbers of the samples between two instants.
    [[nodiscard]] std::pair<std::size_t, std::size_t> range(GlobalTime from, GlobalTime to) const;
    // How much time the samples of a range stand for.
    [[nodiscard]] double seconds(std::size_t begin, std::size_t end) const { return before_[end] - before_[begin]; }
    [[nodiscard]] std::uint32_t place(std::size_t sample) const { return places_[sample]; }

  private:
    std::vector<GlobalTime> times_;
    std::vector<std::uint32_t> places_;
    std::vector<double> before_ = {0}; // seconds that all samples before stand for
};

// The interval in which the true share lies in 95 of 100 cases, when `count` of `all` samples have a property (Wilson,
// Probable inference, JASA 1927).
struct ShareInterval {
    double low = 0;
    double high = 1;
};
ShareInterval share_interval(double share, double samples);
constexpr double fewest_samples = 8; // to name something by
constexpr double nearly_all = 0.9;   // a share that is not told: it is all, but for what chance may do
// The interval of the largest share, if it is certainly larger than the next one.
std::optional<ShareInterval> standing_out(double share, double next_share, double samples);

} // namespace tactus
