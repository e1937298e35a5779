// The lanes of this process. A thread has one lane, which is made when the thread first needs it and is given to
// another thread when that one ends. Any thread may call this; one lock protects it all.
#pragma once

#include "collector/module_history.hpp"
#include "trace/definitions.hpp"
#include "writer/lane.hpp"
#include "writer/rank_writer.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <string>
#include <vector>

namespace tactus {

class Lanes {
  public:
    Lanes(RankWriter& writer, LossCounters& counters, const Header& header);

    // Gives the calling thread a lane; nullptr when memory is refused, and after stop().
    Lane* acquire();
    // Gives the lane of samples (trace/sample.hpp), which is no thread's.
    Lane* acquire_for_samples();
    void release(Lane& lane); // its thread has ended
    // The number of the lane that a thread of this process has, and one; 0: it has none.
    std::uint32_t lane_of_thread(pid_t thread);
    // Whether the thread of the lane with this number seems to be in a call.
    bool in_call(std::uint32_t number);
    // Whether a thread records nothing now (VT_traceoff).
    bool any_off();
    // Since when the thread of the lane with this number records nothing; 0: it records.
    Ticks off_since(std::uint32_t number);
    // The thread of this lane is about to end, and may never come to release it. The lane is free once the thread is
    // gone.
    void expect_end(Lane& lane);
    // Takes that back, because something else refers to the lane.
    void keep(Lane& lane);
    // Begins the end: lanes whose threads end stay as they are, and nothing is flushed or noted any more. A library
    // that still stores what it knows, such as the NCCL plugin, gets lanes until stop().
    void begin_end() { ending_.store(true); }
    // From now on acquire() gives no lane.
    void stop() { stopped_.store(true); }

    // Called before the rank file of the trace in `directory` is opened. From now on lanes lie in files that survive
    // the process, in the first of `places` that has room. `own` is the calling thread's lane, which moves at once.
    // Returns the place; empty when none has room.
    std::string move_to_files(Lane* own, const std::string& directory, std::vector<std::string> places);
    // The modules that the file names from the start: those that calls may come from now.
    std::vector<Module> first_modules() { return modules_.news(); }
    // Called when the file is open.
    void begin_recording();

    // Called in the background thread. Writes into the lanes that the process is alive, so that after a kill it is
    // known how long a hanging call lasted. Notes modules, too.
    void beat();
    // Writes to the file what the lanes hold now.
    void flush();

    // Adds modules to the file that calls may come from since the last time. Called when one is unloaded, too.
    void note_modules();

    // Called once before the file is closed, after stop(): writes what the lanes hold. `own` is the calling thread's
    // lane. `alone` says that the calls of all other threads have returned and that they make no more, so this thread
    // seals all lanes. Otherwise it reads, from outside, what the others published and the calls they are inside of.
    void save(const Lane* own, bool alone);
    // The modules that calls came from and that the file does not name yet.
    [[nodiscard]] std::vector<Module> further_modules();
    // What all lanes counted, including those that ended. The other fields are left empty.
    [[nodiscard]] Totals totals();
    // Removes the lanes' files, once the trace is complete without them. Their memory stays, because a late thread may
    // still be writing to it.
    void remove_files();

  private:
    // A lane, and whether a thread has it now.
    struct Life {
        std::unique_ptr<Lane> lane;
        bool in_use = false;
        bool end_expected = false;
        std::uint64_t tid = 0; // of the thread that acquired it
    };

    // All of these need the lock.
    Life& life_of(const Lane& lane);
    Life* free_life();
    void end(Life& life);
    Lane* begin(Life& life, std::uint32_t number, std::uint64_t tid);
    bool move_to_file(Lane& lane);
    static bool move_to_file(Lane& lane, const std::string& place);
    void beat_lanes();

    RankWriter& writer_;
    LossCounters& losses_;
    const Header& header_;
    std::atomic<bool> ending_{false};
    std::atomic<bool> stopped_{false};
    ModuleHistory modules_;                            // has its own lock
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER; // of what follows
    std::vector<Life> lives_;
    std::string directory_; // of the trace
    std::vector<std::string> places_;
    bool recording_ = false;          // the file is open
    bool taken_from_outside_ = false; // save() read some lane's last records from outside
    std::int64_t next_try_ns_ = 0;    // when to make a lane again, after memory was refused
    std::uint32_t begun_lives_ = 0;
    Totals past_; // of lives that ended
};

} // namespace tactus
