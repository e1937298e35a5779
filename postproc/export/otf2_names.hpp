// OTF2's terms for MPI functions: which role a region has, and which operation a collective is. Pure.
#pragma once

#include "trace/function.hpp"

#include <optional>
#include <otf2/otf2.h>
#include <string_view>

namespace tactus {

OTF2_RegionRole otf2_role_of(Function function);
// Returns nothing if OTF2 has no such operation (neighborhood collectives).
std::optional<OTF2_CollectiveOp> otf2_operation_of(Function function);
// "MPI_Send", "mpi_send_" and "PMPI_Send" name the same function.
std::optional<Function> function_of_name(std::string_view name);

} // namespace tactus
