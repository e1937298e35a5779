// The spans of a lane, from its last to its first: read that way, what a thread is inside of comes before what happens
// in there, so that nothing but what is open needs to be remembered. One thread.
//
//   A row of unsuccessful tests is one span where more than half of it was inside of them, else it is what is around
//   it. Calls that an MPI library makes inside of a call are part of that; scopes of VT.h, which may overlap, are no
//   spans.
#pragma once

#include "postproc/lod/span.hpp"
#include "trace/rank_file.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace tactus {

// A region, or a call with something inside of it.
struct Frame {
    Ticks enter = 0;
    Ticks leave = 0;
    std::uint32_t function = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("enter", self.enter);
        field("leave", self.leave);
        field("function", self.function);
    }
};

// What spans are made of records by.
class SpanFunctions {
  public:
    static constexpr std::uint32_t none = UINT32_MAX; // it is no span

    explicit SpanFunctions(const Definitions& definitions);
    [[nodiscard]] std::uint32_t of(const Signature& what) const;
    // Calls `take(enter, leave, function)` for every record that is a span, from the last to the first, until it says
    // false.
    template <class Take> void each_backward(const TimedBlock& block, const Take& take) const {
        std::vector<std::uint32_t> functions_of_block;
        for (const Signature& what : block.dictionary) functions_of_block.push_back(of(what));
        std::size_t misses = block.inside.size();
        for (auto record = block.records.rbegin(); record != block.records.rend(); ++record) {
            const std::uint32_t function = functions_of_block[record->signature];
            if (function == none) continue;
            if (misses > 0 && block.dictionary[record->signature].has(flag::misses)) [[unlikely]]
                if (block.inside[--misses] < (record->leave - record->enter) / 2) continue;
            if (!take(record->enter, record->leave, function)) return;
        }
    }

  private:
    std::set<std::uint32_t> scopes_;
};

// `take(span)` is called for each, in global time by `clock`, which has at(Ticks).
template <class Clock, class Take> class SpansBackward {
  public:
    SpansBackward(Clock& clock, Take take) : clock_{clock}, take_{take} {}

    // Before the records of a block that is not the lane's last: what is open at its end, and goes on.
    void open(const std::vector<Frame>& frames) {
        for (const Frame& frame : frames) open_.push_back({frame, true});
    }
    // A record that is a span.
    void add(Ticks enter, Ticks leave, std::uint32_t function) {
        if (!begun_) begin_at(leave);
        while (!open_.empty() && leave <= around().enter) close();
        // A stretch of which nothing was recorded ends where something was.
        if (!open_.empty() && around().function == span_function::not_recorded) {
            around().enter = leave;
            close();
        }
        go_back_to(leave, open_.empty() ? span_function::application : around().function);
        if (!open_.empty()) enter = std::max(enter, around().enter);
        open_.push_back({{std::min(enter, leave), leave, function}});
    }
    // Nothing behind that tick is asked for: records that begin behind it, or reach into one that does, were left out.
    void go_on_from(Ticks tick) {
        begin_at(tick);
        while (!open_.empty() && around().enter >= tick) open_.pop_back();
        if (!open_.empty() && around().function == span_function::not_recorded) open_.pop_back();
    }
    // The lane begins where the first record did.
    void finish() {
        while (!open_.empty()) close();
    }
    // Calls `note(frame)` for each that lies around the record before, which leaves at `tick`, once.
    template <class Note> void note_frames(Ticks tick, const Note& note) {
        for (auto open = open_.rbegin(); open != open_.rend() && !open->noted; ++open)
            if (open->frame.enter < tick && open->frame.function != span_function::not_recorded) {
                note(open->frame);
                open->noted = true;
            }
    }

  private:
    struct Open {
        Frame frame;
        bool noted = false; // and so are those around it
    };

    Frame& around() { return open_.back().frame; }
    void begin_at(Ticks tick) {
        begun_ = true;
        tick_ = tick;
        time_ = within_reach(clock_.at(tick));
    }
    void close() {
        go_back_to(around().enter, around().function);
        open_.pop_back();
    }
    void go_back_to(Ticks tick, std::uint32_t function) {
        if (tick >= tick_) return;
        const GlobalTime time = std::min(within_reach(clock_.at(tick)), time_);
        if (time < time_) take_(Span{time, time_, function});
        tick_ = tick;
        time_ = time;
    }

    Clock& clock_;
    Take take_;
    std::vector<Open> open_; // the outermost first
    bool begun_ = false;
    Ticks tick_ = 0; // all behind it was taken
    GlobalTime time_ = 0;
};

} // namespace tactus
