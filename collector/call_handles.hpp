// Handles that a call made or named: their definitions follow its record in the lane.
#pragma once

#include "collector/call.hpp"
#include "collector/comms.hpp"
#include "collector/shared_objects.hpp"

#include <cstdint>
#include <string_view>

namespace tactus {

void define_comm(Call& call, Function function, MPI_Comm parent, MPI_Comm comm, int tag);
void name_comm(Call& call, MPI_Comm comm, std::string_view name);
// A window or a file.
void define_object(Call& call, Function function, SharedObjects& objects, Kind kind, std::uint64_t key, MPI_Comm comm,
                   std::string_view name);
// The world ranks of a group, as the call's words.
void note_group(Call& call, MPI_Group group);
// What MPI_Win_fence asserts.
void note_fence(Call& call, int assertion);

// A communicator's definition, between calls.
void note_comm(Lane& lane, const Comm& comm);

} // namespace tactus
