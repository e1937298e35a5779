// Which machine this is, and which start of it: what a rank notes in its header, and what recovery compares it with.
// Any thread.
#pragma once

#include <string>

namespace tactus {

std::string host_name(); // empty when the system does not say
std::string boot_id();   // another one after every start of the machine; empty as above

} // namespace tactus
