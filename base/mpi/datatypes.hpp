// The size of an element of each datatype, and a number for each predefined datatype. The table is filled at set-up and
// only read afterwards, by any thread.
#pragma once

#include "base/mpi/handle_table.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "mpi_kind.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

class Datatypes {
  public:
    struct Element {
        std::uint64_t size;   // bytes
        std::uint32_t number; // 0: not predefined
    };
    struct Predefined {
        std::uint64_t size; // bytes; 0: not predefined
        bool dense;         // elements follow each other without gaps
    };

    struct Named {
        std::uint32_t number;
        const char* name; // "MPI_DOUBLE"
        std::uint64_t size;
    };

    void learn_predefined(MPI_Comm comm);
    [[nodiscard]] std::vector<Named> predefined() const;

    // Takes a type of which the MPI has just accepted more than 0 elements. It may accept 0 elements of any handle, and
    // would report an invalid type as our mistake, not as the application's. hot
    [[nodiscard]] Element element(MPI_Datatype type) const {
        const std::uint64_t known = table_.find(key_of(type));
        if (known != 0) [[likely]]
            return {known & size_mask, static_cast<std::uint32_t>(known >> 32)};
        return derived(type);
    }
    // The next two take any handle, valid or not. The number of a type that is not predefined is 0. hot
    [[nodiscard]] std::uint32_t number(MPI_Datatype type) const {
        return static_cast<std::uint32_t>(table_.find(key_of(type)) >> 32);
    }
    [[nodiscard]] Predefined predefined(MPI_Datatype type) const { // hot
        const std::uint64_t known = table_.find(key_of(type));
        return {known & size_mask, (known & dense) != 0};
    }

  private:
    static constexpr std::uint64_t size_mask = 0x7fffffff;
    static constexpr std::uint64_t dense = 0x80000000; // the bit above the size
    static Element derived(MPI_Datatype type);

    HandleTable table_;
};

extern Datatypes datatypes;

} // namespace tactus
