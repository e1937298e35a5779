/* Puts collective calls into an exchange. Early calls are non-blocking; calls at their position may be either. */
#include "collectives.hpp"
#include "transfer.hpp"

namespace {

class Moving : public Operation {
  public:
    Moving(Collective_plan plan, bool early, bool nonblocking)
        : plan_(plan), early_(early), nonblocking_(nonblocking) {}

    void early(Pool& pool) override {
        if (early_ && plan_.comm->has(here.rank)) start(pool);
    }

    void in_place(Pool& pool) override {
        if (early_ || !plan_.comm->has(here.rank)) return;
        if (nonblocking_) return start(pool);
        Transfer transfer(plan_);
        transfer.call(nullptr);
        transfer.check();
    }

  private:
    void start(Pool& pool) {
        auto transfer = std::make_shared<Transfer>(plan_);
        MPI_Request request;
        transfer->call(&request);
        pool.add({request, [transfer](const MPI_Status*) { transfer->check(); }, position});
    }

    Collective_plan plan_;
    bool early_, nonblocking_;
};

class Copying : public Operation {
  public:
    explicit Copying(Communicator& parent) : parent_(parent), copy_(copy_of(parent)) { parent.being_copied = true; }

    void in_place(Pool& pool) override {
        if (!parent_.has(here.rank)) return;
        MPI_Request request;
        must(MPI_Comm_idup(parent_.handle, &copy_->handle, &request));
        pool.add({request, [](const MPI_Status*) {}, position});
        pool.finish_last(); // MPICH sometimes hangs when other collective calls are made before it completes
    }

    void afterwards(Communicators& comms) override {
        parent_.being_copied = false;
        comms.add(std::move(copy_));
    }

  private:
    Communicator& parent_;
    std::unique_ptr<Communicator> copy_;
};

} // namespace

/* Each other collective fails in at least one MPI: MPICH's MPI_Ibcast has a wrong result if the root is not 0, and Open
 * MPI's MPI_Gatherv truncates. */
const std::vector<Collective> safe_between_groups{Collective::barrier, Collective::bcast,     Collective::gather,
                                                  Collective::scatter, Collective::allgather, Collective::alltoall};

void plan_collective(Exchange& exchange) {
    const Communicator* chosen = exchange.for_collective(false);
    if (chosen == nullptr) return;
    const Communicator& comm = *chosen;
    Collective_plan plan{};
    plan.comm = &comm;
    // Both MPIs sometimes fail on graphs.
    const bool neighbors = !comm.dims.empty() && here.plan.coin();
    plan.kind = static_cast<Collective>(neighbors ? here.plan.between(11, 15) : here.plan.below(11));
    if (comm.inter()) plan.kind = here.plan.pick(safe_between_groups);
    plan.root = here.plan.pick(comm.groups[comm.inter() && here.plan.coin()]);
    plan.in_place = !neighbors && here.plan.one_in(3);
    bool early = here.plan.one_in(3), nonblocking = early || here.plan.coin();
    if (comm.inter()) early = nonblocking = false;
    // Open MPI's MPI_Ialltoallw miscounts derived datatypes, and MPICH's in-place one mixes up its own blocks.
    if (plan.kind == Collective::alltoallw || plan.kind == Collective::neighbor_alltoallw) early = nonblocking = false;
    if (nonblocking && plan.kind == Collective::alltoallv) plan.in_place = false; // Open MPI loses messages
    plan.signature = random_signature(here.plan);
    // For these, each rank of Open MPI chooses the algorithm by the size of its own datatype times the count.
    const bool same_type_size = plan.kind == Collective::allgatherv || plan.kind == Collective::bcast;
    plan.granule = same_type_size ? 1 : here.plan.between(1, 4);
    plan.units = plan.granule * random_count(plan.signature, 6, 500);
    plan.key = mix(here.seed, here.next_tag++, 2);
    exchange.add(std::make_unique<Moving>(plan, early, nonblocking));
}

void plan_copy(Exchange& exchange) {
    Communicator* chosen = exchange.for_collective(true);
    if (chosen == nullptr) return;
    Communicator& parent = *chosen;
    exchange.add(std::make_unique<Copying>(parent));
}
