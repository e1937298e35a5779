/* Point-to-point messages with every way to send and every way to receive. */
#pragma once
#include "operation.hpp"

/* Plans one message, or several that may be received in any order: the receives of a group use wildcards, or all name
 * the same source and tag. */
void plan_messages(Exchange& exchange);
