// Functions that store a call and then define the handles that it made or named: the definitions follow the call's
// record in the lane.
#pragma once

#include "collector/call.hpp"
#include "collector/comms.hpp"
#include "collector/shared_objects.hpp"

#include <cstdint>
#include <string_view>

namespace tactus {

void define_comm(Call& call, Function function, MPI_Comm parent, MPI_Comm comm, int tag);
void name_comm(Call& call, MPI_Comm comm, std::string_view name);
// For a window or a file, which `objects` numbers. `key` is its handle.
void define_object(Call& call, Function function, SharedObjects& objects, Kind kind, std::uint64_t key, MPI_Comm comm,
                   std::string_view name);
// Notes the world ranks of a group in the call's words.
void note_group(Call& call, MPI_Group group);
// Notes the assertion of MPI_Win_fence.
void note_fence(Call& call, int assertion);

// Stores a communicator's definition between two calls.
void note_comm(Lane& lane, const Comm& comm);

} // namespace tactus
