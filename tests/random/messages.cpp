/* Messages come in groups. In a group of one message, both sides choose freely. In a larger group, either all sends or
 * all receives are started early, so that it does not matter which receive takes which message. */
#include "messages.hpp"
#include "message_group.hpp"
#include "send.hpp"

#include <algorithm>

namespace {

enum class Look { none, probe, iprobe, mprobe, improbe };

class Message : public Operation {
  public:
    Message(std::shared_ptr<Message_group> group, std::size_t index) : group_(std::move(group)), index_(index) {}

    void early(Pool& pool) override {
        if (receives() && group_->receives_early) post(pool);
        if (sends() && group_->sends_early) start_send(envelope(), false, pool);
    }

    void in_place(Pool& pool) override {
        if (sends() && !group_->sends_early) start_send(envelope(), true, pool);
        if (!receives() || group_->receives_early) return;
        if (here.choice.one_in(3))
            post(pool);
        else
            receive(pool);
    }

    int buffered_bytes() override { return sends() && mine().mode == Mode::buffered ? bytes_to_buffer(envelope()) : 0; }

  private:
    const Planned_message& mine() const { return group_->messages[index_]; }
    bool sends() const { return here.rank == mine().sender; }
    bool receives() const { return here.rank == group_->receiver; }
    int may_wait_from() const { return group_->messages.size() == 1 ? position : at_the_end; }
    int source() const { return group_->any_source ? MPI_ANY_SOURCE : group_->comm->rank_of(mine().sender); }
    int tag() const { return group_->any_tag ? MPI_ANY_TAG : mine().tag; }

    Envelope envelope() const {
        const Message_group& group = *group_;
        return {group.comm->handle, group.comm->rank_of(group.receiver),
                mine().tag,         mine().mode,
                group.signature,    group.granule,
                mine().units,       mine().key,
                may_wait_from(),    here.rank == group.receiver};
    }

    /* A non-blocking receive. */
    void post(Pool& pool) {
        auto into = std::make_shared<Reception>(*group_, index_);
        Pending pending{MPI_REQUEST_NULL, [into, group = group_](const MPI_Status* status) { into->accept(status); },
                        may_wait_from(), here.choice.one_in(3), into->needs_status()};
        if (pending.persistent) {
            must(MPI_Recv_init(into->buffer(), into->count, into->type, source(), tag(), group_->comm->handle,
                               &pending.request));
            must(MPI_Start(&pending.request));
        } else {
            must(MPI_Irecv(into->buffer(), into->count, into->type, source(), tag(), group_->comm->handle,
                           &pending.request));
        }
        pool.add(std::move(pending));
        into->free_type_early();
    }

    /* A blocking receive, which may probe first. */
    void receive(Pool& pool) {
        const auto look = static_cast<Look>(here.choice.below(5));
        if (look == Look::mprobe || look == Look::improbe) return receive_matched(pool, look == Look::mprobe);
        Reception into(*group_, index_);
        MPI_Status found, status;
        int from = source(), with = tag(), flag = 0;
        if (look == Look::probe) must(MPI_Probe(from, with, group_->comm->handle, &found));
        while (look == Look::iprobe && !flag) must(MPI_Iprobe(from, with, group_->comm->handle, &flag, &found));
        if (look != Look::none) {
            into.check_probed(found);
            from = found.MPI_SOURCE;
            with = found.MPI_TAG;
        }
        const bool ignore = !into.needs_status() && here.choice.coin();
        must(MPI_Recv(into.buffer(), into.count, into.type, from, with, group_->comm->handle,
                      ignore ? MPI_STATUS_IGNORE : &status));
        into.accept(ignore ? nullptr : &status);
    }

    void receive_matched(Pool& pool, bool blocking) {
        auto into = std::make_shared<Reception>(*group_, index_);
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        const bool ignore = here.choice.one_in(3);
        MPI_Status* given = ignore ? MPI_STATUS_IGNORE : &status;
        int flag = 0;
        if (blocking) must(MPI_Mprobe(source(), tag(), group_->comm->handle, &message, given));
        while (!blocking && !flag) must(MPI_Improbe(source(), tag(), group_->comm->handle, &flag, &message, given));
        if (!ignore) into->check_probed(status);
        if (here.choice.coin()) {
            Pending pending{MPI_REQUEST_NULL, [into, group = group_](const MPI_Status* done) { into->accept(done); },
                            may_wait_from(), false, into->needs_status()};
            must(MPI_Imrecv(into->buffer(), into->count, into->type, &message, &pending.request));
            pool.add(std::move(pending));
        } else {
            const bool unknown = !into->needs_status() && here.choice.coin();
            must(MPI_Mrecv(into->buffer(), into->count, into->type, &message, unknown ? MPI_STATUS_IGNORE : &status));
            into->accept(unknown ? nullptr : &status);
        }
        require(message == MPI_MESSAGE_NULL, "a received message's handle is not null");
    }

    std::shared_ptr<Message_group> group_;
    std::size_t index_;
};

enum class Kind { single, stream, any_tag, any_source, any_any };

int random_units(const Message_group& group) {
    return here.plan.one_in(8) ? 0 : group.granule * random_count(group.signature, 12, 3000);
}

Mode random_mode(const Exchange& exchange, const Message_group& group) {
    const bool posted = exchange.barrier_after_early && group.receives_early && !group.sends_early;
    if (posted && here.plan.coin()) return Mode::ready;
    return static_cast<Mode>(here.plan.below(3));
}

void choose_starts(Message_group& group, std::size_t number) {
    bool self = false;
    for (const Planned_message& message : group.messages) self |= message.sender == group.receiver;
    const bool free_choice = number == 1 && !self;
    const int choice = here.plan.below(free_choice ? 4 : 3); // sends early, receives early, both; none
    group.sends_early = choice == 0 || choice == 2;
    group.receives_early = choice == 1 || choice == 2;
}

/* In messages to oneself, MPICH copies long messages wrongly when neither datatype is contiguous, and a receive with
 * MPI_ANY_TAG takes what non-blocking collective calls send. */
void spare_mpich(Message_group& group) {
    if (group.any_tag) group.messages.resize(1);
    group.any_tag = false;
    for (Planned_message& message : group.messages) message.units = std::min(message.units, 12 * group.granule);
}

void fill(Message_group& group, Kind kind, const Communicator& comm) {
    const Members& senders = comm.reached_from(group.receiver);
    const std::size_t number = kind == Kind::single ? 1 : static_cast<std::size_t>(here.plan.between(1, 6));
    const int only_sender = here.plan.pick(senders), only_tag = here.next_tag++;
    for (std::size_t i = 0; i < number; i++) {
        Planned_message message{};
        message.sender = group.any_source ? here.plan.pick(senders) : only_sender;
        message.tag = group.any_tag ? here.next_tag++ : only_tag;
        message.units = random_units(group);
        if (group.ignores_statuses && message.units == 0) message.units = group.granule;
        message.key = mix(here.seed, static_cast<std::uint64_t>(here.next_tag), i);
        group.messages.push_back(message);
    }
    if (group.to_oneself()) spare_mpich(group);
    for (const Planned_message& message : group.messages) group.most_units = std::max(group.most_units, message.units);
    choose_starts(group, group.messages.size());
}

} // namespace

void plan_messages(Exchange& exchange) {
    const auto kind = static_cast<Kind>(here.plan.below(5));
    const Communicator* comm = exchange.for_messages(kind == Kind::any_tag || kind == Kind::any_any);
    if (comm == nullptr) return;
    auto group = std::make_shared<Message_group>();
    const bool second = comm->inter() && here.plan.coin();
    group->comm = comm;
    group->receiver = here.plan.pick(comm->groups[second]);
    group->any_source = kind == Kind::any_source || kind == Kind::any_any;
    group->any_tag = kind == Kind::any_tag || kind == Kind::any_any;
    group->signature = random_signature(here.plan);
    group->granule = here.plan.between(1, 4);
    group->ignores_statuses = here.plan.one_in(4);
    fill(*group, kind, *comm);
    for (Planned_message& message : group->messages) message.mode = random_mode(exchange, *group);
    exchange.barrier_at_end |= kind == Kind::any_any;
    for (std::size_t i = 0; i < group->messages.size(); i++) exchange.add(std::make_unique<Message>(group, i));
}
