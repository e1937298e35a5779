// The Wait and Test families. The handles are read before the MPI clears them. After the call a request is complete
// exactly if its handle was cleared, or, if it is persistent, if the call says so. One completion fits into the call's
// record; several are stored as words.
#pragma once

#include "collector/call_requests.hpp"
#include "piggyback/mpi/delays.hpp"

namespace tactus {

class Batch {
  public:
    // Reads the `count` handles of `array`, before the MPI is called. `statuses` are the application's. When messages
    // have headers, this is needed even if the call is not recorded.
    Batch(Call& call, int count, RequestArray array, MPI_Status* statuses);
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    // The statuses to give the MPI: tactus's, when the application ignores its own.
    [[nodiscard]] MPI_Status* statuses() { return statuses_; }
    [[nodiscard]] MPI_Fint* fortran_statuses() { return reinterpret_cast<MPI_Fint*>(statuses_); }

    // Called after the MPI's call, to note which requests it completed. The call is stored, unless it completed none:
    // then its destructor stores it as a miss. Each function returns what the wrapper returns in place of `rc`. hot
    int one(int rc, bool done, MPI_Status& status) {
        return missed(rc, done) ? miss() : completed_one(rc, done, status);
    }
    int all(int rc, bool done) { return missed(rc, done) ? miss() : completed_all(rc, done); }
    int any(int rc, bool done, int index, MPI_Status& status) {
        return missed(rc, done) ? miss() : completed_any(rc, done, index, status);
    }
    // `done` is the number of completed requests; MPI_UNDEFINED when no request was active. A Wait never misses,
    // because it completes at least one.
    int some(int rc, int done, IndexArray indices) {
        return missed(rc, done != 0) ? miss() : completed_some(rc, done, indices);
    }

    // The same for MPI_Request_get_status_any, _all and _some: each request stays, and completes again in a Wait or
    // Test. `seen`: the call said that one, or all, are complete.
    void saw_any(bool seen, int index, MPI_Status& status);
    void saw_all(bool seen);
    void saw_some(int seen, IndexArray indices);

  private:
    void see(int index, MPI_Status& status);
    void store_seen(bool any);
    static bool missed(int rc, bool done) { return rc == MPI_SUCCESS && !done; }
    int miss() {
        call_.missed();
        return MPI_SUCCESS;
    }
    int completed_one(int rc, bool done, MPI_Status& status);
    int completed_all(int rc, bool done);
    void complete_ignored();
    int completed_any(int rc, bool done, int index, MPI_Status& status);
    int completed_some(int rc, int done, IndexArray indices);
    bool get_room();
    [[nodiscard]] bool is_cleared(int index) const;
    [[nodiscard]] int request_index(int index) const;
    inline void take(int index, bool said, MPI_Status& status, int error);
    void unload(const PendingRequest& request, MPI_Status& status, int error);
    int ended(int rc, int several);
    inline void put(PendingRequest request, const MPI_Status& status);
    void put_skipped(std::uint32_t comm, RequestKind kind, const MPI_Status& status);
    void store();
    void define_duplicates();

    Call& call_;
    RequestArray requests_;
    Ticks since_ = 0;
    int count_;
    int completed_ = 0;
    int unloaded_ = 0;
    bool cut_ = false;        // a receive's message was too long, which only tactus knows
    MPI_Comm cut_comm_{};     // of the first such receive
    std::size_t named_ = 0;   // receives whose messages' numbers are in names_
    std::int64_t sender_ = 0; // number of the message that was unloaded last; 0: unknown
    Arrivals arrivals_;
    std::size_t used_ = 0;
    std::int64_t* words_ = nullptr;
    std::int64_t* names_ = nullptr; // words of a Kind::message_ids
    MPI_Request* before_ = nullptr;
    MPI_Status* statuses_;
    bool ignored_;                      // the application ignores its own statuses
    PendingComm* duplicates_ = nullptr; // of MPI_Comm_idup
    // Room for a few requests.
    static constexpr int own = 16;
    std::int64_t own_words_[own * Completion::most_words]; // NOLINT: filled when used, as the next three
    std::int64_t own_names_[1 + own];                      // NOLINT
    MPI_Request own_before_[own];                          // NOLINT
    MPI_Status own_statuses_[own];                         // NOLINT
};

// Whether a call on several requests filled their statuses.
inline bool has_statuses(int rc) { return rc == MPI_SUCCESS || class_of(rc) == MPI_ERR_IN_STATUS; }

// Called after MPI_Request_get_status found its request complete. The request stays, and completes again in a Wait or
// Test.
void saw_complete(Call& call, MPI_Request request, MPI_Status& status);

} // namespace tactus
