// Delay: how much earlier a rank would be here without the tracer, in nanoseconds. What the tracer does adds to it; a
// message carries its sender's, and a receiver that waited for it is late by the sender's, not by its own. Pure.
//
// With a receiver that begins to wait at b with delay x, and a message that is there at a with its sender's y: untraced
// it would have begun at b - x, the message would have been there at a - y, and it would have gone on at
// max(b - x, a - y). Traced it goes on at max(b, a). The difference of the two is its delay from then on.
#pragma once

namespace tactus {

// The signed rule: `lateness` is a - b, below zero for a message that was there before it was waited for. It takes
// clocks that agree, and is exact where a message takes as long traced as untraced.
double delay_after_message(double delay, double sender_delay, double lateness);
// The same of several messages that a call waits for, on one clock: it began to at `enter`; the last was there at
// `arrived`, and would have been untraced at `undelayed`, the largest arrival - sender's delay of all.
double delay_after_messages(double delay, double enter, double arrived, double undelayed);

// Without such clocks a receiver knows only how long it waited, which is never below 0. Shende, Malony et al.
// (Euro-Par 2005) take that for the lateness, which is wrong for all messages that were there early: these change
// nothing here.
double delay_after_wait(double delay, double sender_delay, double waited);

// Of everybody in a collective that nobody leaves before the last has come, at `enter` by whichever rank that was; the
// last one untraced came at `undelayed`, the largest enter - delay of all. On one clock.
constexpr double delay_after_collective(double enter, double undelayed) { return enter - undelayed; }

} // namespace tactus
