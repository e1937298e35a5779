// The data of a message, as the application describes it. Any thread.
#pragma once

#include "base/mpi/datatypes.hpp"
#include "base/mpi/mpi_functions.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

struct Data {
    const void* buffer;
    MPI_Count count;
    MPI_Datatype type;

    [[nodiscard]] std::uint64_t bytes() const; // of sound data; packed
};
enum class DataFlow : unsigned char { out = 1, in = 2, both = 3 };

// Whether the MPI would take these arguments. What it would not take must reach it as it received, for inside a
// datatype of ours a mistake would be hidden, or told to the wrong error handler.
bool is_sound(const Data& data, DataFlow way);
struct TypeFacts {
    bool dense; // elements lie one after the other without gaps
    bool even;  // all basic elements have the same size, which divides 8; false: or it is not known
};
// Of one that is sound.
TypeFacts facts_of(MPI_Datatype type);
// Where its first `bytes` lie, in the order in which they are packed, relative to its buffer. Empty: it is not known.
struct Piece {
    std::ptrdiff_t at;
    std::size_t bytes;
};
std::vector<Piece> first_pieces(const Data& data, std::size_t bytes);
// Before the MPI frees the type: its handle may come again for another one.
void forget_type(MPI_Datatype type);

// That many bytes in a row, as the MPI counts them: in elements of one byte, or, when these are too many, as one
// element.
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

// By a message to ourselves, which may be shorter than its room, and may be of more than MPI_Pack can count.
void copy_by_message(const Data& from, const Data& to);
// All of it, in one piece of `bytes`, from and to where the application has it.
void pack(const Data& data, void* to, std::size_t bytes);
void unpack(const void* from, std::size_t bytes, const Data& data);
// The first `bytes` of it, which may end in the middle of an element.
void unpack_part(const std::byte* from, std::size_t bytes, const Data& data);

// Header and data as one element, committed; of the address of the header. A null type when the MPI has no memory.
MPI_Datatype type_after_header(const void* header, const Data& data);

} // namespace tactus
