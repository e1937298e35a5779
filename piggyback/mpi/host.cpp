#include "piggyback/mpi/host.hpp"

namespace tactus {

constinit PiggybackHost piggyback_host;

} // namespace tactus
