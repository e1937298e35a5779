// Finds waits for late senders that come from a fixed order of receives: while the rank waited for one sender, messages
// of others were there, which it received later at the same place, and each of which it worked on by itself. Scalasca
// calls such a wait "late sender, wrong order, different sources".
//
// What another order could have saved is at most, for each of these messages, the least of: how long it was there
// during the wait, how long the rank computed between the message that it waited for and the next one, and how long it
// computed after this message until it received something again. (Where a rank computes only after it has all messages,
// their order does not matter.) A message of a rank to which this one sent something in between does not count: it may
// not have been ready to take it before.
#pragma once

#include "trace/time_map.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace tactus {

// Of one thread.
class ReceiveOrder {
  public:
    struct Receipt {
        std::uint64_t place = 0; // of the call that received
        std::uint32_t from = 0;  // rank
        GlobalTime enter = 0;    // of the call
        GlobalTime sent = 0;
        GlobalTime computed = 0; // by the thread, until the call
    };
    // Must be called in the order of the thread's events, for each message that it receives.
    void receive(const Receipt& receipt);
    // The same for whatever else the thread takes from others.
    void take_other(GlobalTime computed);
    // The same for each message that it sends. What comes from that rank then may be an answer.
    void send(std::uint32_t to);

    // What another order could have saved, at most, by the place of the receives. To be called once, at the end.
    std::map<std::uint64_t, GlobalTime> take();

  private:
    void see_work(GlobalTime computed);
    void end_wait();

    Receipt waited_; // the last wait for a late sender, as long as what is received can belong to it
    bool waits_ = false;
    bool first_ = false;        // the message that was waited for is the last that was received
    GlobalTime first_work_ = 0; // after that message
    GlobalTime there_ = 0;      // how long the last message was there during the wait
    GlobalTime computed_ = 0;   // until the last message was received
    GlobalTime saved_ = 0;
    std::vector<std::uint32_t> sent_to_; // since the message that was waited for was received
    std::map<std::uint64_t, GlobalTime> by_place_;
};

} // namespace tactus
