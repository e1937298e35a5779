#include "piggyback/mpi/fortran_section.hpp"

#include "piggyback/mpi/policy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tactus {
namespace {

bool is_contiguous(const GnuDescriptor& section) {
    std::int64_t step = static_cast<std::int64_t>(section.element_bytes);
    for (int i = 0; i < section.rank; ++i) {
        const std::int64_t extent = section.extent(i);
        if (extent == 0) return true;
        if (extent > 0 && section.step_bytes(i) != step) return false;
        step *= extent; // The last extent may be unknown; the product with it is never used.
    }
    return true;
}

// Returns a datatype of `count` elements of `type` that lie at the places of the section's elements, first dimension
// first. It consists of as many whole subarrays as fit. The rest consists of whole subarrays with one dimension less,
// and so on down to single elements.
MPI_Datatype type_over(const GnuDescriptor& section, MPI_Count count, MPI_Datatype type) {
    MPI_Datatype levels[most_dimensions + 1] = {type}; // levels[i] covers all of the dimensions below i
    MPI_Count elements[most_dimensions + 1] = {1};
    for (int i = 0; i < section.rank; ++i) {
        const std::int64_t extent = std::max<std::int64_t>(section.extent(i), 1);
        pmpi.Type_create_hvector(static_cast<int>(extent), 1, section.step_bytes(i), levels[i], &levels[i + 1]);
        elements[i + 1] = elements[i] * extent;
    }
    MPI_Datatype parts[most_dimensions + 1];
    MPI_Aint places[most_dimensions + 1];
    int lengths[most_dimensions + 1];
    int used = 0;
    MPI_Aint place = 0;
    for (int i = section.rank - 1; i >= 0 && count > 0; --i) {
        const MPI_Count whole = elements[i] == 0 ? 0 : count / elements[i];
        if (whole == 0) continue;
        pmpi.Type_create_hvector(static_cast<int>(whole), 1, section.step_bytes(i), levels[i], &parts[used]);
        places[used] = place;
        lengths[used++] = 1;
        place += static_cast<MPI_Aint>(whole) * section.step_bytes(i);
        count -= whole * elements[i];
    }
    MPI_Datatype result = handle.DATATYPE_NULL;
    pmpi.Type_create_struct(used, lengths, places, parts, &result);
    for (int i = 0; i < used; ++i) pmpi.Type_free(&parts[i]);
    for (int i = 1; i <= section.rank; ++i) pmpi.Type_free(&levels[i]);
    pmpi.Type_commit(&result);
    return result;
}

} // namespace

void* ScalarDescriptor::make(const void* like, void* address) {
    std::memcpy(room_, like, sizeof room_);
    auto* const scalar = reinterpret_cast<GnuDescriptor*>(room_);
    scalar->address = address;
    scalar->rank = 0;
    return room_;
}

// Arguments that the MPI would reject stay unchanged, so that the MPI reports them.
FortranSection::FortranSection(const void* descriptor, const void* address, MPI_Count count, MPI_Datatype type)
    : data_{address, count, type} {
    const auto& section = *static_cast<const GnuDescriptor*>(descriptor);
    if (!piggyback_policy.on || count <= 0 || section.rank == 0 || is_contiguous(section)) return;
    if (!is_sound(data_, DataFlow::out)) return;
    data_.type = type_over(section, count, type);
    data_.count = 1;
    own_ = true;
}

FortranSection::~FortranSection() {
    if (!own_) return;
    forget_type(data_.type);
    pmpi.Type_free(&data_.type);
}

} // namespace tactus
