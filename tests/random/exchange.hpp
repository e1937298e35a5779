/* Many messages and collective calls that are under way at the same time, on any of the communicators. */
#pragma once
#include "operation.hpp"

/* Must be called by all ranks. When it returns, everything is complete on this rank. */
void run_exchange(Communicators& comms);
