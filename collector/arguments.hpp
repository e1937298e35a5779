// Arguments as the wrappers see them, the same for C and Fortran. Fortran passes everything by address. Its handles are
// integers, and its sentinels are addresses of objects in the MPI. Any thread may call these functions. They read only
// what the MPI would read.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "mpi_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus {

// --- C
inline std::string_view c_text(const char* text) {
    return text == nullptr ? std::string_view{} : std::string_view{text};
}

// --- Fortran
// These recognize the addresses that mean MPI_IN_PLACE, MPI_BOTTOM, MPI_BUFFER_AUTOMATIC, MPI_STATUS_IGNORE and
// MPI_STATUSES_IGNORE. Which objects have them depends on the MPI and on the object file that names them, see
// fortran.cpp.
bool is_fortran_in_place(const void* buffer);
bool is_fortran_bottom(const void* buffer);
bool is_fortran_automatic(const void* buffer);
MPI_Status* fortran_status(MPI_Fint* status);     // MPI_STATUS_IGNORE for its sentinels
MPI_Status* fortran_statuses(MPI_Fint* statuses); // MPI_STATUSES_IGNORE for its sentinels

// The buffer of an MPI_Buffer_attach.
inline const void* fortran_attached(const void* buffer) {
    if (is_fortran_automatic(buffer)) return MPI_BUFFER_AUTOMATIC;
    return buffer;
}
inline const void* fortran_buffer(const void* buffer) {
    if (is_fortran_in_place(buffer)) return MPI_IN_PLACE; // NOLINT
    return is_fortran_bottom(buffer) ? MPI_BOTTOM : buffer;
}
// The address of a buffer that is passed by descriptor (TS 29113). It is the descriptor's first member.
inline const void* fortran_section_address(const void* descriptor) {
    return fortran_buffer(*static_cast<const void* const*>(descriptor));
}
// A Fortran text is padded with blanks and has a hidden length, of which some callers pass only 32 bits.
inline std::string_view fortran_text(const char* text, std::size_t hidden_length) {
    std::size_t length = static_cast<std::uint32_t>(hidden_length);
    while (length > 0 && text[length - 1] == ' ') --length;
    return {text, length};
}

// --- C and Fortran: arrays whose elements are read one by one
struct RequestArray {
    const void* array;
    bool fortran;
    bool f08 = false;

    [[nodiscard]] MPI_Request operator[](int i) const {
        return fortran ? request_of(static_cast<const MPI_Fint*>(array)[i]) : static_cast<const MPI_Request*>(array)[i];
    }
};
inline RequestArray c_requests(const MPI_Request* array) { return {array, false}; }
inline RequestArray fortran_requests(const MPI_Fint* array) { return {array, true}; }
inline RequestArray f08_requests(const MPI_Fint* array) { return {array, true, true}; }

struct TypeArray {
    const void* array;
    bool fortran;

    [[nodiscard]] MPI_Datatype operator[](std::size_t i) const {
        return fortran ? type_of(static_cast<const MPI_Fint*>(array)[i]) : static_cast<const MPI_Datatype*>(array)[i];
    }
};
inline TypeArray c_types(const MPI_Datatype* array) { return {array, false}; }
inline TypeArray fortran_types(const MPI_Fint* array) { return {array, true}; }

// An array of counts as int or as MPI_Count.
struct CountArray {
    const void* array;
    bool large;

    // NOLINTNEXTLINE(google-explicit-constructor): the wrappers pass what they have
    CountArray(const int* counts) : array{counts}, large{false} {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    CountArray(const MPI_Count* counts) : array{counts}, large{true} {}
    [[nodiscard]] MPI_Count operator[](std::size_t i) const {
        return large ? static_cast<const MPI_Count*>(array)[i] : static_cast<const int*>(array)[i];
    }
};

// Positions in an array of requests: Fortran counts from 1.
struct IndexArray {
    const int* array;
    int base;

    [[nodiscard]] int operator[](int i) const { return array[i] - base; }
};

} // namespace tactus
