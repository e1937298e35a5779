/* Datatypes and what buffers should look like. A layout is a datatype together with where its elements lie, so that a
 * whole buffer, gaps included, can be compared with what it must be after a receive. */
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
    bool made; // ours, to be freed

    int elements_per_unit() const { return static_cast<int>(places.size()) / units; }
    int instances(int of_units) const { return (of_units + units - 1) / units; }
    void free() {
        if (made) must(MPI_Type_free(&type));
    }
};

/* Which basic types a unit is made of: an index into a table. */
int random_signature(Random& random);
/* How many units one message may have: MPICH cuts long ones in the middle of an element when elements differ in size,
 * and then calls them truncated. */
int random_count(int signature, int few, int many);

/* Any layout of that signature whose number of units divides `granule`. */
Layout random_layout(int signature, int granule, Random& random);

using Area = std::vector<unsigned char>;
Area untouched(std::size_t bytes);

/* Writes the first `elements` elements of the content named `key` at a place of an area. */
void write(Area& area, std::size_t at, const Layout& layout, int elements, std::uint64_t key);
