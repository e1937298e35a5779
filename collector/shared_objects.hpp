// Windows and files: a small number for records, the communicator they were made on, and an identity that all members
// compute alike without any message: hash of (function, identity of the communicator, n-th such creation on it).
// Numbers are found without a lock; making and freeing take one. Any thread.
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
    struct Found { // zeros for one that was made out of our sight
        std::uint32_t comm;
        std::uint32_t number;
    };
    // hot
    [[nodiscard]] Found find(std::uint64_t key) const {
        const std::uint64_t value = table_.find(key);
        return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
    }

    // Numbers one just made, and gives its definition for the caller to record.
    SharedObject define(Function made_by, std::uint64_t key, std::uint32_t comm, std::uint64_t comm_identity,
                        std::string_view name);
    // Forgets the handle before the MPI frees it, since another thread may be given it at once.
    Found retire(std::uint64_t key);
    void restore(std::uint64_t key, Found object);

    // The first ones of the run, as they are repeated at the end of the file.
    [[nodiscard]] std::vector<SharedObject> definitions();

  private:
    static std::uint64_t value_of(Found object) { return std::uint64_t{object.number} << 32 | object.comm; }

    HandleTable table_;
    HandleTable repetitions_; // by hash of what an identity is made of
    std::uint32_t next_ = 1;
    std::vector<SharedObject>* kept_ = nullptr; // never given back: the process may end in any thread
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

} // namespace tactus
