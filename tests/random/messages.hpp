/* Point-to-point messages: every way to send, every way to receive. */
#pragma once
#include "operation.hpp"

/* One message, or several that may be received in each other's place: the receives of a group are wildcards, or all
 * name the same source and tag. */
void plan_messages(Exchange& exchange);
