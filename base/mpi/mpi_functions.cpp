#include "base/mpi/mpi_functions.hpp"

#include "base/mpi/known_comms.hpp"

namespace tactus {

constinit Pmpi pmpi{};
constinit Pmpi onward{};
constinit Handles handle{};
constinit KnownComms known_comms;

int class_of(int code) {
    int error_class = code;
    pmpi.Error_class(code, &error_class);
    return error_class;
}

} // namespace tactus
