// A proxy operation in progress. The progress thread looks at it again and again, and each look may advance it.
#pragma once

#include "proxy_work.hpp"

namespace tactus::fake_nccl {

class Library;

class ActiveOp {
  public:
    ActiveOp(const ProxyWork& work, ProxyCells* cells) : work_(work), cells_(cells) {}

    void append(Library& library);                   // called when it enters the active list: ProxyOp starts
    [[nodiscard]] bool advance(Library& library);    // one look; returns true when the operation is done
    [[nodiscard]] std::int64_t next_look_ns() const; // host time before which nothing will be seen
    [[nodiscard]] const ProxyWork& work() const { return work_; }
    [[nodiscard]] ProxyCells* cells() const { return cells_; }

  private:
    [[nodiscard]] bool advance_kernel(Library& library);
    [[nodiscard]] bool advance_network(Library& library);
    void start_kernel(Library& library, std::int64_t now_ns);
    void stop_kernel(Library& library, std::int64_t now_ns);
    [[nodiscard]] CommState::Work stamps_at(std::int64_t now_ns, bool by_stop) const;
    [[nodiscard]] Stamp stamp_of(std::int64_t host_ns) const;

    void begin_step(Library& library);
    void middle_step(Library& library);
    void send_step(Library& library);
    [[nodiscard]] bool end_step(Library& library);
    void begin_transfer(Library& library, ProxyCells::Step& step, int number);
    void end_transfer(Library& library, ProxyCells::Step& step);
    void op_state(Library& library, int of_send, int of_recv, int steps) const;
    void count_if_late() const;
    [[nodiscard]] std::int64_t delay_ns() const { return work_.poll_delay_ns; }
    [[nodiscard]] ProxyCells::Step& step_of(int number) const;

    ProxyWork work_;
    ProxyCells* cells_;
    bool started_ = false;
    int begun_ = 0, ready_ = 0, sent_ = 0, done_ = 0; // numbers of steps
};

} // namespace tactus::fake_nccl
