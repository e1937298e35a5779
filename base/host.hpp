// The name of this machine and the identity of its current boot. A rank writes both into its header, and recovery
// compares them with its own. Any thread.
#pragma once

#include <string>

namespace tactus {

std::string host_name(); // empty when the system does not tell
std::string boot_id();   // changes with every start of the machine; empty as above

} // namespace tactus
