/* Compares what the plan knows about communicators with what MPI says, and frees communicators. */
#include "communicators.hpp"
#include "make_communicators.hpp"

#include <algorithm>
#include <numeric>

int Communicator::side(int world_rank) const {
    for (std::size_t i = 0; i < 2; i++)
        if (std::ranges::find(groups[i], world_rank) != groups[i].end()) return static_cast<int>(i);
    return -1;
}

int Communicator::rank_of(int world_rank) const {
    const Members& group = groups[static_cast<std::size_t>(side(world_rank))];
    return static_cast<int>(std::ranges::find(group, world_rank) - group.begin());
}

const Members& Communicator::reached_from(int world_rank) const {
    return inter() ? groups[1 - static_cast<std::size_t>(side(world_rank))] : groups[0];
}

const Members& Communicator::remote() const { return reached_from(here.rank); }

namespace {

/* Checks that size, rank, kind and all members are as planned. */
void check(const Communicator& comm) {
    if (!comm.has(here.rank)) return require(comm.handle == MPI_COMM_NULL, "in a communicator without being a member");
    must(MPI_Comm_set_errhandler(comm.handle, MPI_ERRORS_RETURN));
    int rank, size, inter;
    must(MPI_Comm_rank(comm.handle, &rank));
    must(MPI_Comm_size(comm.handle, &size));
    must(MPI_Comm_test_inter(comm.handle, &inter));
    require(rank == comm.rank_of(here.rank) && size == static_cast<int>(comm.local().size()), "wrong rank or size");
    require((inter != 0) == comm.inter(), "intercommunicator or not");
    MPI_Group world, group;
    must(MPI_Comm_group(MPI_COMM_WORLD, &world));
    must(comm.inter() ? MPI_Comm_remote_group(comm.handle, &group) : MPI_Comm_group(comm.handle, &group));
    Members ranks(comm.remote().size()), in_world(comm.remote().size());
    std::iota(ranks.begin(), ranks.end(), 0);
    must(MPI_Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), world, in_world.data()));
    require(in_world == comm.remote(), "other members than those asked for");
    must(MPI_Group_free(&group));
    must(MPI_Group_free(&world));
}

} // namespace

Communicators::Communicators() {
    auto world = std::make_unique<Communicator>();
    world->handle = MPI_COMM_WORLD;
    world->groups[0].resize(static_cast<std::size_t>(here.size));
    std::iota(world->groups[0].begin(), world->groups[0].end(), 0);
    auto self = std::make_unique<Communicator>();
    self->groups[0] = {here.plan.below(here.size)};
    if (self->has(here.rank)) self->handle = MPI_COMM_SELF;
    world->permanent = self->permanent = true;
    all_.push_back(std::move(world));
    all_.push_back(std::move(self));
}

Communicators::~Communicators() {
    while (all_.size() > 2) free_at(all_.size() - 1, false);
}

Communicator& Communicators::random() { return here.plan.one_in(4) ? *all_[0] : *here.plan.pick(all_); }

std::unique_ptr<Communicator> copy_of(const Communicator& parent) {
    auto copy = std::make_unique<Communicator>(parent);
    copy->handle = MPI_COMM_NULL;
    copy->permanent = copy->being_copied = false;
    return copy;
}

void Communicators::make_some() {
    for (auto& comm : make_communicators(random())) add(std::move(comm));
}

void Communicators::add(std::unique_ptr<Communicator> comm) {
    check(*comm);
    all_.push_back(std::move(comm));
}

void Communicators::free_at(std::size_t index, bool may_disconnect) {
    Communicator& comm = *all_[index];
    const bool disconnect = may_disconnect && here.plan.one_in(3);
    if (comm.has(here.rank)) {
        must(disconnect ? MPI_Comm_disconnect(&comm.handle) : MPI_Comm_free(&comm.handle));
        require(comm.handle == MPI_COMM_NULL, "a freed communicator's handle is not null");
    }
    freed_.push_back(std::move(all_[index])); // operations that are under way on it still ask for its members
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Communicators::free_some() {
    while (all_.size() > 2 && (all_.size() > 12 || here.plan.one_in(4)))
        free_at(static_cast<std::size_t>(here.plan.between(2, static_cast<int>(all_.size()) - 1)), true);
}

void Communicators::free_early(const std::vector<const Communicator*>& with_collectives) {
    if (all_.size() <= 2 || !here.plan.one_in(8)) return;
    const auto index = static_cast<std::size_t>(here.plan.between(2, static_cast<int>(all_.size()) - 1));
    if (std::ranges::find(with_collectives, all_[index].get()) == with_collectives.end()) free_at(index, false);
}
