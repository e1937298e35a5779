// One message on its way through a call: as the application gave it, or with a header in front. Made behind the Call
// and in front of the MPI's function, which is given what buffer(), count() and type() say. It only lives in the
// wrapper; what a request needs longer is taken out with release().
//
// The header is in front, for a receive may be larger than its message: behind the data, it would land in the
// application's buffer.
#pragma once

#include "collector/call.hpp"
#include "collector/piggyback/carrying.hpp"
#include "collector/piggyback/parcel.hpp"

#include "collector/piggyback/described.hpp"

namespace tactus {

class Cargo {
  public:
    Cargo(const Cargo&) = delete;
    Cargo& operator=(const Cargo&) = delete;
    ~Cargo() {
        if (loaded_) [[likely]]
            unload();
    }

    // What to give the MPI in place of the application's arguments, C or Fortran; those themselves when nothing is
    // carried.
    template <class T> T* buffer(T* own) {
        if (!loaded_) return own;
        return static_cast<T*>(static_cast<void*>(&parcel_->header));
    }
    template <class T> T count(T own) { return loaded_ ? static_cast<T>(count_) : own; }
    template <class T> T* count(T* own) {
        if (!loaded_) return own;
        static_assert(sizeof(T) <= sizeof fortran_count_); // the first bytes are the lowest
        fortran_count_ = count_;
        return reinterpret_cast<T*>(&fortran_count_);
    }
    // Of a Fortran descriptor.
    void* described(void* own) { return loaded_ ? descriptor_.make(own, &parcel_->header) : own; }
    MPI_Datatype type(MPI_Datatype own) { return loaded_ ? type_ : own; }
    MPI_Fint* fortran_type(MPI_Fint* own) {
        if (!loaded_) return own;
        fortran_type_ = fortran_of(type_);
        return &fortran_type_;
    }

    // For the request that was begun with it, which then has to free it; nullptr when nothing is carried.
    [[nodiscard]] Parcel* release() {
        released_ = true;
        return parcel_;
    }

  protected:
    Cargo() = default;
    // Takes what is sound; anything else goes to the MPI as it came. `tells_length`: the status will.
    void load(const Data& data, Way way, Mode mode, bool tells_length = true);
    void fail();
    void unload();
    // The message is on its way, with a header.
    void leave(Call& call, Mode mode);
    static void name_sent(Call& call);
    // A receive is posted for it.
    static void await(Mode mode);
    // It has come, or none has.
    void take(Call& call, MPI_Status& status);

    bool loaded_ = false;
    bool spare_ = false;    // the parcel is one of the thread's
    bool released_ = false; // it is a request's now
    MPI_Datatype type_{};
    MPI_Count count_ = 0;
    Parcel* parcel_ = nullptr;
    alignas(Parcel) std::byte own_[sizeof(Parcel)]; // NOLINT: for a blocking call that is refused one with room

  private:
    ScalarDescriptor descriptor_;
    MPI_Count fortran_count_ = 0;
    MPI_Fint fortran_type_ = 0;
};

class Outgoing : public Cargo {
  public:
    Outgoing(Call& call, MPI_Comm comm, int dest, const Data& data, Mode mode) {
        if (!is_carried(call, comm, dest)) return;
        load(data, Way::out, mode);
        if (parcel_ != nullptr && mode != Mode::persistent) leave(call, mode);
    }
    // Behind the MPI's function of a blocking send.
    void sent(Call& call) const {
        if (carrying.names && parcel_ != nullptr && call.recorded()) [[unlikely]]
            name_sent(call);
    }
};

class Incoming : public Cargo {
  public:
    Incoming(const Call& call, MPI_Comm comm, int source, const Data& data, Mode mode, bool tells_length = true) {
        if (is_carried(call, comm, source)) load(data, Way::in, mode, tells_length);
        if (parcel_ != nullptr) await(mode);
    }
    // Of a matched probe.
    Incoming(const Call& call, MPI_Message message, const Data& data, Mode mode);

    // Behind the MPI's function of a blocking receive, and behind sent().
    void arrive(Call& call, MPI_Status& status) {
        if (parcel_ != nullptr) take(call, status);
    }
};

// MPI_Sendrecv_replace and its like: one buffer, so one header, which is replaced as well.
class Exchanged : public Cargo {
  public:
    Exchanged(Call& call, MPI_Comm comm, int dest, int source, const Data& data, Mode mode);

    void arrive(Call& call, int rc, MPI_Status& status);

  private:
    bool receives_;
};

// The status of a message that was probed for. Gives whether it has a header.
bool repair_probed(const Call& call, MPI_Status& status, MPI_Comm comm);

} // namespace tactus
