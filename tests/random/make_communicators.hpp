/* Makes new communicators from an existing one. */
#pragma once
#include "communicators.hpp"

using New_communicators = std::vector<std::unique_ptr<Communicator>>;

/* Uses a way that the plan chooses. Returns nothing if that way does not fit the parent. Must be called by all ranks.
 */
New_communicators make_communicators(const Communicator& parent);
