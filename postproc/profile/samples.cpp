#include "postproc/profile/samples.hpp"

#include "trace/sample.hpp"
#include "trace/symbols.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tactus {
namespace {

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// "libc" of "libc.so.6" and "libc-2.31.so".
std::string_view stem_of(std::string_view path) {
    const std::string_view name = name_in(path);
    return name.substr(0, name.find_first_of(".-", 1));
}

constexpr std::size_t most_samples_kept = 1 << 16; // samples of a thread
constexpr double usual_period_s = 0.01;

} // namespace

bool is_library_of_mpi(std::string_view path) {
    constexpr auto begins = std::to_array<std::string_view>(
        {"libmpi", "libmpich", "libopen-", "libopal", "libucs", "libuct", "libucp", "libucm", "libfabric", "libpsm",
         "libpmix", "libhwloc", "libevent", "libtactus", "mca_", "libhcoll", "libibverbs", "libmlx5", "librdmacm"});
    const std::string_view name = name_in(path);
    return std::ranges::any_of(begins, [&](std::string_view begin) { return name.starts_with(begin); });
}

namespace {

// An interpreter's own functions say nothing of the program that it runs.
bool is_system_library(std::string_view path) {
    constexpr auto names = std::to_array<std::string_view>(
        {"libc",   "libm",     "libmvec",  "libpthread", "libdl",       "librt",       "libutil",
         "ld",     "linux",    "libgcc_s", "libstdc++",  "libgfortran", "libquadmath", "libgomp",
         "libomp", "libiomp5", "libz",     "libzstd",    "libnuma",     "python3",     "libpython3"});
    return std::ranges::find(names, stem_of(path)) != names.end() || is_library_of_mpi(path);
}

// Python's own library, and packages whose functions say nothing of the program that calls them.
bool is_of_python(std::string_view path) {
    if (path.starts_with("<frozen ")) return true;
    constexpr auto packages = std::to_array<std::string_view>(
        {"mpi4py",          "numpy",        "scipy",      "numba",  "llvmlite",   "pandas", "h5py",
         "netCDF4",         "torch",        "jax",        "jaxlib", "tensorflow", "cupy",   "dask",
         "distributed",     "sklearn",      "matplotlib", "joblib", "zarr",       "xarray", "setuptools",
         "_distutils_hack", "pkg_resources"});
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
        if (const std::size_t at = path.find(folder); at != path.npos) {
            const std::string_view rest = path.substr(at + folder.size());
            return std::ranges::find(packages, rest.substr(0, rest.find_first_of("/."))) !=
                   packages.end(); // numpy.libs
        }
    return path.find("/lib/python3") != path.npos || path.find("/lib64/python3") != path.npos;
}

} // namespace

bool is_of_system(const Place& place) {
    return is_of_python(place.module) || (place.function.empty() && is_system_library(place.module));
}

double RankSamples::seconds_of(std::uint32_t place) const {
    return places[place].call == sampled::on_core ? period_s : sampled::between_looks_s;
}

SampleTally::SampleTally(const RankFile& file, const TickWindow& window, std::uint32_t first_thread)
    : file_{file}, window_{window}, first_thread_{first_thread}, places_{file.definitions().modules} {
    const std::vector<Sampling>& known = file.definitions().sampling;
    // A file that was never closed does not say it.
    samples_.period_s = known.empty() ? usual_period_s : 1e-9 * static_cast<double>(known.back().period_ns);
}

const Place& SamplePlaces::at(std::uint64_t place) {
    const auto [known, fresh] = places_.try_emplace(place);
    if (fresh) known->second = place_of(place, modules_);
    return known->second;
}

void SamplePlaces::add(const Record& record, Words words) {
    const Signature& what = record.what;
    if (what.kind == Kind::path && what.bytes < what.comm)
        paths_[what.comm] = {.callers = static_cast<std::uint32_t>(what.bytes), .place = what.place};
    if (what.kind == Kind::script) define_script(what, words);
}

// A place in a program that an interpreter runs.
void SamplePlaces::define_script(const Signature& what, Words words) {
    std::string file = text_in(words, what.bytes);
    const std::size_t size = std::min<std::size_t>(what.comm, file.size()); // of the function's name
    std::string function = file.substr(0, size);
    file.erase(0, size);
    if (what.place < sampled::script_places || what.tag < 0 || function.empty() || file.empty()) return;
    places_[what.place] = {
        .module = file, .build_id = {}, .offset = static_cast<std::uint64_t>(what.tag), .function = function};
}

// The innermost place in the program's own files, and whether the path leads through an MPI.
SampleTally::Innermost SampleTally::innermost(const Place& at, std::uint32_t path) {
    Innermost in;
    const auto goes_on = [&](const Place& place) {
        in.in_mpi = place.function.empty() && is_library_of_mpi(place.module);
        if (in.in_mpi) return false;
        if (!place.module.empty() && !is_of_system(place)) {
            in.place = place;
            return false;
        }
        in.called = place;
        return true;
    };
    if (goes_on(at)) places_.each_caller(path, goes_on);
    return in.in_mpi ? Innermost{.place = {}, .called = {}, .in_mpi = true} : in;
}

// Paths are defined before the samples and paths that they are in.
void SampleTally::add(const Record& record, Words words) {
    const Signature& what = record.what;
    places_.add(record, words);
    if (what.kind != Kind::sample || !window_.holds(record.enter)) return;
    if (sampled::is_of_call(what.peer)) return add_call(record);
    const Innermost in = innermost(places_.at(what.place), what.comm);
    // Of a path that breaks off outside of the program it is not known whether it leads through an MPI.
    if (in.in_mpi || (in.place == Place{} && what.has(flag::unfinished))) return;
    const bool blocked = !sampled::is_on_core(what.peer);
    const auto [number, fresh] = numbers_.try_emplace({.place = in.place,
                                                       .called = blocked ? in.called : Place{},
                                                       .call = what.peer,
                                                       .file = text_in(words, what.bytes)},
                                                      static_cast<std::uint32_t>(samples_.places.size()));
    if (fresh) samples_.places.push_back(number->first);
    ++threads_[what.tag].counts[number->second];
    if (what.type != first_thread_ + 1 || of_first_++ % stride_ != 0) return;
    std::vector<TimedSample>& kept = samples_.first_thread;
    kept.push_back({record.enter, number->second});
    if (kept.size() < most_samples_kept) return;
    for (std::size_t i = 0; i < kept.size() / 2; ++i) kept[i] = kept[2 * i];
    kept.resize(kept.size() / 2);
    stride_ *= 2;
}

void SampleTally::add_call(const Record& record) {
    const Signature& what = record.what;
    CallSum& sum = calls_[{what.place, what.comm, !what.has(flag::unfinished)}];
    (what.peer == sampled::call_begins ? sum.before : sum.inside).add(file_.seconds(what.bytes));
}

std::vector<CallPath> SampleTally::calls() {
    std::vector<CallPath> all;
    for (const auto& [key, sum] : calls_) {
        CallPath& path = all.emplace_back(CallPath{.place = places_.at(key.place),
                                                   .callers = {},
                                                   .complete = key.complete,
                                                   .before = sum.before,
                                                   .inside = sum.inside});
        places_.each_caller(key.path, [&](const Place& place) {
            path.callers.push_back(place);
            return true;
        });
    }
    return all;
}

RankSamples SampleTally::take() {
    samples_.calls = calls();
    std::ranges::stable_sort(samples_.first_thread, {}, &TimedSample::at);
    for (auto& [number, thread] : threads_) {
        thread.number = number;
        samples_.threads.push_back(std::move(thread));
    }
    return std::move(samples_);
}

SamplesInTime::SamplesInTime(const RankSamples& samples, const ProcessClock& clock) {
    ClockCursor cursor{clock};
    for (const TimedSample& sample : samples.first_thread) {
        times_.push_back(within_reach(cursor.at(sample.at)));
        places_.push_back(sample.place);
        before_.push_back(before_.back() + samples.seconds_of(sample.place));
    }
}

std::pair<std::size_t, std::size_t> SamplesInTime::range(GlobalTime from, GlobalTime to) const {
    const auto begin = std::ranges::lower_bound(times_, from);
    const auto end = std::ranges::lower_bound(times_, std::max(from, to));
    return {static_cast<std::size_t>(begin - times_.begin()), static_cast<std::size_t>(end - times_.begin())};
}

ShareInterval share_interval(double share, double samples) {
    if (samples <= 0) return {};
    constexpr double z = 1.96;
    const double extra = z * z / samples;
    const double middle = share + extra / 2;
    const double half = z * std::sqrt(share * (1 - share) / samples + extra / (4 * samples));
    return {std::max(0.0, (middle - half) / (1 + extra)), std::min(1.0, (middle + half) / (1 + extra))};
}

std::optional<ShareInterval> standing_out(double share, double next_share, double samples) {
    const ShareInterval interval = share_interval(share, samples);
    if (next_share > 0 && share_interval(next_share, samples).high >= interval.low) return {};
    return interval;
}

} // namespace tactus
