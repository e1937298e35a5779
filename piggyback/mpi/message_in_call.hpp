// One message on its way through a call: as the application gave it, or preceded by a header (lengths.hpp says which).
// Made after the call was opened and before the MPI's function is called, which is given what buffer(), count() and
// type() say. It lives in the wrapper only; what a request needs longer is taken out with release().
//
// The header comes before the data, because a receive may be larger than its message: a header after the data would
// be received into the application's buffer.
#pragma once

#include "piggyback/mpi/fortran_section.hpp"
#include "piggyback/mpi/message_buffer.hpp"
#include "piggyback/mpi/policy.hpp"
#include "piggyback/mpi/side_message.hpp"
#include "trace/open_call.hpp"

namespace tactus {

class MessageInCall {
  public:
    MessageInCall(const MessageInCall&) = delete;
    MessageInCall& operator=(const MessageInCall&) = delete;
    ~MessageInCall() {
        if (message_buffer_ != nullptr) [[likely]]
            unload();
    }

    // What to give the MPI in place of the application's arguments, C or Fortran; those themselves when nothing is
    // carried.
    template <class T> T* buffer(T* own) {
        if (!loaded_) return own;
        return static_cast<T*>(buffer_);
    }
    template <class T> T count(T own) { return loaded_ ? static_cast<T>(count_) : own; }
    template <class T> T* count(T* own) {
        if (!loaded_) return own;
        static_assert(sizeof(T) <= sizeof fortran_count_); // the first bytes are the lowest
        fortran_count_ = count_;
        return reinterpret_cast<T*>(&fortran_count_);
    }
    // Of a Fortran descriptor.
    void* descriptor_for(void* own) { return loaded_ ? descriptor_.make(own, buffer_) : own; }
    MPI_Datatype type(MPI_Datatype own) { return loaded_ ? type_ : own; }
    MPI_Fint* fortran_type(MPI_Fint* own) {
        if (!loaded_) return own;
        fortran_type_ = fortran_of(type_);
        return &fortran_type_;
    }
    // Of what goes both ways.
    int dest(int own) { return detached_ ? MPI_PROC_NULL : own; }
    MPI_Fint* dest(MPI_Fint* own) {
        if (!detached_) return own;
        fortran_dest_ = MPI_PROC_NULL;
        return &fortran_dest_;
    }

    // For the request that was begun with it, which then has to free it; nullptr when nothing is carried.
    [[nodiscard]] MessageBuffer* release() {
        released_ = true;
        return message_buffer_;
    }

  protected:
    MessageInCall() = default;
    // Takes what is sound; anything else goes to the MPI as it received.
    void load_out(OpenCall& call, const Destination& to, const Data& data, Mode mode);
    void load_in(MPI_Comm comm, const Data& data, Mode mode);
    // The message goes by a call of ours, and to nobody in the application's, which then tells of what it receives
    // only. A blocking call waits for it, see await_detached().
    void detach(OpenCall& call, const Destination& to, const Data& data, Mode mode);
    void await_detached();
    // The small message that was loaded is on its way.
    void leave(OpenCall& call, Mode mode);
    // It has come, or none has. Gives what the call returns in place of `rc`.
    int take(OpenCall& call, int rc, MPI_Status& status);

    bool loaded_ = false;   // the MPI is given something else than the application's data
    bool spare_ = false;    // the message_buffer is one of the thread's
    bool released_ = false; // it is a request's now
    bool detached_ = false;
    MPI_Request detached_request_{}; // as it is here: none that is to be waited for
    MessageBuffer* detached_message_buffer_ = nullptr;
    MPI_Datatype type_{};
    MPI_Count count_ = 0;
    void* buffer_ = nullptr;
    MessageBuffer* message_buffer_ = nullptr;
    alignas(MessageBuffer)
        std::byte own_[sizeof(MessageBuffer)]; // NOLINT: for a blocking call that is refused one with room

  private:
    bool get_message_buffer(std::size_t room, Mode mode, std::size_t untouched = 0);
    void load_small(const Data& data, std::size_t bytes, DataFlow way, Mode mode);
    void load_large(const Data& data, std::uint64_t bytes, Mode mode);
    void load_side_part(OpenCall& call, const SidePart& side_part, Mode mode);
    void keep_type(MPI_Datatype& type);
    void give(void* buffer, MPI_Count count, MPI_Datatype type);
    void fail();
    void unload();

    ScalarDescriptor descriptor_;
    MPI_Count fortran_count_ = 0;
    MPI_Fint fortran_type_ = 0;
    MPI_Fint fortran_dest_ = 0;
};

class Outgoing : public MessageInCall {
  public:
    Outgoing(OpenCall& call, MPI_Comm comm, int dest, int tag, const Data& data, Mode mode) {
        if (is_carried(call, comm, dest)) load_out(call, {comm, dest, tag}, data, mode);
    }
    // After the MPI's function of a blocking send.
    void sent(OpenCall& call) const {
        if (piggyback_policy.names && message_buffer_ != nullptr && call.recorded()) [[unlikely]]
            call.note_sent_message();
    }
};

class Incoming : public MessageInCall {
  public:
    Incoming(const OpenCall& call, MPI_Comm comm, int source, const Data& data, Mode mode) {
        if (is_carried(call, comm, source)) load_in(comm, data, mode);
    }
    // Of a message that was probed for: `matched` is what was made for it then; nullptr: nothing is carried.
    Incoming(const MessageBuffer* matched, const Data& data, Mode mode) {
        if (matched != nullptr) load_in(matched->comm, data, mode);
    }

    // After the MPI's function of a blocking receive, and after sent(). Gives what the call returns in place of `rc`.
    int arrive(OpenCall& call, int rc, MPI_Status& status) {
        return message_buffer_ != nullptr ? take(call, rc, status) : rc;
    }
};

// Whether the MPI would receive from it.
bool is_source(MPI_Comm comm, int source);

// The send of MPI_Isendrecv. MPICH's request for it tells no length of what was received, and then nobody would know
// where that belongs.
class OutgoingOfSendrecv : public MessageInCall {
  public:
    OutgoingOfSendrecv(OpenCall& call, MPI_Comm comm, int dest, int tag, int source, const Data& data) {
        if (!is_carried(call, comm, dest)) return;
        const Destination to{comm, dest, tag};
        if (source == MPI_PROC_NULL)
            load_out(call, to, data, Mode::starting);
        else if (is_source(comm, source))
            detach(call, to, data, Mode::starting);
    }
};

// MPI_Sendrecv_replace and its like: one buffer.
class Exchanged : public MessageInCall {
  public:
    Exchanged(OpenCall& call, MPI_Comm comm, int dest, int tag, int source, const Data& data, Mode mode);

    int arrive(OpenCall& call, int rc, MPI_Status& status);

  private:
    void load_both(OpenCall& call, const Destination& to, int source, const Data& data, Mode mode);

    bool receives_;
};

// The status of a message that was probed for. Gives whether headers are carried there.
bool repair_probed(const OpenCall& call, MPI_Status& status, MPI_Comm comm);

} // namespace tactus
