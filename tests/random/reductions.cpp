/* All ranks know what every rank contributes, so each computes with MPI_Reduce_local what it must get. */
#include "reductions.hpp"

#include <cstring>
#include <numeric>
#include <span>

namespace {

enum class Call { reduce, allreduce, reduce_scatter_block, reduce_scatter, scan, exscan };
enum class Number { u32, u64, real, pair, affine };
using Bytes = std::vector<unsigned char>;

/* Composes maps x -> a x + b, which is associative but not commutative. */
struct Affine {
    std::uint32_t a, b;
};

void compose(void* in, void* inout, int* length, MPI_Datatype*) {
    const auto* left = static_cast<const Affine*>(in);
    auto* right = static_cast<Affine*>(inout);
    for (int i = 0; i < *length; i++) right[i] = {left[i].a * right[i].a, left[i].a * right[i].b + left[i].b};
}

void add(void* in, void* inout, int* length, MPI_Datatype*) {
    const auto* left = static_cast<const Affine*>(in);
    auto* right = static_cast<Affine*>(inout);
    for (int i = 0; i < *length; i++) right[i] = {left[i].a + right[i].a, left[i].b + right[i].b};
}

struct Reduction_plan {
    const Communicator* comm;
    Call call;
    int root;
    bool in_place;
    Number number;
    int operation, count; // count is that of the whole contribution
    std::uint64_t key;
};

MPI_Datatype type_of(Number number) {
    constexpr int affine_length = 2;
    MPI_Datatype type;
    switch (number) {
    case Number::u32:
        return MPI_UINT32_T;
    case Number::u64:
        return MPI_UINT64_T;
    case Number::real:
        return MPI_DOUBLE;
    case Number::pair:
        return MPI_2INT;
    default:
        must(MPI_Type_contiguous(affine_length, MPI_UINT32_T, &type));
        must(MPI_Type_commit(&type));
        return type;
    }
}

MPI_Op operation_of(const Reduction_plan& plan) {
    const MPI_Op for_integers[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_BAND,
                                   MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
    const auto index = static_cast<std::size_t>(plan.operation);
    MPI_Op made;
    switch (plan.number) {
    case Number::u32:
    case Number::u64:
        return for_integers[index % 10];
    case Number::real:
        return index % 2 ? MPI_MAX : MPI_SUM;
    case Number::pair:
        return index % 2 ? MPI_MAXLOC : MPI_MINLOC;
    default:
        must(index % 2 ? MPI_Op_create(compose, 0, &made) : MPI_Op_create(add, 1, &made));
        return made;
    }
}

std::size_t size_of(Number number) { return number == Number::u32 ? 4 : 8; }

/* The contribution of one rank. */
Bytes contribution(const Reduction_plan& plan, int member) {
    Bytes bytes(static_cast<std::size_t>(plan.count) * size_of(plan.number) + 8, 0xa5);
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.count); i++) {
        const std::uint64_t value = mix(plan.key, member, i);
        const double real = static_cast<double>(value % 1000);
        const int pair[2] = {static_cast<int>(value % 7), member};
        const void* from = plan.number == Number::real   ? static_cast<const void*>(&real)
                           : plan.number == Number::pair ? static_cast<const void*>(pair)
                                                         : static_cast<const void*>(&value);
        std::memcpy(bytes.data() + i * size_of(plan.number), from, size_of(plan.number));
    }
    return bytes;
}

/* The part of one rank in a reduction. */
class Reducing {
  public:
    explicit Reducing(const Reduction_plan& plan)
        : plan_(plan), comm_(*plan.comm), type_(type_of(plan.number)), operation_(operation_of(plan)),
          out_(contribution(plan, here.rank)), in_(out_.size(), 0xa5) {
        const bool scatters = plan.call == Call::reduce_scatter_block || plan.call == Call::reduce_scatter;
        const int local = static_cast<int>(comm_.local().size()), rank = comm_.rank_of(here.rank);
        counts_.assign(comm_.local().size(), plan.count / local);
        if (plan.call == Call::reduce_scatter) move_some();
        if (scatters) first_ = std::accumulate(counts_.begin(), counts_.begin() + rank, 0);
        mine_ = scatters ? counts_[static_cast<std::size_t>(rank)] : plan.count;
        in_place_ = plan.in_place && !comm_.inter() && (plan.call != Call::reduce || here.rank == plan.root);
        if (in_place_) in_ = out_;
    }

    void call(MPI_Request* request) {
        auto issue = [request](auto blocking, auto starting, auto... arguments) {
            must(request == nullptr ? blocking(arguments...) : starting(arguments..., request));
        };
        const void* out = in_place_ ? MPI_IN_PLACE : out_.data();
        void* in = in_.data();
        const MPI_Comm comm = comm_.handle;
        switch (plan_.call) {
        case Call::reduce:
            return issue(MPI_Reduce, MPI_Ireduce, out, in, plan_.count, type_, operation_, root(), comm);
        case Call::allreduce:
            return issue(MPI_Allreduce, MPI_Iallreduce, out, in, plan_.count, type_, operation_, comm);
        case Call::reduce_scatter_block:
            return issue(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, out, in, mine_, type_, operation_, comm);
        case Call::reduce_scatter:
            return issue(MPI_Reduce_scatter, MPI_Ireduce_scatter, out, in, counts_.data(), type_, operation_, comm);
        case Call::scan:
            return issue(MPI_Scan, MPI_Iscan, out, in, plan_.count, type_, operation_, comm);
        default:
            return issue(MPI_Exscan, MPI_Iexscan, out, in, plan_.count, type_, operation_, comm);
        }
    }

    void check() {
        const std::size_t each = size_of(plan_.number);
        std::span contributors(comm_.remote());
        const auto rank = static_cast<std::size_t>(comm_.rank_of(here.rank));
        if (plan_.call == Call::scan) contributors = contributors.first(rank + 1);
        if (plan_.call == Call::exscan) contributors = contributors.first(rank);
        const bool gets = (plan_.call != Call::reduce || here.rank == plan_.root) && !contributors.empty();
        if (gets) {
            const Bytes expected = reduced(contributors);
            const auto from = static_cast<std::size_t>(first_) * each, length = static_cast<std::size_t>(mine_) * each;
            require(std::memcmp(expected.data() + from, in_.data(), length) == 0, "wrong result of a reduction");
            if (!in_place_) require(in_[length] == 0xa5, "a reduction wrote too much");
        }
        fold(plan_.key, here.rank, mine_);
        if (plan_.number != Number::affine) return;
        must(MPI_Type_free(&type_));
        must(MPI_Op_free(&operation_));
    }

  private:
    Bytes reduced(std::span<const int> members) const {
        Bytes result = contribution(plan_, members.back());
        for (std::size_t i = members.size() - 1; i-- > 0;) {
            const Bytes before = contribution(plan_, members[i]);
            must(MPI_Reduce_local(before.data(), result.data(), plan_.count, type_, operation_));
        }
        return result;
    }

    /* All ranks get different counts, and some get none. */
    void move_some() {
        for (std::size_t i = 0; i + 1 < counts_.size(); i++) {
            const int moved = static_cast<int>(mix(plan_.key, i) % static_cast<unsigned>(counts_[i] + 1));
            counts_[i] -= moved;
            counts_[i + 1] += moved;
        }
    }

    int root() const {
        if (!comm_.inter()) return comm_.rank_of(plan_.root);
        if (here.rank == plan_.root) return MPI_ROOT;
        return comm_.side(here.rank) == comm_.side(plan_.root) ? MPI_PROC_NULL : comm_.rank_of(plan_.root);
    }

    const Reduction_plan plan_;
    const Communicator& comm_;
    MPI_Datatype type_;
    MPI_Op operation_;
    Bytes out_, in_;
    std::vector<int> counts_;
    int first_ = 0, mine_ = 0;
    bool in_place_ = false;
};

class Reduction : public Operation {
  public:
    Reduction(Reduction_plan plan, bool early, bool nonblocking)
        : plan_(plan), early_(early), nonblocking_(nonblocking) {}

    void early(Pool& pool) override {
        if (early_ && plan_.comm->has(here.rank)) start(pool);
    }

    void in_place(Pool& pool) override {
        if (early_ || !plan_.comm->has(here.rank)) return;
        if (nonblocking_) return start(pool);
        Reducing reducing(plan_);
        reducing.call(nullptr);
        reducing.check();
    }

  private:
    void start(Pool& pool) {
        auto reducing = std::make_shared<Reducing>(plan_);
        MPI_Request request;
        reducing->call(&request);
        pool.add({request, [reducing](const MPI_Status*) { reducing->check(); }, position});
    }

    Reduction_plan plan_;
    bool early_, nonblocking_;
};

} // namespace

void plan_reduction(Exchange& exchange) {
    const Communicator* chosen = exchange.for_collective(false);
    if (chosen == nullptr) return;
    const Communicator& comm = *chosen;
    Reduction_plan plan{};
    plan.comm = &comm;
    // Intercommunicators have no prefix reductions.
    plan.call = static_cast<Call>(here.plan.below(comm.inter() ? 2 : 6));
    plan.root = here.plan.pick(comm.groups[comm.inter() && here.plan.coin()]);
    plan.in_place = here.plan.one_in(3);
    plan.number = static_cast<Number>(here.plan.below(5));
    plan.operation = here.plan.below(10);
    // MPICH reads from MPI_IN_PLACE when the root is not 0.
    if (plan.call == Call::reduce && !comm.inter() && comm.rank_of(plan.root) != 0) plan.in_place = false;
    const std::size_t members = comm.groups[0].size() * (comm.inter() ? comm.groups[1].size() : 1);
    plan.count = static_cast<int>(members) * here.plan.below(here.plan.one_in(12) ? 200 : 6);
    plan.key = mix(here.seed, here.next_tag++, 3);
    const bool nonblocking = !comm.inter() && here.plan.coin(), early = nonblocking && here.plan.coin();
    exchange.add(std::make_unique<Reduction>(plan, early, nonblocking));
}
