// A thread's open group: the API level. Calls are told of as they come, and launched at the outermost end.
#pragma once

#include "plan.hpp"

namespace tactus::fake_nccl {

// ncclGroupStart and ncclGroupEnd.
void group_start();
void group_end();

// What a communicator's own calls stand in: a group of depth one if the user has opened none.
class ImplicitGroup {
  public:
    ImplicitGroup() { group_start(); }
    ImplicitGroup(const ImplicitGroup&) = delete;
    ImplicitGroup& operator=(const ImplicitGroup&) = delete;
    ~ImplicitGroup() { group_end(); }
};

// The API callbacks of one call, inside an implicit group.
void add_to_group(Library& library, Task task);

// From here to the next call with nullptr this thread's launches go into a graph.
void capture_into(std::vector<Plan>* graph);

} // namespace tactus::fake_nccl
