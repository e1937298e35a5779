#include "base/mpi/datatypes.hpp"

namespace tactus {
namespace {

struct Known {
    const char* name;
    const MPI_Datatype* type;
};
constexpr Known all_known[] = {
#include "handle_types.gen.inc"
};

// An MPI that was built without a datatype (Fortran's, say) has the null type, size 0, or an error for it, which would
// end the program. MPI_Pack_size takes a communicator, whose handler gets the error.
std::uint64_t size_of(MPI_Datatype type, MPI_Comm comm) {
    int size = 0;
    if (key_of(type) == 0 || type == handle.DATATYPE_NULL) return 0;
    if (pmpi.Pack_size(1, type, comm, &size) != MPI_SUCCESS) return 0;
    return pmpi.Type_size(type, &size) == MPI_SUCCESS && size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

} // namespace

constinit Datatypes datatypes;

void Datatypes::learn_predefined(MPI_Comm comm) {
    std::uint64_t number = 0;
    for (const Known& known_type : all_known) {
        ++number;
        const std::uint64_t key = key_of(*known_type.type);
        const std::uint64_t size = size_of(*known_type.type, comm);
        if (size == 0 || table_.find(key) != 0) continue; // several names may mean one type
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        pmpi.Type_get_extent(*known_type.type, &lower, &extent);
        const bool has_gaps = lower != 0 || static_cast<std::uint64_t>(extent) != size;
        table_.put(key, number << 32 | size | (has_gaps ? 0 : dense));
    }
}

std::vector<Datatypes::Named> Datatypes::predefined() const {
    std::vector<Named> list;
    std::uint32_t number = 0;
    for (const Known& known_type : all_known) {
        ++number;
        const std::uint64_t known = table_.find(key_of(*known_type.type));
        if (known >> 32 == number) list.push_back({number, known_type.name, known & size_mask});
    }
    return list;
}

Datatypes::Element Datatypes::derived(MPI_Datatype type) {
    MPI_Count size = 0;
    if (type == handle.DATATYPE_NULL) return {};                            // valid where the MPI ignores the datatype
    if (pmpi.Type_size_x(type, &size) != MPI_SUCCESS || size < 0) size = 0; // MPI_UNDEFINED is negative
    return {static_cast<std::uint64_t>(size), 0};
}

} // namespace tactus
