/* Reductions of every kind, with predefined and user-defined operations. */
#pragma once
#include "operation.hpp"

void plan_reduction(Exchange& exchange);
