// A thread's open group, which is the API level. Calls are reported when they are made, and launched at the outermost
// end.
#pragma once

#include "plan.hpp"

namespace tactus::fake_nccl {

// ncclGroupStart and ncclGroupEnd.
void group_start();
void group_end();

// Every call of a communicator is inside of such a group, which has depth one if the user has opened none.
class ImplicitGroup {
  public:
    ImplicitGroup() { group_start(); }
    ImplicitGroup(const ImplicitGroup&) = delete;
    ImplicitGroup& operator=(const ImplicitGroup&) = delete;
    ~ImplicitGroup() { group_end(); }
};

// Makes the API callbacks of one call. Must be called inside of an implicit group.
void add_to_group(Library& library, Task task);

// From now on this thread's launches go into a graph, until this is called with nullptr.
void capture_into(std::vector<Plan>* graph);

} // namespace tactus::fake_nccl
