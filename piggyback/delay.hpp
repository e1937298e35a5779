// Rules for delays. The delay of a rank is how much earlier it would be at the same point without the tracer, in
// nanoseconds. The tracer's work adds to it. A message carries the delay of its sender, and a receiver that waited for
// the message takes over that delay in place of its own. The functions are pure: any thread may call them.
//
// A receiver begins to wait at b with delay x, and the message arrives at a with its sender's delay y. Without the
// tracer the receiver would have begun at b - x, the message would have arrived at a - y, and the receiver would have
// gone on at max(b - x, a - y). Traced it goes on at max(b, a). The difference is the receiver's delay from then on.
#pragma once

namespace tactus {

// Applies the rule above to one message. `lateness` is a - b, which is negative when the message arrived before the
// receiver waited for it. The rule needs clocks that agree, and it is exact where a message takes as long traced as
// untraced.
double delay_after_message(double delay, double sender_delay, double lateness);
// Applies the same rule to a call that waits for several messages. All times are on one clock. The call began to wait
// at `enter`, and the last message arrived at `arrived`. Untraced it would have arrived at `undelayed`, which is the
// maximum of (arrival - sender's delay) over all messages.
double delay_after_messages(double delay, double enter, double arrived, double undelayed);

// Where clocks do not agree, a receiver knows only how long it waited, which is never negative. Shende, Malony et al.
// (Euro-Par 2005) take the wait for the lateness. That is wrong for every message that arrived early, so here a receive
// without a wait leaves the delay as it is.
double delay_after_wait(double delay, double sender_delay, double waited);

// Returns the delay of every rank after a collective that nobody leaves before the last rank has entered. `enter` is
// when the last rank entered, whichever rank that was. `undelayed` is when the last rank would have entered untraced,
// which is the maximum of (enter - delay) over all ranks. Both are on one clock.
constexpr double delay_after_collective(double enter, double undelayed) { return enter - undelayed; }

} // namespace tactus
