// MPI operations of tactus on communicators of tactus. They are non-blocking with a deadline (CLOCK_MONOTONIC), so that
// a rank that never takes part does not hang the program. The MPI may read and write the memory of such an operation
// until it is complete. So that memory belongs to the operation, not to the caller, and when the operation does not
// complete, the memory is left to the MPI for good.
#pragma once

#include "base/mpi/mpi_functions.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

namespace tactus {

constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

// Waits for the request. False when the deadline has passed while the operation is still under way, or when the MPI
// reports an error.
bool complete_by(MPI_Request& request, std::int64_t deadline_ns);

// The memory of one operation.
class LentMemory {
  public:
    explicit LentMemory(std::size_t bytes);
    ~LentMemory();
    LentMemory(const LentMemory&) = delete;
    LentMemory& operator=(const LentMemory&) = delete;

    [[nodiscard]] std::byte* data() { return data_; } // nullptr: memory is refused
    // Waits for the operation, whose start returned `rc`. False when it did not complete; the memory then stays the
    // MPI's.
    bool complete(int rc, MPI_Request& request, std::int64_t deadline_ns);

  private:
    std::byte* data_;
    bool lent_ = false;
};

// Operations in which all ranks of a communicator take part. Each gives false when the other ranks did not take part in
// time, the MPI reports an error, or memory is refused; the values are then unchanged.
class Together {
  public:
    Together(MPI_Comm comm, std::int64_t deadline_ns) : comm_{comm}, deadline_ns_{deadline_ns} {}

    [[nodiscard]] bool wait_for_all() const;
    [[nodiscard]] bool duplicate(MPI_Comm& made) const; // with MPI_ERRORS_RETURN
    // The value of rank 0 becomes that of all ranks.
    template <class T> [[nodiscard]] bool broadcast(T& value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        return broadcast_bytes(&value, sizeof value);
    }
    // Every rank gets the values of all ranks. `all` must have an element for each rank.
    template <class T> [[nodiscard]] bool gather(const T& own, std::vector<T>& all) const {
        static_assert(std::is_trivially_copyable_v<T>);
        return gather_bytes(&own, sizeof own, all.data(), all.size());
    }
    // Reduces element by element. The result goes to all ranks, or with reduce_to_first() only to rank 0.
    template <class Values> [[nodiscard]] bool reduce(Values&& values, MPI_Op op) const {
        return reduce_values(std::data(values), std::size(values), sizeof *std::data(values),
                             type_of(*std::data(values)), op, false);
    }
    template <class Values> [[nodiscard]] bool reduce_to_first(Values&& values, MPI_Op op) const {
        return reduce_values(std::data(values), std::size(values), sizeof *std::data(values),
                             type_of(*std::data(values)), op, true);
    }

  private:
    static MPI_Datatype type_of(double) { return handle.DOUBLE; }
    static MPI_Datatype type_of(std::uint64_t) { return handle.UINT64_T; }
    static MPI_Datatype type_of(std::int64_t) { return handle.INT64_T; }
    [[nodiscard]] bool broadcast_bytes(void* value, std::size_t bytes) const;
    [[nodiscard]] bool gather_bytes(const void* own, std::size_t bytes, void* all, std::size_t ranks) const;
    [[nodiscard]] bool reduce_values(void* values, std::size_t count, std::size_t size, MPI_Datatype type, MPI_Op op,
                                     bool to_first) const;

    MPI_Comm comm_;
    std::int64_t deadline_ns_;
};

} // namespace tactus
