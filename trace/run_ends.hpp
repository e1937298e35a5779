// The calls at which the recording of a rank begins and ends. Pure.
#pragma once

#include "trace/definitions.hpp"
#include "trace/shapes.hpp"

namespace tactus {

// The tag of the MPI_Comm_create_from_group at whose end the recording began, in a program without MPI_Init.
constexpr std::int32_t tag_of_beginning = 1;

// Whether the recording began at the end of this call.
constexpr bool begins_run(const Signature& what) {
    const Shape shape = shape_of(what.function);
    if (what.kind != Kind::call) return false;
    return shape == Shape::init || shape == Shape::init_thread ||
           (shape == Shape::comm_from_group && what.tag == tag_of_beginning);
}

constexpr bool may_end_run(Function function) {
    const Shape shape = shape_of(function);
    return shape == Shape::finalize || shape == Shape::session_finalize;
}

// In which function a rank's recording ends when nothing goes wrong: MPI_Finalize, or MPI_Session_finalize where it
// began with a communicator made from a session.
inline Function end_of_run(const Definitions& definitions) {
    const bool of_sessions =
        !definitions.comms.empty() && definitions.comms.front().made_by == Function::Comm_create_from_group;
    return of_sessions ? Function::Session_finalize : Function::Finalize;
}

} // namespace tactus
