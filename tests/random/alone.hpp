/* What a rank does by itself, and what it does wrong on purpose. */
#pragma once
#include "operation.hpp"

void plan_alone(Exchange& exchange);
/* A message that is longer than the receive. */
void plan_truncated(Exchange& exchange);
