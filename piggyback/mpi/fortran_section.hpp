// A Fortran buffer passed by descriptor (TS 29113), as MPICH's mpi_f08 has them, in terms of C: sections of arrays
// become a datatype, which lives as long as this.
#pragma once

#include "piggyback/mpi/data.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus {

constexpr int most_dimensions = 15; // Fortran 2018, 5.4.6

struct GnuDescriptor {
    void* address;
    std::size_t offset;
    std::size_t element_bytes;
    int version;
    signed char rank;
    signed char type;
    short attribute;
    std::int64_t span; // bytes that a stride of 1 is
    struct {
        std::int64_t stride;
        std::int64_t lower;
        std::int64_t upper;
    } dimensions[most_dimensions]; // as many as `rank`, no more is there

    [[nodiscard]] std::int64_t extent(int i) const { return dimensions[i].upper - dimensions[i].lower + 1; }
    [[nodiscard]] std::int64_t step_bytes(int i) const { return dimensions[i].stride * span; }
};
constexpr std::size_t scalar_descriptor_bytes = offsetof(GnuDescriptor, dimensions);

// A scalar of the same kind at `address`.
class ScalarDescriptor {
  public:
    void* make(const void* like, void* address);

  private:
    alignas(8) std::byte room_[scalar_descriptor_bytes]; // NOLINT: filled when it is used
};

class FortranSection {
  public:
    // `address`: of its first element, or what the MPI's C functions take in its place.
    FortranSection(const void* descriptor, const void* address, MPI_Count count, MPI_Datatype type);
    ~FortranSection();
    FortranSection(const FortranSection&) = delete;
    FortranSection& operator=(const FortranSection&) = delete;
    [[nodiscard]] const Data& data() const { return data_; }

  private:
    Data data_;
    bool own_ = false; // the type
};

} // namespace tactus
