// Translates a Fortran buffer that is passed by descriptor (TS 29113), as in MPICH's mpi_f08, into the arguments of C.
// A section of an array becomes a datatype, which lives as long as the FortranSection.
#pragma once

#include "piggyback/mpi/data.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus {

constexpr int most_dimensions = 15; // Fortran 2018, 5.4.6

// The array descriptor of gfortran.
struct GnuDescriptor {
    void* address;
    std::size_t offset;
    std::size_t element_bytes;
    int version;
    signed char rank;
    signed char type;
    short attribute;
    std::int64_t span; // bytes of a stride of 1
    struct {
        std::int64_t stride;
        std::int64_t lower;
        std::int64_t upper;
    } dimensions[most_dimensions]; // Only the first `rank` of these exist in memory.

    [[nodiscard]] std::int64_t extent(int i) const { return dimensions[i].upper - dimensions[i].lower + 1; }
    [[nodiscard]] std::int64_t step_bytes(int i) const { return dimensions[i].stride * span; }
};
constexpr std::size_t scalar_descriptor_bytes = offsetof(GnuDescriptor, dimensions);

// Holds the descriptor of a scalar.
class ScalarDescriptor {
  public:
    // Makes the descriptor of a scalar at `address`, of the same type as that of `like`. The result is valid as long as
    // this object.
    void* make(const void* like, void* address);

  private:
    alignas(8) std::byte room_[scalar_descriptor_bytes]; // NOLINT: make() fills it
};

class FortranSection {
  public:
    // `address` is that of the first element, or what the MPI's C functions accept in its place, like MPI_BOTTOM.
    FortranSection(const void* descriptor, const void* address, MPI_Count count, MPI_Datatype type);
    ~FortranSection();
    FortranSection(const FortranSection&) = delete;
    FortranSection& operator=(const FortranSection&) = delete;
    [[nodiscard]] const Data& data() const { return data_; }

  private:
    Data data_;
    bool own_ = false; // whether data_.type was made here, and is freed here
};

} // namespace tactus
