#include "collector/datatypes.hpp"

namespace tactus {
namespace {

struct Predefined {
    const char* name;
    const MPI_Datatype* type;
};
constexpr Predefined predefined[] = {
#include "handle_types.gen.inc"
};

// Sizes are asked once; types this MPI was built without (Fortran's, say) have size 0 or are the null type.
std::uint64_t size_of(MPI_Datatype type) {
    int size = 0;
    if (key_of(type) == 0 || type == handle.DATATYPE_NULL) return 0;
    return pmpi.Type_size(type, &size) == MPI_SUCCESS && size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

} // namespace

constinit Datatypes datatypes;

void Datatypes::learn_predefined() {
    std::uint64_t number = 0;
    for (const Predefined& one : predefined) {
        ++number;
        const std::uint64_t key = key_of(*one.type);
        const std::uint64_t size = size_of(*one.type);
        if (size != 0 && table_.find(key) == 0) table_.put(key, number << 32 | size); // several names may mean one type
    }
}

std::vector<Datatype> Datatypes::definitions() const {
    std::vector<Datatype> list;
    std::uint32_t number = 0;
    for (const Predefined& one : predefined) {
        ++number;
        const std::uint64_t known = table_.find(key_of(*one.type));
        if (known >> 32 == number) list.push_back({number, one.name, known & size_mask});
    }
    return list;
}

Datatypes::Element Datatypes::derived(MPI_Datatype type) {
    MPI_Count size = 0;
    if (type == handle.DATATYPE_NULL) return {};                            // where the MPI does not look at it
    if (pmpi.Type_size_x(type, &size) != MPI_SUCCESS || size < 0) size = 0; // MPI_UNDEFINED is negative
    return {static_cast<std::uint64_t>(size), 0};
}

} // namespace tactus
