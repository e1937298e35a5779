// Windows and files. Each has a small number for records, the communicator it was made on, and an identity. All members
// compute the same identity without any message: it is a hash of (function, identity of the communicator, n), for the
// n-th such creation on that communicator. Finding a number takes no lock; making and freeing take one. Any thread may
// call all of this.
#pragma once

#include "base/mpi/handle_table.hpp"
#include "collector/process_state.hpp"
#include "trace/definitions.hpp"

#include <cstdint>
#include <pthread.h>
#include <string_view>
#include <vector>

namespace tactus {

class SharedObjects {
  public:
    struct Found { // zeros when the collector did not see the object being made
        std::uint32_t comm;
        std::uint32_t number;
    };
    // hot
    [[nodiscard]] Found find(std::uint64_t key) const {
        const std::uint64_t value = table_.find(key);
        return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
    }

    // Numbers an object that was just made, and returns its definition for the caller to record.
    SharedObject define(Function made_by, std::uint64_t key, std::uint32_t comm, std::uint64_t comm_identity,
                        std::string_view name);
    // retire() forgets a handle. It is called before the MPI frees the object, because another thread may get the same
    // handle at once. restore() takes that back when the MPI did not free it.
    Found retire(std::uint64_t key);
    void restore(std::uint64_t key, Found object);

    // The first objects of the run, which are defined again at the end of the file.
    [[nodiscard]] std::vector<SharedObject> definitions();

  private:
    static std::uint64_t value_of(Found object) { return std::uint64_t{object.number} << 32 | object.comm; }

    HandleTable table_;
    HandleTable repetitions_; // how many were made, by hash of function and communicator
    std::uint32_t next_ = 1;
    std::vector<SharedObject>* kept_ = nullptr; // never freed: the process may end in any thread
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

} // namespace tactus
