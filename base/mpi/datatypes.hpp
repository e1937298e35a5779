// Datatypes: the size of an element, and a number for the predefined ones. Filled at set-up, then only read; any
// thread.
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
        std::uint64_t size; // bytes; 0: it is none
        bool dense;         // one after the other without gaps
    };

    struct Named {
        std::uint32_t number;
        const char* name; // "MPI_DOUBLE"
        std::uint64_t size;
    };

    void learn_predefined();
    [[nodiscard]] std::vector<Named> predefined() const;

    // Of a type that the MPI has just accepted (a wrong one would be reported as our mistake, not the application's).
    // hot
    [[nodiscard]] Element element(MPI_Datatype type) const {
        const std::uint64_t known = table_.find(key_of(type));
        if (known != 0) [[likely]]
            return {known & size_mask, static_cast<std::uint32_t>(known >> 32)};
        return derived(type);
    }
    // Of any handle. hot
    [[nodiscard]] Predefined predefined(MPI_Datatype type) const {
        const std::uint64_t known = table_.find(key_of(type));
        return {known & size_mask, (known & dense) != 0};
    }

  private:
    static constexpr std::uint64_t size_mask = 0x7fffffff;
    static constexpr std::uint64_t dense = 0x80000000; // beside the size
    static Element derived(MPI_Datatype type);

    HandleTable table_;
};

extern Datatypes datatypes;

} // namespace tactus
