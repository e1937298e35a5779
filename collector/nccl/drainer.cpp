#include "collector/nccl/drainer.hpp"

#include "base/ticks.hpp"
#include "collector/nccl/kernels.hpp"
#include "collector/nccl/plugin.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <time.h>

namespace tactus::nccl {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr long busy_ns = 5'000'000;   // between two looks; a half-full ring wakes the thread
constexpr long idle_ns = 100'000'000; // the same, when nothing came for a second

// Events are in the order of time. Where a coarse clock gives two the same tick, a start comes before an end, and an
// event comes before those below it.
bool goes_before(const Event& a, const Event& b) {
    if (a.tick != b.tick) return a.tick < b.tick;
    if (a.moment != b.moment) return a.moment < b.moment;
    constexpr std::uint8_t order[16] = {2, 3, 3, 4, 5, 0, 4, 6, 0, 1, 1, 1, 3, 4, 4, 7};
    return order[Token{a.id}.type()] < order[Token{b.id}.type()];
}

} // namespace

Drainer::Drainer(Rings& rings, Assembly& assembly, TraceRows& rows, Anchor (*read_anchor)(), void (*beat)())
    : rings_{rings}, assembly_{assembly}, rows_{rows}, read_anchor_{read_anchor}, beat_{beat} {
    // The first scale is measured over milliseconds. Later ones cover more time and are better.
    first_ = read_anchor_();
    Anchor next = first_;
    while (next.monotonic_ns - first_.monotonic_ns < 2'000'000) next = read_anchor_();
    assembly_.set_scale({next, ns_per_tick(chosen_timer(), first_, next)});
}

bool Drainer::start() {
    constexpr std::size_t stack = 1 << 21; // it is not known how much CUPTI needs
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // inherited: the application's signals never arrive there
    pthread_t thread{};
    has_thread_ = true; // before it runs
    has_thread_ = pthread_create(&thread, &attributes, &Drainer::run, this) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return has_thread_;
}

void* Drainer::run(void* self) {
    cpu_set_t everywhere; // not on the core that NCCL's thread is bound to
    std::memset(&everywhere, 0xff, sizeof everywhere);
    sched_setaffinity(0, sizeof everywhere, &everywhere);
    pthread_setname_np(pthread_self(), "tactus-nccl");
    static_cast<Drainer*>(self)->loop();
    return nullptr;
}

void Drainer::loop() {
    std::int64_t next_second = monotonic_ns() + second_ns;
    std::int64_t last_event = monotonic_ns();
    while (!ending_.load(std::memory_order_acquire)) { // pairs with end()
        const std::int64_t time = monotonic_ns();
        if (drain(false) > 0) last_event = time;
        if (time >= next_second) {
            each_second();
            next_second = time + second_ns;
        }
        rings_.bell().sleep({0, time - last_event > second_ns ? idle_ns : busy_ns});
    }
    drain(true);
    ended_.store(true, std::memory_order_release); // pairs with end()
}

void Drainer::each_second() {
    rings_.take_back([this](unsigned ring) { assembly_.ring_ended(ring); });
    if (with_kernels_) kernels::flush();
    beat_();
}

std::size_t Drainer::find_sources(std::array<Source, most_rings>& sources) {
    std::size_t count = 0;
    std::uint64_t lost = rings_.take_without_ring();
    for (Ring& ring : rings_.all()) {
        lost += ring.take_lost();
        const Source source{&ring, ring.taken(), ring.written()};
        if (source.next != source.end) sources[count++] = source;
    }
    if (lost > 0) rows_.count(Loss::nccl_dropped, lost);
    return count;
}

// Takes events in the order of time. An event for which `waits` is true stays for the next time, as do the later events
// of its ring.
template <class Waits> std::uint64_t Drainer::take_in_order(std::span<Source> sources, Waits waits) {
    constexpr std::uint64_t given_back = 1024; // at a time, so that writers find room soon
    std::uint64_t events = 0;
    for (std::size_t count = sources.size(); count > 0;) {
        Source* first = sources.data();
        for (std::size_t i = 1; i < count; ++i)
            if (goes_before(sources[i].ring->event(sources[i].next), first->ring->event(first->next)))
                first = &sources[i];
        const Event& event = first->ring->event(first->next);
        const bool stays = waits(event);
        if (!stays) {
            assembly_.take(event, first->ring->index());
            ++events;
            if (++first->next % given_back == 0) first->ring->take(first->next);
        }
        if (!stays && first->next != first->end) continue;
        first->ring->take(first->next);
        *first = sources[--count];
    }
    return events;
}

// Takes all events from before this moment, so that an event is known before those below it. Events that are written
// meanwhile wait for the next time. The limit has a margin, because a processor may read its clock somewhat early or
// late.
std::uint64_t Drainer::drain(bool last) {
    constexpr Ticks out_of_turn = 20'000; // some microseconds, by any timer
    if (last && with_kernels_) kernels::end();
    const Anchor anchor = read_anchor_();
    assembly_.set_scale({anchor, ns_per_tick(chosen_timer(), first_, anchor)});
    const Ticks before = last ? ~Ticks{0} : now() - out_of_turn;
    std::array<Source, most_rings> sources;
    const std::size_t count = find_sources(sources);
    const Ticks after = now() + out_of_turn; // later events are of a timer that was set back since; they do not wait
    const std::uint64_t events = take_in_order(std::span{sources}.first(count), [&](const Event& event) {
        return !last && event.tick >= before && event.tick <= after;
    });
    if (with_kernels_) kernels::take(assembly_);
    if (with_kernels_ && last) {
        kernels::let_go();
        rows_.count(Loss::nccl_kernels, assembly_.without_kernel());
    }
    const Ticks until = last ? now() : before;
    if (last)
        assembly_.end(until);
    else
        assembly_.settle(until);
    return events;
}

bool Drainer::end(std::int64_t patience_ns) {
    if (!ending_.exchange(true, std::memory_order_acq_rel)) { // pairs with loop()
        if (!has_thread_) {
            drain(true);
            ended_.store(true, std::memory_order_release);
        }
        rings_.bell().ring();
    }
    const std::int64_t deadline = monotonic_ns() + patience_ns;
    const timespec pause{0, 200'000};
    while (!ended_.load(std::memory_order_acquire)) { // pairs with whoever drained last
        if (monotonic_ns() > deadline) return false;
        nanosleep(&pause, nullptr);
    }
    return true;
}

} // namespace tactus::nccl
