/* Many messages and collective calls under way at once, on any of the communicators. */
#pragma once
#include "operation.hpp"

/* All ranks call it; at its end everything is complete on this rank. */
void run_exchange(Communicators& comms);
