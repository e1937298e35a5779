#include "postproc/export/otf2_names.hpp"

#include "base/grammar.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace tactus {
namespace {

// Whether the function's name contains `what` in any case: MPI_Allgather and MPI_Iallgather_c both do "allgather".
bool does(Function function, std::string_view what) { return lower(name_of(function)).find(what) != std::string::npos; }

OTF2_RegionRole role_of_pattern(Pattern pattern) {
    switch (pattern) {
    case Pattern::barrier:
        return OTF2_REGION_ROLE_BARRIER;
    case Pattern::one_to_all:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case Pattern::all_to_one:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case Pattern::all_to_all:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    default:
        return OTF2_REGION_ROLE_COLL_OTHER;
    }
}

OTF2_CollectiveOp operation_of_exchange(Function function) {
    return does(function, "allgather") ? OTF2_COLLECTIVE_OP_ALLGATHER : OTF2_COLLECTIVE_OP_ALLTOALL;
}

} // namespace

OTF2_RegionRole otf2_role_of(Function function) {
    const Shape shape = shape_of(function);
    if (pattern_of(shape) != Pattern::none) return role_of_pattern(pattern_of(shape));
    if (shape >= Shape::send && shape <= Shape::request_free) return OTF2_REGION_ROLE_POINT2POINT;
    if (shape >= Shape::window_make && shape <= Shape::update) return OTF2_REGION_ROLE_RMA;
    if (shape >= Shape::file_open && shape <= Shape::file) return OTF2_REGION_ROLE_FILE_IO;
    return OTF2_REGION_ROLE_FUNCTION;
}

std::optional<OTF2_CollectiveOp> otf2_operation_of(Function function) {
    switch (shape_of(function)) {
    case Shape::barrier:
        return OTF2_COLLECTIVE_OP_BARRIER;
    case Shape::broadcast:
        return OTF2_COLLECTIVE_OP_BCAST;
    case Shape::scatter:
        return OTF2_COLLECTIVE_OP_SCATTER;
    case Shape::scatterv:
        return OTF2_COLLECTIVE_OP_SCATTERV;
    case Shape::gather:
        return OTF2_COLLECTIVE_OP_GATHER;
    case Shape::gatherv:
        return OTF2_COLLECTIVE_OP_GATHERV;
    case Shape::reduce:
        return OTF2_COLLECTIVE_OP_REDUCE;
    case Shape::allreduce:
        return does(function, "scatter_block") ? OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK : OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Shape::exchange:
        return operation_of_exchange(function);
    case Shape::allgatherv:
        return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case Shape::alltoallv:
        return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case Shape::alltoallw:
        return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case Shape::reduce_scatter:
        return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case Shape::scan:
        return does(function, "exscan") ? OTF2_COLLECTIVE_OP_EXSCAN : OTF2_COLLECTIVE_OP_SCAN;
    case Shape::comm_make: // collective over the parent's members
        if (function == Function::Comm_create_group || mode_of(function) != Mode::blocking) return {};
        return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    case Shape::comm_free:
        return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
    default:
        return {};
    }
}

std::optional<Function> function_of_name(std::string_view name) {
    static const auto known = [] {
        std::unordered_map<std::string, Function> names;
        for (std::size_t i = 0; i < function_count; ++i)
            names.emplace(lower(functions[i].name), static_cast<Function>(i));
        return names;
    }();
    std::string wanted = lower(name);
    while (!wanted.empty() && wanted.back() == '_') wanted.pop_back();
    if (wanted.starts_with("pmpi_")) wanted.erase(0, 1);
    const auto found = known.find(wanted);
    if (found == known.end()) return {};
    return found->second;
}

} // namespace tactus
