// The attached buffers of MPI_Bsend. Messages with a header need more room than the application calculated. So tactus
// attaches a larger buffer instead, and returns the application's buffer when the application detaches it.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "piggyback/mpi/fortran_section.hpp"
#include "trace/open_call.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus {

// What a buffer is attached to: the process, or since MPI 4.1 a communicator or a session. Each has at most one.
struct BufferOwner {
    enum class Kind : std::uint8_t { process, communicator, mpi_session };
    Kind kind = Kind::process;
    std::uint64_t key = 0; // of the communicator's or session's handle
    static BufferOwner of_comm(std::uint64_t key) { return {Kind::communicator, key}; }
    static BufferOwner of_session(std::uint64_t key) { return {Kind::mpi_session, key}; }
    bool operator==(const BufferOwner&) const = default;
};

struct Attached;

class AttachedBuffer {
  public:
    // Takes the application's arguments of MPI_Buffer_attach and its relatives. The application's buffer is kept when
    // the MPI would not accept it, when it is MPI_BUFFER_AUTOMATIC, when messages carry no headers, or when memory is
    // refused.
    AttachedBuffer(const OpenCall& call, BufferOwner owner, const void* buffer, MPI_Count size);
    ~AttachedBuffer(); // frees the larger buffer if attached() did not hand it to the MPI
    AttachedBuffer(const AttachedBuffer&) = delete;
    AttachedBuffer& operator=(const AttachedBuffer&) = delete;

    // What to give the MPI in place of the application's arguments `own`, C or Fortran.
    [[nodiscard]] void* buffer(void* own) { return ours_ != nullptr ? ours_ : own; }
    [[nodiscard]] void* descriptor_for(void* own) { return ours_ != nullptr ? descriptor_.make(own, ours_) : own; }
    template <class T> T size(T own) { return ours_ != nullptr ? static_cast<T>(size_) : own; }
    template <class T> T* size(T* own) { return ours_ != nullptr ? reinterpret_cast<T*>(&size_) : own; }
    // Called after the MPI's function, with its return code.
    void attached(int rc);

  private:
    BufferOwner owner_;
    void* user_;
    MPI_Count user_size_;
    std::byte* ours_ = nullptr;
    Attached* entry_ = nullptr; // for the list of what is attached
    MPI_Count size_ = 0;
    ScalarDescriptor descriptor_;
};

// Called after MPI_Buffer_detach, which wrote to `buffer` and `size`: replaces what it wrote by the application's
// buffer and size, and frees the larger buffer. `buffer` is where the MPI wrote the address; it may be nullptr, since
// mpif.h has no use for the address. `size` points to an integer of `size_bytes` bytes.
void give_back_detached(const OpenCall& call, BufferOwner owner, void* buffer, void* size, std::size_t size_bytes);

} // namespace tactus
