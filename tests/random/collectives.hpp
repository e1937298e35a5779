/* Collective calls that move data: all kinds, blocking and not, on intra- and intercommunicators, on topologies. */
#pragma once
#include "operation.hpp"

void plan_collective(Exchange& exchange);
/* MPI_Comm_idup; the copy is there for the next exchange. */
void plan_copy(Exchange& exchange);
