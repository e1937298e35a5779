/* Plans an exchange and executes it. */
#include "exchange.hpp"
#include "alone.hpp"
#include "collectives.hpp"
#include "messages.hpp"
#include "reductions.hpp"
#include "rings.hpp"

#include <algorithm>

Communicator* Exchange::for_messages(bool alone) {
    Communicator& comm = comms.random();
    if (std::ranges::find(reserved, &comm) != reserved.end()) return nullptr;
    if (alone && std::ranges::find(taken, &comm) != taken.end()) return nullptr;
    (alone ? reserved : taken).push_back(&comm);
    return &comm;
}

Communicator* Exchange::for_collective(bool alone) {
    Communicator& comm = comms.random();
    const bool used = std::ranges::find(with_collectives, &comm) != with_collectives.end();
    if (comm.being_copied || (alone && used)) return nullptr;
    with_collectives.push_back(&comm);
    return &comm;
}

namespace {

using Planner = void (*)(Exchange&);

void plan(Exchange& exchange) {
    const std::vector<Planner> planners{
        plan_messages,  plan_messages,  plan_messages, plan_messages, plan_collective, plan_collective, plan_collective,
        plan_reduction, plan_reduction, plan_shift,    plan_halo,     plan_alone,      plan_truncated,  plan_copy};
    exchange.barrier_after_early = here.plan.one_in(3);
    for (int i = here.plan.between(1, 10); i > 0; i--) here.plan.pick(planners)(exchange);
    here.plan.shuffle(exchange.operations);
    for (std::size_t i = 0; i < exchange.operations.size(); i++) exchange.operations[i]->position = static_cast<int>(i);
}

/* The buffer for MPI_Bsend, just large enough. */
class Send_buffer {
  public:
    explicit Send_buffer(const Operations& operations) {
        int bytes = 0;
        for (const auto& operation : operations) bytes += operation->buffered_bytes();
        if (bytes == 0) return;
        memory_.resize(static_cast<std::size_t>(bytes));
        must(MPI_Buffer_attach(memory_.data(), bytes));
    }
    ~Send_buffer() {
        if (memory_.empty()) return;
        void* address = nullptr;
        int bytes = 0;
        must(MPI_Buffer_detach(&address, &bytes));
        require(address == memory_.data() && bytes == static_cast<int>(memory_.size()), "another buffer was detached");
    }

  private:
    std::vector<unsigned char> memory_;
};

} // namespace

void run_exchange(Communicators& comms) {
    Exchange exchange(comms);
    plan(exchange);
    const Send_buffer buffer(exchange.operations);
    Pool pool;
    for (auto& operation : exchange.operations) {
        operation->early(pool);
        if (here.choice.one_in(6)) pool.look();
    }
    if (exchange.barrier_after_early) must(MPI_Barrier(MPI_COMM_WORLD));
    for (auto& operation : exchange.operations) {
        operation->in_place(pool);
        if (here.choice.one_in(4)) pool.look();
        if (here.choice.one_in(6)) pool.wait_for_some(operation->position);
    }
    comms.free_early(exchange.with_collectives);
    pool.finish();
    pool.free_persistent();
    for (auto& operation : exchange.operations) operation->afterwards(comms);
    if (exchange.barrier_at_end) must(MPI_Barrier(MPI_COMM_WORLD));
}
