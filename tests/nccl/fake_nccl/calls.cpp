// The calls of a communicator, each in an implicit group.
#include "communicator.hpp"

namespace tactus::fake_nccl {

// With one rank, or with nothing to do, NCCL returns before the first callback.
void Communicator::call(Func func, std::size_t count, Datatype type, int root, const Operation& operation) {
    if (state_.identity.ranks == 1 || count == 0) return;
    const ImplicitGroup group;
    add_to_group(library_,
                 {.comm = &state_, .func = func, .count = count, .type = type, .root = root, .operation = operation});
}

void Communicator::call_p2p(Func func, std::size_t count, Datatype type, int peer, const Operation& operation) {
    add_to_group(library_,
                 {.comm = &state_, .func = func, .count = count, .type = type, .peer = peer, .operation = operation});
}

void Communicator::all_reduce(std::size_t count, Datatype type, const Operation& operation) {
    call(Func::all_reduce, count, type, 0, operation);
}

void Communicator::reduce_scatter(std::size_t receive_count, Datatype type, const Operation& operation) {
    call(Func::reduce_scatter, receive_count, type, 0, operation);
}

void Communicator::all_gather(std::size_t send_count, Datatype type, const Operation& operation) {
    call(Func::all_gather, send_count, type, 0, operation);
}

void Communicator::broadcast(std::size_t count, Datatype type, int root, const Operation& operation) {
    call(Func::broadcast, count, type, root, operation);
}

void Communicator::reduce(std::size_t count, Datatype type, int root, const Operation& operation) {
    call(Func::reduce, count, type, root, operation);
}

void Communicator::send(std::size_t count, Datatype type, int peer, const Operation& operation) {
    const ImplicitGroup group;
    call_p2p(Func::send, count, type, peer, operation);
}

void Communicator::recv(std::size_t count, Datatype type, int peer, const Operation& operation) {
    const ImplicitGroup group;
    call_p2p(Func::recv, count, type, peer, operation);
}

// For NCCL the three functions below are sends and receives; their own names never appear.
void Communicator::all_to_all(std::size_t count, Datatype type, const Operation& operation) {
    if (state_.identity.ranks == 1 || count == 0) return;
    const ImplicitGroup group;
    for (int peer = 0; peer < state_.identity.ranks; ++peer) {
        call_p2p(Func::send, count, type, peer, operation);
        call_p2p(Func::recv, count, type, peer, operation);
    }
}

void Communicator::gather(std::size_t count, Datatype type, int root, const Operation& operation) {
    if (state_.identity.ranks == 1 || count == 0) return;
    const ImplicitGroup group;
    call_p2p(Func::send, count, type, root, operation);
    if (state_.identity.rank != root) return;
    for (int peer = 0; peer < state_.identity.ranks; ++peer) call_p2p(Func::recv, count, type, peer, operation);
}

void Communicator::scatter(std::size_t count, Datatype type, int root, const Operation& operation) {
    if (state_.identity.ranks == 1 || count == 0) return;
    const ImplicitGroup group;
    call_p2p(Func::recv, count, type, root, operation);
    if (state_.identity.rank != root) return;
    for (int peer = 0; peer < state_.identity.ranks; ++peer) call_p2p(Func::send, count, type, peer, operation);
}

} // namespace tactus::fake_nccl
