/* Exchanges with neighbors at fixed distances. */
#pragma once
#include "operation.hpp"

/* Everybody sends once and receives once: MPI_Sendrecv and the like. */
void plan_shift(Exchange& exchange);
/* The same persistent requests started several times. */
void plan_halo(Exchange& exchange);
