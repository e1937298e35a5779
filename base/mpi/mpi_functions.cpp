#include "base/mpi/mpi_functions.hpp"

#include "base/mpi/known_comms.hpp"

#include <cstring>
#include <dlfcn.h>
#include <string>

namespace tactus {
namespace {

constexpr struct {
    const char* symbol;
    void* place;
    bool is_in_all_versions;
} handle_symbols[] = {
    {nullptr, nullptr, false},
#include "handle_symbols.gen.inc"
};

// Whether the MPI has the handles that came with MPI 5. MPICH ends a program that asks about a datatype it lacks.
[[maybe_unused]] bool has_mpi_5() {
    int version = 0;
    int subversion = 0;
    return pmpi.Get_version(&version, &subversion) == MPI_SUCCESS && version >= 5;
}

} // namespace

constinit Pmpi pmpi{};
constinit Pmpi onward{};
constinit Handles handle{};
constinit KnownComms known_comms;

void* find_function(void* library, const char* name) {
    void* const function = dlsym(library, ("P" + std::string{name}).c_str());
    // The library of MPICH 5.0.2 for the standard ABI has no PMPI_File_close.
    return function != nullptr ? function : dlsym(library, name);
}

const char* find_handles(void* library) {
    for (const auto& row : handle_symbols) {
        if (row.symbol == nullptr) continue;
        // A program that is not a PIE holds copies of the objects it names, and the MPI itself uses those.
        void* object = dlsym(RTLD_DEFAULT, row.symbol);
        if (object == nullptr) object = dlsym(library, row.symbol);
        if (object == nullptr && row.is_in_all_versions) return row.symbol;
        std::memcpy(row.place, static_cast<const void*>(&object), sizeof object);
    }
#define NUMBER_SINCE(type, number) (has_mpi_5() ? (type)(number) : (type)0)
#include "handle_values.gen.inc"
#undef NUMBER_SINCE
    return nullptr;
}

int class_of(int code) {
    int error_class = code;
    pmpi.Error_class(code, &error_class);
    return error_class;
}

} // namespace tactus
