/* Every member sends to the member at a fixed distance above it. At the ends of a line the partner is MPI_PROC_NULL. */
#include "rings.hpp"
#include "layout.hpp"

#include <algorithm>

namespace {

struct Ring {
    const Communicator* comm;
    int distance, tag;
    bool closed;

    int size() const { return static_cast<int>(comm->groups[0].size()); }
    int at(int distance_from_me) const {
        const int rank = comm->rank_of(here.rank) + distance_from_me;
        if (rank < 0 || rank >= size()) return closed ? (rank + size()) % size() : MPI_PROC_NULL;
        return rank;
    }
    int dest() const { return at(distance); }
    int source() const { return at(-distance); }
    /* Names the content that a rank of this communicator sends. */
    std::uint64_t key(int rank, int turn) const {
        return mix(here.seed, tag, comm->groups[0][static_cast<std::size_t>(rank)], turn);
    }
};

struct Plan {
    int signature = random_signature(here.plan), granule = here.plan.between(1, 4);
    int units = granule * random_count(signature, 10, 2000);
};

/* One side of a ring: a buffer and its content. */
struct Side {
    Layout layout;
    int count, elements;
    Area area;

    explicit Side(const Plan& plan)
        : layout(random_layout(plan.signature, plan.granule, here.choice)), count(plan.units / layout.units),
          elements(plan.units * layout.elements_per_unit()),
          area(untouched(static_cast<std::size_t>(count) * layout.extent)) {}
    void put(std::uint64_t key) { write(area, 0, layout, elements, key); }
    void check(const Ring& ring, int turn) const {
        Area expected = untouched(area.size());
        if (ring.source() == MPI_PROC_NULL) return;
        write(expected, 0, layout, elements, ring.key(ring.source(), turn));
        require(area == expected, "wrong content from a neighbor");
        fold(ring.key(ring.source(), turn), here.rank);
    }
};

void check_status(const MPI_Status& status, const Ring& ring, const Side& in) {
    int elements = -1;
    must(MPI_Get_elements(&status, in.layout.type, &elements));
    const bool nobody = ring.source() == MPI_PROC_NULL;
    require(status.MPI_SOURCE == ring.source(), "wrong source from a neighbor");
    require(status.MPI_TAG == (nobody ? MPI_ANY_TAG : ring.tag), "wrong tag from a neighbor");
    require(elements == (nobody ? 0 : in.elements), "wrong length from a neighbor");
}

class Shift : public Operation {
  public:
    Shift(Ring ring, Plan plan) : ring_(ring), plan_(plan) {}

    void in_place(Pool&) override {
        if (!ring_.comm->has(here.rank)) return;
        Side out(plan_), in(plan_);
        out.put(ring_.key(ring_.comm->rank_of(here.rank), 0));
        MPI_Status status;
        const bool ignore = here.choice.one_in(3);
        const bool nonblocking = exchange(out, in, ignore ? MPI_STATUS_IGNORE : &status);
        if (!ignore && !(nonblocking && ring_.source() == MPI_PROC_NULL)) check_status(status, ring_, in);
        in.check(ring_, 0);
        out.layout.free();
        in.layout.free();
    }

  private:
    /* Returns whether the receive was non-blocking. */
    bool exchange(Side& out, Side& in, MPI_Status* status) {
        const MPI_Comm comm = ring_.comm->handle;
        const int dest = ring_.dest(), source = ring_.source(), tag = ring_.tag;
        const int from = source != MPI_PROC_NULL && here.choice.coin() ? MPI_ANY_SOURCE : source;
        const int with = here.choice.coin() ? tag : source == MPI_PROC_NULL ? MPI_ANY_TAG : tag;
        MPI_Request request;
        switch (here.choice.below(4)) {
        case 0:
            in.put(ring_.key(ring_.comm->rank_of(here.rank), 0));
            must(MPI_Sendrecv_replace(in.area.data(), in.count, in.layout.type, dest, tag, from, with, comm, status));
            break;
        case 1:
            must(MPI_Isend(out.area.data(), out.count, out.layout.type, dest, tag, comm, &request));
            must(MPI_Recv(in.area.data(), in.count, in.layout.type, from, with, comm, status));
            must(MPI_Wait(&request, MPI_STATUS_IGNORE));
            break;
        case 2:
            must(MPI_Irecv(in.area.data(), in.count, in.layout.type, from, with, comm, &request));
            must(MPI_Send(out.area.data(), out.count, out.layout.type, dest, tag, comm));
            must(MPI_Wait(&request, status));
            return true;
        default:
            must(MPI_Sendrecv(out.area.data(), out.count, out.layout.type, dest, tag, in.area.data(), in.count,
                              in.layout.type, from, with, comm, status));
        }
        return false;
    }

    Ring ring_;
    Plan plan_;
};

class Halo : public Operation {
  public:
    Halo(std::vector<Ring> rings, Plan plan, int turns) : rings_(std::move(rings)), plan_(plan), turns_(turns) {}

    void in_place(Pool&) override {
        if (!rings_[0].comm->has(here.rank)) return;
        Pool pool;
        std::vector<std::unique_ptr<Side>> out, in;
        for (const Ring& ring : rings_) {
            out.push_back(std::make_unique<Side>(plan_));
            in.push_back(std::make_unique<Side>(plan_));
            make_requests(ring, *out.back(), *in.back(), pool);
        }
        for (int turn = 0; turn < turns_; turn++) {
            for (std::size_t i = 0; i < rings_.size(); i++) {
                out[i]->put(rings_[i].key(rings_[i].comm->rank_of(here.rank), turn));
                std::ranges::fill(in[i]->area, untouched(1)[0]);
            }
            turn_ = turn;
            pool.start_again();
            pool.finish();
        }
        pool.free_persistent();
        for (auto& side : in) side->layout.free();
    }

  private:
    void make_requests(const Ring& ring, Side& out, Side& in, Pool& pool) {
        constexpr int (*sends[])(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {MPI_Send_init,
                                                                                                      MPI_Ssend_init};
        MPI_Request send, receive;
        const MPI_Comm comm = ring.comm->handle;
        must(sends[here.choice.below(2)](out.area.data(), out.count, out.layout.type, ring.dest(), ring.tag, comm,
                                         &send));
        must(MPI_Recv_init(in.area.data(), in.count, in.layout.type, ring.source(), ring.tag, comm, &receive));
        out.layout.free();
        auto arrived = [this, &in, ring](const MPI_Status* status) {
            // For MPI_PROC_NULL, MPICH returns a different status if the receive was not blocking.
            if (status != nullptr && ring.source() != MPI_PROC_NULL) check_status(*status, ring, in);
            in.check(ring, turn_);
        };
        pool.add({receive, arrived, 0, true, false, true, ring.source() == MPI_PROC_NULL});
        pool.add({send, [](const MPI_Status*) {}, 0, true, false, true, ring.dest() == MPI_PROC_NULL});
    }

    std::vector<Ring> rings_;
    Plan plan_;
    int turns_, turn_ = 0;
};

Ring random_ring(const Communicator& comm) {
    const int distance = here.plan.below(static_cast<int>(comm.groups[0].size()));
    return {&comm, distance, here.next_tag++, here.plan.coin()};
}

} // namespace

void plan_shift(Exchange& exchange) {
    const Communicator* comm = exchange.for_messages(false);
    if (comm == nullptr || comm->inter()) return;
    const Ring ring = random_ring(*comm);
    exchange.add(std::make_unique<Shift>(ring, Plan{}));
}

void plan_halo(Exchange& exchange) {
    const Communicator* comm = exchange.for_messages(false);
    if (comm == nullptr || comm->inter()) return;
    std::vector<Ring> rings;
    for (int i = here.plan.between(1, 3); i > 0; i--) rings.push_back(random_ring(*comm));
    const Plan plan;
    exchange.add(std::make_unique<Halo>(rings, plan, here.plan.between(1, 4)));
}
