/* Collective calls that move data: all kinds, blocking and non-blocking, on intra- and intercommunicators, and on
 * topologies. */
#pragma once
#include "operation.hpp"

void plan_collective(Exchange& exchange);
/* MPI_Comm_idup. The next exchange can use the copy. */
void plan_copy(Exchange& exchange);
