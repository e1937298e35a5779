// The buffer of MPI_Bsend: messages with a header need more room than the application calculated, so the MPI gets a
// larger one of ours, and the application back its own.
#pragma once

#include "base/mpi/mpi_functions.hpp"
#include "piggyback/mpi/fortran_section.hpp"
#include "trace/open_call.hpp"

#include <cstddef>

namespace tactus {

class AttachedBuffer {
  public:
    // What the application attaches. The MPI is given ours, unless it would not take the application's, there is
    // nothing to carry, or memory is refused.
    AttachedBuffer(const OpenCall& call, const void* buffer, MPI_Count size);
    ~AttachedBuffer(); // it was not attached
    AttachedBuffer(const AttachedBuffer&) = delete;
    AttachedBuffer& operator=(const AttachedBuffer&) = delete;

    [[nodiscard]] void* buffer(void* own) { return ours_ != nullptr ? ours_ : own; }
    [[nodiscard]] void* descriptor_for(void* own) { return ours_ != nullptr ? descriptor_.make(own, ours_) : own; }
    template <class T> T size(T own) { return ours_ != nullptr ? static_cast<T>(size_) : own; }
    template <class T> T* size(T* own) { return ours_ != nullptr ? reinterpret_cast<T*>(&size_) : own; }
    // After the MPI's function.
    void attached(int rc);

  private:
    void* user_;
    MPI_Count user_size_;
    std::byte* ours_ = nullptr;
    MPI_Count size_ = 0;
    ScalarDescriptor descriptor_;
};

// After MPI_Buffer_detach, which wrote to both: `buffer` is where an address was put, if there was one asked for
// (mpif.h has no use for it), `size` has that many bytes.
void give_back_detached(const OpenCall& call, void* buffer, void* size, std::size_t size_bytes);

} // namespace tactus
