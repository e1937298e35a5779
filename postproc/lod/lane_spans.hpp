// The spans of a lane, from the last to the first. In this direction the record of a call or region comes before the
// records inside of it, so only what is open needs to be remembered. Used by one thread.
//
// A row of equal calls is a span if at least half of its time was spent inside of them; otherwise it belongs to
// what is around it. Calls that an MPI library makes inside of a call belong to that call. Scopes of VT.h may overlap,
// so they are no spans.
#pragma once

#include "postproc/lod/span.hpp"
#include "trace/rank_file.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace tactus {

// A region, or a call that has other spans inside of it.
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

// Says which records of a rank are spans, and of which function.
class SpanFunctions {
  public:
    static constexpr std::uint32_t none = UINT32_MAX; // the record is no span

    explicit SpanFunctions(const Definitions& definitions);
    // The function of a record's span (see span_function), or `none`.
    [[nodiscard]] std::uint32_t of(const Signature& what) const;
    // Calls `take(enter, leave, function)` for every record that is a span, from the last to the first, until it
    // returns false.
    template <class Take> void each_backward(const TimedBlock& block, const Take& take) const {
        std::vector<std::uint32_t> functions_of_block;
        for (const Signature& what : block.dictionary) functions_of_block.push_back(of(what));
        std::size_t repeated = block.inside.size();
        for (auto record = block.records.rbegin(); record != block.records.rend(); ++record) {
            const std::uint32_t function = functions_of_block[record->signature];
            if (function == none) continue;
            if (repeated > 0 && block.dictionary[record->signature].has(flag::repeated)) [[unlikely]]
                if (block.inside[--repeated] < (record->leave - record->enter) / 2) continue;
            if (!take(record->enter, record->leave, function)) return;
        }
    }

  private:
    std::set<std::uint32_t> scopes_;
};

// Makes spans of records that are added from the last to the first. Calls `take(span)` for each, with global times by
// `clock`, which has at(Ticks).
template <class Clock, class Take> class SpansBackward {
  public:
    SpansBackward(Clock& clock, Take take) : clock_{clock}, take_{take} {}

    // To be called before the records of a block that is not the lane's last. `frames` are those that are open at its
    // end and go on after it.
    void open(const std::vector<Frame>& frames) {
        for (const Frame& frame : frames) open_.push_back({frame, true});
    }
    // Takes a record that is a span.
    void add(Ticks enter, Ticks leave, std::uint32_t function) {
        if (!begun_) begin_at(leave);
        while (!open_.empty() && leave <= around().enter) close();
        // A stretch in which calls were kept out does not enclose a record: it begins where the record leaves.
        if (!open_.empty() && around().function == span_function::not_recorded) {
            around().enter = leave;
            close();
        }
        go_back_to(leave, open_.empty() ? span_function::application : around().function);
        if (!open_.empty()) enter = std::max(enter, around().enter);
        open_.push_back({{std::min(enter, leave), leave, function}});
    }
    // Goes on from `tick`, since nothing after it is wanted. Records that begin after it were left out, and so were
    // records that end inside of one of these.
    void go_on_from(Ticks tick) {
        begin_at(tick);
        while (!open_.empty() && around().enter >= tick) open_.pop_back();
        if (!open_.empty() && around().function == span_function::not_recorded) open_.pop_back();
    }
    // To be called after the first record: closes what is open, so that the lane begins where that record did.
    void finish() {
        while (!open_.empty()) close();
    }
    // Calls `note(frame)` for each open frame that goes on after `tick`, which is the last leave in the block to be
    // read next. A frame is noted only once.
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
        bool noted = false; // note_frames() has noted it, and all frames around it
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
    Ticks tick_ = 0; // `take_` got everything after this tick
    GlobalTime time_ = 0;
};

} // namespace tactus
