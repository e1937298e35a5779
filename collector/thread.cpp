#include "collector/thread.hpp"

#include "base/errno_kept.hpp"
#include "base/locked.hpp"
#include "collector/call.hpp"
#include "collector/selection.hpp"
#include "collector/session.hpp"
#include "collector/vt/threads.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/message_buffer.hpp"

#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus {

thread_local constinit Thread thread;

namespace {

pthread_key_t thread_end_key;

void end_of_thread(void*) {
    end_vt_thread();
    if (thread.lane != nullptr) give_up_open_calls(*thread.lane); // it was ended inside one
    ++thread.depth; // whatever still calls MPI in this thread is not recorded
    Lane* const lane = thread.lane;
    thread.lane = nullptr;
    if (lane != nullptr && session != nullptr) session->release_lane(*lane);
    free_spare_message_buffers();
    operator delete(thread.scratch);
    thread.scratch = nullptr;
    thread.scratch_size = 0;
}

} // namespace

// The child of a fork has our memory but none of our threads, files or lanes (they are MADV_DONTFORK).
void at_fork_in_child() {
    step_aside();
    thread.lane = nullptr;
    thread.open = nullptr; // the fork may have been made in a callback
    thread.nesting = 0;
    if (session != nullptr) session->recording_ = false;
    session = nullptr;
}

Session::Session() : writer{losses, 0}, options{Options::read(environ)} {
    choose_timer(options.timer());
    if (const std::string& wrong = options.text(Option::test_clock); !wrong.empty())
        header.test_clock = use_test_clock(wrong);
    pthread_key_create(&thread_end_key, end_of_thread);
    pthread_atfork(nullptr, nullptr, at_fork_in_child);
    lanes_.reserve(64);
    header.start = read_anchor(); // before the first record
}

Lane* Session::acquire_lane() {
    if (!recording()) return nullptr;
    const Locked hold{lanes_lock_};
    if (!recording()) return nullptr;
    Life* life = nullptr;
    for (Life& old : lanes_)
        if (!old.in_use) life = &old;
    if (life == nullptr && monotonic_ns() >= next_try_ns_) {
        constexpr std::int64_t second_ns = 1'000'000'000; // the application needs what little there is
        auto lane = Lane::make(writer);
        next_try_ns_ = lane == nullptr ? monotonic_ns() + second_ns : 0;
        if (lane != nullptr) life = &lanes_.emplace_back(Life{std::move(lane), false});
    }
    Lane* lane = nullptr;
    if (life != nullptr) {
        life->in_use = true;
        lane = life->lane.get();
        lane->set_job(header.job, header.rank, directory);
        lane->begin_life(lives_++, header.rank, static_cast<std::uint64_t>(syscall(SYS_gettid)));
        if (started_ && !lane->is_protected() && !protect(*lane)) {
            losses.add(Loss::lane_unprotected);
            beat_lanes();
        }
    }
    return lane;
}

void Session::release_lane(Lane& lane) {
    const Locked hold{lanes_lock_};
    if (closed_.load()) return;
    lane.end_life();
    past_calls_ += lane.calls();
    past_records_ += lane.records();
    past_sealing_ += lane.sealing_ticks();
    past_stalled_ += lane.stalled_ticks();
    past_test_overhead_ += lane.test_overhead();
    for (std::size_t i = 0; i < delay_bases; ++i) past_delays_[i] += lane.delays(i);
    for (Life& life : lanes_)
        if (life.lane.get() == &lane) life.in_use = false;
}

Lane* lane_of_this_thread() {
    if (session == nullptr) return nullptr;
    const ErrnoKept kept;
    Lane* const lane = session->acquire_lane();
    if (lane == nullptr && session->recording())
        session->losses.add(Loss::no_memory); // this call; the next tries again
    thread.lane = lane;
    thread.off = starts_off();
    begin_delays_of_thread();
    if (lane != nullptr) pthread_setspecific(thread_end_key, lane); // so that end_of_thread is called
    return lane;
}

} // namespace tactus
