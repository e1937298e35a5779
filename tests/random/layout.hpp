/* Datatypes and the expected content of buffers. A layout is a datatype with the places of its elements, so that a
 * whole buffer, including gaps, can be compared with what it must be after a receive. */
#pragma once
#include "context.hpp"

#include <cstddef>
#include <string>

struct Place {
    std::size_t offset, size;
};

/* A committed datatype of `units` units of a signature. */
struct Layout {
    MPI_Datatype type;
    std::vector<Place> places;
    std::size_t extent;
    int units;
    bool made; // made here, so it must be freed

    int elements_per_unit() const { return static_cast<int>(places.size()) / units; }
    int instances(int of_units) const { return (of_units + units - 1) / units; }
    void free() {
        if (made) must(MPI_Type_free(&type));
    }
};

/* Chooses the basic types of a unit: an index into a table. */
int random_signature(Random& random);
/* How many units a message may have. It is limited because MPICH cuts long messages in the middle of an element if
 * elements differ in size, and then reports them as truncated. */
int random_count(int signature, int few, int many);

/* A random layout of this signature. Its number of units divides `granule`. */
Layout random_layout(int signature, int granule, Random& random);

using Area = std::vector<unsigned char>;
Area untouched(std::size_t bytes);

/* Writes the first `elements` elements of the content named `key` to a place in an area. */
void write(Area& area, std::size_t at, const Layout& layout, int elements, std::uint64_t key);
