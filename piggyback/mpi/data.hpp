// The data of a message, as the application describes it. Any thread.
#pragma once

#include "base/mpi/datatypes.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "piggyback/header.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

struct Data {
    const void* buffer;
    MPI_Count count;
    MPI_Datatype type;

    [[nodiscard]] std::uint64_t bytes() const; // when packed; only for data for which is_sound() is true
};
enum class DataFlow : unsigned char { out = 1, in = 2, both = 3 };

// Whether the MPI would accept these arguments. Arguments that it would reject must reach it unchanged: inside a
// datatype made by tactus a mistake would be hidden, or the wrong error handler would be called. The MPI itself is
// asked about a type that is not predefined, by a message to MPI_PROC_NULL.
bool is_sound(const Data& data, DataFlow way);
// Returns `data` with a type that may be used in questions and datatypes. MPICH accepts 0 elements of any handle, and
// such a handle may be no type.
Data with_valid_type(const Data& data);
struct TypeFacts {
    bool dense; // elements lie one after the other without gaps
    bool even;  // all basic elements have the same size, which divides 8; false also when that is not known
};
// Only for a type for which is_sound() was true.
TypeFacts facts_of(MPI_Datatype type);
// A contiguous part of the data, `at` bytes from the buffer.
struct Piece {
    std::ptrdiff_t at;
    std::size_t bytes;
};
// Returns where the first `bytes` of the data lie, in the order in which they are packed. The result is empty when that
// is not known.
std::vector<Piece> first_pieces(const Data& data, std::size_t bytes);
// To be called before the MPI frees the type, since the MPI may use the same handle for another type.
void forget_type(MPI_Datatype type);

// Count and datatype of `bytes` contiguous bytes: elements of one byte, or one large element when an int cannot count
// the bytes. Owns the datatype that it makes.
class OnePiece {
  public:
    OnePiece(const void* at, std::size_t bytes);
    ~OnePiece();
    OnePiece(const OnePiece&) = delete;
    OnePiece& operator=(const OnePiece&) = delete;
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] MPI_Datatype type() const { return type_; }

  private:
    int count_;
    MPI_Datatype type_;
};

// Copies by a message from the process to itself. Unlike with MPI_Unpack, `from` may be shorter than `to`, and both may
// have more bytes than an int counts. Returns whether the MPI accepts such a message: MPICH refuses one that ends
// inside a basic element of `to`, unless that is dense.
bool copy_by_message(const Data& from, const Data& to);
// Copies all of `data` to or from one contiguous piece of `bytes`.
void pack(const Data& data, void* to, std::size_t bytes);
void unpack(const void* from, std::size_t bytes, const Data& data);
// Copies only the first `bytes` into `data`; they may end in the middle of an element. Returns whether the MPI would
// accept a message of so many bytes there.
bool unpack_part(const std::byte* from, std::size_t bytes, const Data& data);

// Returns a committed datatype that covers the first bytes of the header and the data as one element, relative to the
// address of the header. The caller frees it. It is MPI_DATATYPE_NULL when the MPI has no memory.
MPI_Datatype type_after_header(const void* header, const Data& data, int of_header = static_cast<int>(header_bytes));

} // namespace tactus
