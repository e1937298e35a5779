// One message in an MPI call, either as the application gave it or with a header (lengths.hpp says which). The wrapper
// makes a MessageInCall after it has opened the call, and passes what buffer(), count() and type() return to the MPI's
// function. The object lives only in the wrapper's frame; release() takes out what a request needs longer.
//
// The header comes before the data because a receive may be larger than its message: a header after the data would be
// received into the application's buffer.
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

    // These return what to give the MPI in place of the application's arguments `own`, in C or Fortran. They return
    // `own` when the application's arguments stay.
    template <class T> T* buffer(T* own) {
        if (!loaded_) return own;
        return static_cast<T*>(buffer_);
    }
    template <class T> T count(T own) { return loaded_ ? static_cast<T>(count_) : own; }
    template <class T> T* count(T* own) {
        if (!loaded_) return own;
        static_assert(sizeof(T) <= sizeof fortran_count_); // little-endian: the low bytes come first
        fortran_count_ = count_;
        return reinterpret_cast<T*>(&fortran_count_);
    }
    // For a buffer that is passed by a Fortran descriptor.
    void* descriptor_for(void* own) { return loaded_ ? descriptor_.make(own, buffer_) : own; }
    MPI_Datatype type(MPI_Datatype own) { return loaded_ ? type_ : own; }
    MPI_Fint* fortran_type(MPI_Fint* own) {
        if (!loaded_) return own;
        fortran_type_ = fortran_of(type_);
        return &fortran_type_;
    }
    // For calls that send and receive.
    int dest(int own) { return detached_ ? MPI_PROC_NULL : own; }
    MPI_Fint* dest(MPI_Fint* own) {
        if (!detached_) return own;
        fortran_dest_ = MPI_PROC_NULL;
        return &fortran_dest_;
    }

    // Hands the message buffer over to the request that the call began, which must free it. Returns nullptr when there
    // is none.
    [[nodiscard]] MessageBuffer* release() {
        released_ = true;
        return message_buffer_;
    }

  protected:
    MessageInCall() = default;
    // Prepare the message to send or to receive. Arguments that are not sound reach the MPI unchanged.
    void load_out(OpenCall& call, const Destination& to, const Data& data, Mode mode);
    void load_in(MPI_Comm comm, const Data& data, Mode mode);
    // Sends the message by an MPI_Isend of tactus. The application's call then sends to MPI_PROC_NULL, so that its
    // status is only about what it receives. A blocking call waits for that send in await_detached().
    void detach(OpenCall& call, const Destination& to, const Data& data, Mode mode);
    void await_detached();
    // Fills the header and the copy of the small message that was loaded.
    void leave(OpenCall& call, Mode mode);
    // Delivers the received message, if one has arrived. Returns what the call must return in place of `rc`.
    int take(OpenCall& call, int rc, MPI_Status& status);

    bool loaded_ = false;   // the MPI gets other arguments than the application's
    bool spare_ = false;    // the message buffer is one of the thread's spare ones
    bool released_ = false; // the message buffer belongs to a request
    bool detached_ = false;
    MPI_Request detached_request_{}; // only valid if there is a detached_message_buffer_
    MessageBuffer* detached_message_buffer_ = nullptr;
    MPI_Datatype type_{};
    MPI_Count count_ = 0;
    void* buffer_ = nullptr;
    MessageBuffer* message_buffer_ = nullptr;
    alignas(MessageBuffer) std::byte own_[sizeof(MessageBuffer)]; // NOLINT: for a blocking call when memory is refused

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
    // Called after the MPI's function of a blocking send.
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
    // Receives a message that MPI_Mprobe matched. `matched` is the buffer that was made for it then, or nullptr if
    // messages on that communicator have no headers.
    Incoming(const MessageBuffer* matched, const Data& data, Mode mode) {
        if (matched != nullptr) load_in(matched->comm, data, mode);
    }

    // Called after the MPI's function of a blocking receive, and after sent(). Returns what the call must return in
    // place of `rc`.
    int arrive(OpenCall& call, int rc, MPI_Status& status) {
        return message_buffer_ != nullptr ? take(call, rc, status) : rc;
    }
};

// Whether the MPI would accept `source` as the source of a receive.
bool is_source(MPI_Comm comm, int source);

// The send of MPI_Isendrecv. It is detached if the call also receives, because MPICH's request for MPI_Isendrecv does
// not tell the length of what was received, and without the length the message could not be delivered.
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

// MPI_Sendrecv_replace and MPI_Isendrecv_replace, which send and receive with one buffer.
class Exchanged : public MessageInCall {
  public:
    Exchanged(OpenCall& call, MPI_Comm comm, int dest, int tag, int source, const Data& data, Mode mode);

    int arrive(OpenCall& call, int rc, MPI_Status& status);

  private:
    void load_both(OpenCall& call, const Destination& to, int source, const Data& data, Mode mode);

    bool receives_;
};

// Corrects the length in the status of a message that was probed for. Returns whether messages on that communicator
// have headers.
bool repair_probed(const OpenCall& call, MPI_Status& status, MPI_Comm comm);

} // namespace tactus
