// Functions that note in a call's record what the call did. They may be called only after the call succeeded, and only
// when it is recorded.
#pragma once

#include "base/mpi/datatypes.hpp"
#include "collector/call.hpp"

namespace tactus {

// A status that the MPI can always fill: the application's, or one of tactus when the application passes
// MPI_STATUS_IGNORE.
class StatusSlot {
  public:
    explicit StatusSlot(MPI_Status* status) : status_{status == MPI_STATUS_IGNORE ? &own_ : status} {}
    StatusSlot(const StatusSlot&) = delete;
    StatusSlot& operator=(const StatusSlot&) = delete;
    [[nodiscard]] MPI_Status* get() { return status_; }
    [[nodiscard]] MPI_Fint* fortran() { return reinterpret_cast<MPI_Fint*>(status_); }
    MPI_Status& operator*() { return *status_; }
    const MPI_Status& operator*() const { return *status_; }

  private:
    MPI_Status own_; // NOLINT: the MPI fills it
    MPI_Status* status_;
};

// The handle that an argument points to, read before the call changes it. For a null pointer this returns `null`, and
// the MPI reports the error.
template <class Handle> Handle handle_or(const Handle* argument, Handle null) {
    return argument != nullptr ? *argument : null;
}

// Notes that `count` elements were sent or go into a collective. hot
inline void note_moved(Call& call, MPI_Count count, MPI_Datatype type) {
    Signature& what = call.record().what;
    if (count <= 0 || what.peer == peer::proc_null) return;
    const Datatypes::Element element = datatypes.element(type);
    what.bytes = static_cast<std::uint64_t>(count) * element.size;
    what.type = element.number;
}
// Note that a receive was posted, or that a message was received or probed for.
void note_posted(Call& call, MPI_Datatype type);
void note_received(Call& call, const StatusSlot& status, MPI_Datatype type);
void note_probed(Call& call, const StatusSlot& status);
// Notes that the call sent one message and received another.
void note_exchanged(Call& call, MPI_Count count, MPI_Datatype type, const StatusSlot& status);
// Notes what was written to or read from a file.
void note_transferred(Call& call, const StatusSlot& status, MPI_Datatype type);

} // namespace tactus
