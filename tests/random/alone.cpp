/* MPI_PROC_NULL, receives that are cancelled, null requests, and calls with wrong arguments. No other rank takes part,
 * except that the truncated message has two ranks. */
#include "alone.hpp"

#include <cstring>

namespace {

void check_nobody(const MPI_Status& status) {
    int count = -1;
    must(MPI_Get_count(&status, MPI_INT, &count));
    require(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0,
            "wrong status of nobody's message");
}

void nobodys_messages(const Communicator& comm, int tag) {
    int data[2] = {1, 2}, flag = 0;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Message message = MPI_MESSAGE_NULL;
    switch (here.choice.below(5)) {
    case 0:
        must(MPI_Ssend(data, 2, MPI_INT, MPI_PROC_NULL, tag, comm.handle));
        must(MPI_Recv(data, 2, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm.handle, &status));
        break;
    case 1:
        must(MPI_Isend(data, 2, MPI_INT, MPI_PROC_NULL, tag, comm.handle, &requests[0]));
        must(MPI_Irecv(data, 2, MPI_INT, MPI_PROC_NULL, tag, comm.handle, &requests[1]));
        must(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        must(MPI_Waitall(1, &requests[1], MPI_STATUSES_IGNORE)); // MPICH returns a wrong status here
        return;
    case 2:
        must(MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, comm.handle, &status));
        check_nobody(status);
        must(MPI_Iprobe(MPI_PROC_NULL, tag, comm.handle, &flag, &status));
        require(flag, "nobody's message is always there");
        break;
    case 3:
        must(MPI_Mprobe(MPI_PROC_NULL, tag, comm.handle, &message, &status));
        require(message == MPI_MESSAGE_NO_PROC, "nobody's message has a handle");
        must(MPI_Mrecv(data, 2, MPI_INT, &message, &status));
        break;
    default:
        must(MPI_Improbe(MPI_PROC_NULL, tag, comm.handle, &flag, &message, MPI_STATUS_IGNORE));
        require(flag && message == MPI_MESSAGE_NO_PROC, "nobody's message has a handle");
        must(MPI_Imrecv(data, 2, MPI_INT, &message, &requests[0]));
        must(MPI_Wait(&requests[0], &status));
    }
    check_nobody(status);
    require(data[0] == 1 && data[1] == 2, "nobody wrote something");
}

/* Nothing is ever sent with this tag. */
void cancelled_receive(const Communicator& comm, int tag, Pool& pool) {
    auto data = std::make_shared<std::vector<int>>(8, 77);
    Pending pending{MPI_REQUEST_NULL,
                    [data](const MPI_Status* status) {
                        int cancelled = 1;
                        if (status != nullptr) must(MPI_Test_cancelled(status, &cancelled));
                        require(cancelled && data->at(7) == 77, "a receive of nothing was not cancelled");
                    },
                    0, here.choice.one_in(3)};
    const int source = here.choice.coin() ? MPI_ANY_SOURCE : here.choice.below(static_cast<int>(comm.remote().size()));
    const auto receive = pending.persistent ? MPI_Recv_init : MPI_Irecv;
    must(receive(data->data(), 8, MPI_INT, source, tag, comm.handle, &pending.request));
    if (pending.persistent) must(MPI_Start(&pending.request));
    must(MPI_Cancel(&pending.request));
    pool.add(std::move(pending));
}

void nothing_under_way(const Communicator&, int) {
    MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag = 0, index = 0, done = 0, indices[3];
    must(MPI_Waitall(3, none, MPI_STATUSES_IGNORE));
    must(MPI_Testall(0, none, &flag, MPI_STATUSES_IGNORE));
    require(flag, "nothing is under way and yet not done");
    must(MPI_Waitany(3, none, &index, MPI_STATUS_IGNORE));
    must(MPI_Testsome(3, none, &done, indices, MPI_STATUSES_IGNORE));
    require(index == MPI_UNDEFINED && done == MPI_UNDEFINED, "an index of nothing");
    must(MPI_Request_get_status(none[0], &flag, MPI_STATUS_IGNORE));
}

void wrong_arguments(const Communicator& comm, int tag) {
    int data = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    const int nobody = static_cast<int>(comm.remote().size()) + here.choice.below(3);
    switch (here.choice.below(7)) {
    case 0:
        must_fail(MPI_Send(&data, 1, MPI_INT, nobody, tag, comm.handle), MPI_ERR_RANK);
        break;
    case 1:
        must_fail(MPI_Recv(&data, 1, MPI_INT, nobody, tag, comm.handle, MPI_STATUS_IGNORE), MPI_ERR_RANK);
        break;
    case 2:
        must_fail(MPI_Isend(&data, 1, MPI_INT, nobody, tag, comm.handle, &request), MPI_ERR_RANK);
        break;
    case 3:
        must_fail(MPI_Irecv(&data, -1, MPI_INT, 0, tag, comm.handle, &request), MPI_ERR_COUNT);
        break;
    case 4:
        must_fail(MPI_Send(&data, 1, MPI_INT, 0, -7, comm.handle), MPI_ERR_TAG);
        break;
    case 5:
        must_fail(MPI_Ssend(&data, 1, MPI_DATATYPE_NULL, 0, tag, comm.handle), MPI_ERR_TYPE);
        break;
    default:
        must_fail(MPI_Send_init(&data, -3, MPI_INT, 0, tag, comm.handle, &request), MPI_ERR_COUNT);
        break;
    }
}

class Alone : public Operation {
  public:
    Alone(const Communicator& comm, int who, int tag) : comm_(comm), who_(who), tag_(tag) {}
    void in_place(Pool& pool) override {
        if (here.rank != who_) return;
        switch (here.choice.below(4)) {
        case 0:
            return nobodys_messages(comm_, tag_);
        case 1:
            return cancelled_receive(comm_, tag_, pool);
        case 2:
            return wrong_arguments(comm_, tag_);
        default:
            return nothing_under_way(comm_, tag_);
        }
    }

  private:
    const Communicator& comm_;
    int who_, tag_;
};

class Truncated : public Operation {
  public:
    Truncated(const Communicator& comm, int sender, int receiver, int tag)
        : comm_(comm), sender_(sender), receiver_(receiver), tag_(tag), data_(static_cast<std::size_t>(sent), tag) {}

    void early(Pool& pool) override {
        if (here.rank != sender_) return;
        MPI_Request request;
        must(MPI_Isend(data_.data(), sent, MPI_INT, comm_.rank_of(receiver_), tag_, comm_.handle, &request));
        pool.add({request, [](const MPI_Status*) {}, position});
    }

    void in_place(Pool&) override {
        if (here.rank != receiver_) return;
        int room[sent + 1];
        std::memset(room, 0, sizeof room);
        const int source = comm_.rank_of(sender_), fits = here.choice.below(sent);
        MPI_Request request;
        if (here.choice.coin()) {
            must_fail(MPI_Recv(room, fits, MPI_INT, source, tag_, comm_.handle, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        } else {
            must(MPI_Irecv(room, fits, MPI_INT, source, tag_, comm_.handle, &request));
            must_fail(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        }
        require(room[sent] == 0, "more was received than fits");
        fold(tag_, sender_);
    }

  private:
    static constexpr int sent = 8;
    const Communicator& comm_;
    int sender_, receiver_, tag_;
    std::vector<int> data_;
};

} // namespace

void plan_alone(Exchange& exchange) {
    const Communicator& comm = exchange.comms.random();
    const bool second = comm.inter() && here.plan.coin();
    exchange.add(std::make_unique<Alone>(comm, here.plan.pick(comm.groups[second]), here.next_tag++));
}

void plan_truncated(Exchange& exchange) {
    const Communicator* comm = exchange.for_messages(false);
    if (comm == nullptr) return;
    const int receiver = here.plan.pick(comm->groups[0]), sender = here.plan.pick(comm->reached_from(receiver));
    exchange.add(std::make_unique<Truncated>(*comm, sender, receiver, here.next_tag++));
}
