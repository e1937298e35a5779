/* Exchanges with neighbors at fixed distances. */
#pragma once
#include "operation.hpp"

/* Every member sends once and receives once, with MPI_Sendrecv and similar calls. */
void plan_shift(Exchange& exchange);
/* Starts the same persistent requests several times. */
void plan_halo(Exchange& exchange);
