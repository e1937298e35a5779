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

// Sizes are asked once; types this MPI was built without (Fortran's, say) have size 0 or are the null type.
std::uint64_t size_of(MPI_Datatype type) {
    int size = 0;
    if (key_of(type) == 0 || type == handle.DATATYPE_NULL) return 0;
    return pmpi.Type_size(type, &size) == MPI_SUCCESS && size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

// While it lives, errors are only returned. An MPI that was built without one of the datatypes would end the program
// when it is asked about that one. An error of no communicator goes to the handler of MPI_COMM_SELF, before MPI 4.0 to
// that of MPI_COMM_WORLD.
class ErrorsReturned {
  public:
    ErrorsReturned() {
        for (Before& before : before_) {
            if (pmpi.Comm_get_errhandler(before.comm, &before.handler) != MPI_SUCCESS) continue;
            before.is_known = true;
            pmpi.Comm_set_errhandler(before.comm, handle.ERRORS_RETURN);
        }
    }
    ~ErrorsReturned() {
        for (Before& before : before_) {
            if (!before.is_known) continue;
            pmpi.Comm_set_errhandler(before.comm, before.handler);
            const bool is_predefined = before.handler == handle.ERRORS_ARE_FATAL ||
                                       before.handler == handle.ERRORS_RETURN || before.handler == handle.ERRORS_ABORT;
            if (!is_predefined) pmpi.Errhandler_free(&before.handler);
        }
    }
    ErrorsReturned(const ErrorsReturned&) = delete;
    ErrorsReturned& operator=(const ErrorsReturned&) = delete;

  private:
    struct Before {
        MPI_Comm comm;
        MPI_Errhandler handler = handle.ERRHANDLER_NULL;
        bool is_known = false;
    };
    Before before_[2] = {{handle.COMM_WORLD}, {handle.COMM_SELF}};
};

} // namespace

constinit Datatypes datatypes;

void Datatypes::learn_predefined() {
    const ErrorsReturned errors_returned;
    std::uint64_t number = 0;
    for (const Known& known_type : all_known) {
        ++number;
        const std::uint64_t key = key_of(*known_type.type);
        const std::uint64_t size = size_of(*known_type.type);
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
