/* Makes new communicators out of one. */
#pragma once
#include "communicators.hpp"

using New_communicators = std::vector<std::unique_ptr<Communicator>>;

/* By a way that the plan draws; empty where that way does not fit the parent. All ranks call it. */
New_communicators make_communicators(const Communicator& parent);
