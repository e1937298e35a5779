#include "mpi_kind.hpp"

#include <string_view>

namespace tactus {
namespace {

// The layout that gives back a length that the library put into a status, in a status that is not cancelled and in one
// that is. The length has different bytes in both of its words.
StatusLayout layout_of_status() {
    constexpr std::uint64_t length = 0x1122334455;
    for (const StatusLayout layout : {StatusLayout::openmpi, StatusLayout::mpich}) {
        bool fits = true;
        for (const int flag : {0, 1}) {
            MPI_Status status{};
            pmpi.Status_set_elements_x(&status, handle.BYTE, static_cast<MPI_Count>(length));
            pmpi.Status_set_cancelled(&status, flag);
            fits = fits && bytes_in(status, layout) == length && cancelled(status, layout) == (flag != 0);
        }
        if (fits) return layout;
    }
    return StatusLayout::unknown;
}

// The text of a wrapper of either begins with the wrapper's own name.
std::string_view maker_of(std::string_view version) {
    for (const std::string_view maker : {"Open MPI", "MPICH"})
        if (version.starts_with(maker)) return maker;
    return "";
}

// Open MPI 6.0.0rc2 tells the number that this order has in its own mpi.h.
int order_of_c_as_told() {
    constexpr int length = 1;
    constexpr int begin = 0;
    MPI_Datatype type = handle.DATATYPE_NULL;
    if (pmpi.Type_create_subarray(1, &length, &length, &begin, MPI_ORDER_C, handle.BYTE, &type) != MPI_SUCCESS)
        return MPI_ORDER_C;
    int numbers[5] = {0, 0, 0, 0, MPI_ORDER_C}; // dimensions, lengths, parts, begins, order
    MPI_Aint none = 0;
    MPI_Datatype inner = handle.DATATYPE_NULL;
    pmpi.Type_get_contents(type, 5, 0, 1, numbers, &none, &inner);
    pmpi.Type_free(&type);
    return numbers[4];
}

bool known = false;

} // namespace

void learn_library() {
    status_layout = layout_of_status();
    order_of_c = order_of_c_as_told();
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int size = 0;
    pmpi.Get_library_version(text, &size);
    const std::string_view maker = maker_of(text);
    known = !maker.empty();
    const bool is_openmpi = maker == "Open MPI";
    tells_truncated_length = is_openmpi;
    failed_receive_keeps_type = maker == "MPICH";
    completes_all_ignored = maker == "MPICH";
    overrun_of_truncated = is_openmpi ? std::size_t{1} << 20 : 0;
    whole_basic_elements = !is_openmpi;
    disconnect_awaits_requests = !is_openmpi;
    requests_fail_by_themselves = is_openmpi;
}

bool is_known_mpi() { return known; }

} // namespace tactus
