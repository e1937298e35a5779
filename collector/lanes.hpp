// The lanes of this process: one a thread, made when the thread first needs it, given to another thread when it ends.
// Any thread; one lock.
#pragma once

#include "collector/modules.hpp"
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

    // For the calling thread; nullptr when memory is refused, or after stop().
    Lane* acquire();
    void release(Lane& lane); // its thread has ended
    // The end begins: lanes whose threads end stay as they are, and nothing is flushed or noted any more. Whoever still
    // stores what is known, such as the NCCL plugin, gets lanes for it until stop().
    void begin_end() { ending_.store(true); }
    // From now on there is no lane for anybody who asks.
    void stop() { stopped_.store(true); }

    // Before the rank file of a trace in `directory` is opened: lanes are to lie in files that survive the process, in
    // the first of these places that has room. `own`: the calling thread's, which moves now. Gives the place; empty:
    // there is none.
    std::string move_to_files(Lane* own, const std::string& directory, std::vector<std::string> places);
    // The modules that the file is to name from the start: those that calls may come from now.
    std::vector<Module> first_modules();
    // The file is open.
    void begin_recording();

    // In the background thread. Says in the lanes that the process lives, so that the end of a hanging call is known
    // after a kill, and in the file, which modules calls may come from since the last time.
    void beat();
    // What the lanes hold now is in the file on return.
    void flush();

    // Before the file is closed, once, after stop(). `own`: the calling thread's. `alone`: every other thread's calls
    // have returned, and it makes no more, so all lanes are sealed from here. If not, what the others published and the
    // call they are inside of is taken from outside.
    void save(const Lane* own, bool alone);
    // The modules that calls came from and that the file does not name yet.
    [[nodiscard]] std::vector<Module> further_modules();
    // What was counted by all lanes, those that ended included; nothing else is filled in.
    [[nodiscard]] Totals totals();
    // The trace is complete without the lanes: removes their files. Their memory stays, for a late thread may still be
    // writing to it.
    void remove_files();

  private:
    struct Life {
        std::unique_ptr<Lane> lane;
        bool in_use = false;
    };

    // All with the lock.
    Life* free_life();
    bool move_to_file(Lane& lane);
    static bool move_to_file(Lane& lane, const std::string& place);
    void beat_lanes();
    void note_new_modules();

    RankWriter& writer_;
    LossCounters& losses_;
    const Header& header_;
    std::atomic<bool> ending_{false};
    std::atomic<bool> stopped_{false};
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER; // of what follows
    std::vector<Life> lives_;
    std::string directory_; // of the trace
    std::vector<std::string> places_;
    bool recording_ = false;           // the file is open
    bool taken_from_outside_ = false;  // some lane's last records, when they were saved
    std::int64_t next_try_ns_ = 0;     // for a lane, after memory was refused
    std::uint64_t module_changes_ = 0; // when it was last looked at
    std::vector<Module> modules_;      // that the file names
    std::uint32_t begun_lives_ = 0;
    Totals past_; // of lives that ended
};

} // namespace tactus
