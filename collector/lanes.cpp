#include "collector/lanes.hpp"

#include "base/locked.hpp"
#include "writer/rescue.hpp"

#include "trace/sample.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace tactus {
namespace {

bool is_gone(std::uint64_t tid) { return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH; }

void add_counts(const Lane& lane, Totals& totals) {
    totals.calls += lane.calls();
    totals.records += lane.records();
    totals.sealing += lane.sealing_ticks();
    totals.stalled += lane.stalled_ticks();
    totals.reading += lane.reading_ticks();
    totals.test_overhead += lane.test_overhead();
    totals.delays.resize(delay_bases);
    for (std::size_t i = 0; i < delay_bases; ++i) totals.delays[i] += lane.delays(i);
}

} // namespace

Lanes::Lanes(RankWriter& writer, LossCounters& counters, const Header& header)
    : writer_{writer}, losses_{counters}, header_{header} {
    constexpr std::size_t usual = 64;
    lives_.reserve(usual);
}

Lanes::Life& Lanes::life_of(const Lane& lane) {
    return *std::find_if(lives_.begin(), lives_.end(), [&](const Life& life) { return life.lane.get() == &lane; });
}

Lanes::Life* Lanes::free_life() {
    for (Life& life : lives_) {
        if (life.end_expected && !ending_ && is_gone(life.tid)) end(life);
        if (!life.in_use) return &life;
    }
    if (monotonic_ns() < next_try_ns_) return nullptr;
    constexpr std::int64_t second_ns = 1'000'000'000; // the application needs the little memory there is
    auto lane = Lane::make(writer_);
    next_try_ns_ = lane == nullptr ? monotonic_ns() + second_ns : 0;
    return lane != nullptr ? &lives_.emplace_back(Life{.lane = std::move(lane)}) : nullptr;
}

Lane* Lanes::acquire() {
    if (stopped_) return nullptr;
    const Locked hold{lock_};
    Life* const life = stopped_ ? nullptr : free_life();
    return life != nullptr ? begin(*life, begun_lives_++, static_cast<std::uint64_t>(syscall(SYS_gettid))) : nullptr;
}

Lane* Lanes::acquire_for_samples() {
    const Locked hold{lock_};
    Life* const life = stopped_ ? nullptr : free_life();
    return life != nullptr ? begin(*life, sampled::lane, 0) : nullptr;
}

Lane* Lanes::begin(Life& life, std::uint32_t number, std::uint64_t tid) {
    life.in_use = true;
    life.tid = tid;
    Lane* const lane = life.lane.get();
    lane->set_job(header_.job, header_.rank, directory_);
    lane->begin_life(number, header_.rank, life.tid);
    if (recording_ && !lane->is_protected() && !move_to_file(*lane)) {
        losses_.add(Loss::lane_unprotected);
        beat_lanes();
    }
    return lane;
}

std::uint32_t Lanes::lane_of_thread(pid_t thread) {
    const Locked hold{lock_};
    for (const Life& life : lives_)
        if (life.in_use && life.tid == static_cast<std::uint64_t>(thread)) return life.lane->number() + 1;
    return 0;
}

bool Lanes::in_call(std::uint32_t number) {
    const Locked hold{lock_};
    return std::ranges::any_of(
        lives_, [&](const Life& life) { return life.in_use && life.lane->number() == number && life.lane->in_call(); });
}

bool Lanes::any_off() {
    const Locked hold{lock_};
    return std::ranges::any_of(lives_, [](const Life& life) { return life.in_use && life.lane->off_since() != 0; });
}

Ticks Lanes::off_since(std::uint32_t number) {
    const Locked hold{lock_};
    for (const Life& life : lives_)
        if (life.in_use && life.lane->number() == number) return life.lane->off_since();
    return 0;
}

void Lanes::release(Lane& lane) {
    const Locked hold{lock_};
    if (!ending_) end(life_of(lane));
}

void Lanes::end(Life& life) {
    life.lane->end_life();
    add_counts(*life.lane, past_);
    life.in_use = life.end_expected = false;
}

void Lanes::expect_end(Lane& lane) {
    const Locked hold{lock_};
    life_of(lane).end_expected = true;
}

void Lanes::keep(Lane& lane) {
    const Locked hold{lock_};
    life_of(lane).end_expected = false;
}

std::string Lanes::move_to_files(Lane* own, const std::string& directory, std::vector<std::string> places) {
    const Locked hold{lock_};
    directory_ = directory;
    places_ = std::move(places);
    for (Life& life : lives_) life.lane->set_job(header_.job, header_.rank, directory_);
    for (const std::string& place : places_)
        if (own != nullptr && move_to_file(*own, place)) return place;
    losses_.add(Loss::lane_unprotected);
    return {};
}

bool Lanes::move_to_file(Lane& lane, const std::string& place) {
    if (mkdir(place.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (lane.protect(place)) return true;
    rmdir(place.c_str());
    return false;
}

bool Lanes::move_to_file(Lane& lane) {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const std::string& place) { return move_to_file(lane, place); });
}

void Lanes::begin_recording() {
    const Locked hold{lock_};
    recording_ = true;
}

void Lanes::beat_lanes() {
    const auto in_memory = [](const Life& life) { return life.in_use && !life.lane->is_protected(); };
    const auto unprotected = std::count_if(lives_.begin(), lives_.end(), in_memory);
    for (Life& life : lives_) life.lane->beat(now(), static_cast<std::uint64_t>(unprotected));
}

// New modules are written at once, because a process that is killed writes nothing at its end.
void Lanes::note_modules() {
    if (ending_) return;
    Definitions fresh;
    fresh.modules = modules_.news();
    if (!fresh.modules.empty()) writer_.add_definitions(fresh);
}

void Lanes::beat() {
    if (pthread_mutex_trylock(&lock_) != 0) return;
    beat_lanes();
    const bool recording = recording_;
    pthread_mutex_unlock(&lock_);
    if (recording) note_modules();
}

void Lanes::flush() {
    writer_.drain();
    const Locked hold{lock_};
    if (ending_) return;
    Rescue rescue{writer_};
    for (Life& life : lives_) {
        if (!life.in_use) continue;
        if (const auto lane = life.lane->contents()) rescue.save(*lane, {});
    }
}

void Lanes::save(const Lane* own, bool alone) {
    const Locked hold{lock_};
    for (Life& life : lives_)
        if (life.in_use && (alone || life.lane.get() == own)) life.lane->seal();
    if (alone) return;
    writer_.drain();
    Rescue rescue{writer_};
    for (Life& life : lives_) {
        if (!life.in_use || life.lane.get() == own) continue;
        taken_from_outside_ = true;
        const auto lane = life.lane->contents();
        const Rescued saved = lane ? rescue.save(*lane, now()) : Rescued{.complete = false};
        if (!saved.complete) losses_.add(Loss::late_thread);
        past_.calls += saved.calls;
        past_.records += saved.records;
    }
}

// These are all modules when a lane was read from outside, because then it is not known where its calls came from.
std::vector<Module> Lanes::further_modules() {
    std::vector<Module> further = modules_.others();
    const Locked hold{lock_};
    std::erase_if(further, [&](const Module& module) {
        const auto touched = [&](const Life& life) { return life.lane->pages().touch(module.begin, module.end); };
        return !taken_from_outside_ && std::none_of(lives_.begin(), lives_.end(), touched);
    });
    return further;
}

Totals Lanes::totals() {
    const Locked hold{lock_};
    Totals totals = past_;
    totals.lanes = begun_lives_;
    for (const Life& life : lives_)
        if (life.in_use) add_counts(*life.lane, totals);
    const auto counted = [](std::uint64_t count) { return count > 0; };
    if (std::none_of(totals.delays.begin(), totals.delays.end(), counted)) totals.delays.clear();
    return totals;
}

void Lanes::remove_files() {
    const Locked hold{lock_};
    for (Life& life : lives_) life.lane->unprotect();
    for (const std::string& place : places_)
        rmdir(place.c_str()); // succeeds for the last rank of the host that leaves it empty
}

} // namespace tactus
