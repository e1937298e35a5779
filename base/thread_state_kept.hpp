// What a thread of the application must not notice after tactus worked in it: errno, the flags, traps and rounding of
// floating-point numbers, and whether the thread can be cancelled. Within the scope no floating-point operation traps,
// and a cancellation waits, because a thread that ended in tactus's code would keep its locks forever.
#pragma once

#include "base/errno_kept.hpp"
#include "processor.hpp"

#include <pthread.h>

namespace tactus {

// For code of which the application's thread could be cancelled in the middle.
class NotCancelled {
  public:
    NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
    NotCancelled(const NotCancelled&) = delete;
    NotCancelled& operator=(const NotCancelled&) = delete;

  private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

// The default environment of floating-point numbers until the scope ends: no traps, and flags that the application does
// not see. hot
class DefaultFloats {
  public:
    DefaultFloats() { processor::set_float_state(processor::default_float_state); }
    ~DefaultFloats() { processor::set_float_state(before_); }
    DefaultFloats(const DefaultFloats&) = delete;
    DefaultFloats& operator=(const DefaultFloats&) = delete;

  private:
    processor::FloatState before_ = processor::float_state();
};

class ThreadStateKept {
  private:
    NotCancelled not_cancelled_;
    DefaultFloats floats_;
    ErrnoKept errno_; // restored first, but the others do not change it
};

} // namespace tactus
