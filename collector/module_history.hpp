// Which library a call came from, when libraries are loaded and unloaded while the program runs, and one lies where
// another one lay before. Records keep return addresses. Above the 48 bits of an address they keep its generation: how
// many libraries were unloaded from that page before. So each library of the run has addresses of its own in the trace,
// and whoever reads it looks them up in one list of modules.
#pragma once

#include "collector/process_state.hpp"
#include "trace/definitions.hpp"

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <vector>

namespace tactus {

constexpr unsigned address_bits = 48;

// Both give the call place that a record holds for a call from `call_site`. Any thread may call them; they take no
// lock. No address has a generation while `selective` is false. Who has found it true calls the first.
std::uint64_t call_place_with_generation(const void* call_site);
inline std::uint64_t call_place(const void* call_site) {
    return selective.load(std::memory_order_relaxed) ? call_place_with_generation(call_site)
                                                     : reinterpret_cast<std::uintptr_t>(call_site);
}
// The address that a call place stands for.
constexpr std::uint64_t address_of(std::uint64_t call_place) {
    return call_place & ((std::uint64_t{1} << address_bits) - 1);
}

// Adds what was loaded since the last time to the rank file, and begins generations for what was unloaded.
void note_modules();

// The modules that the rank file names. Any thread may call this.
class ModuleHistory {
  public:
    // Looks again if anything was loaded or unloaded since the last time, and gives those modules that calls may come
    // from and that no call of news() has given before.
    std::vector<Module> news();
    // The modules that are mapped now and that news() has not given, because they name no function of MPI.
    [[nodiscard]] std::vector<Module> others();

  private:
    std::atomic<std::uint64_t> changes_{0}; // module_changes() when it was last looked; written with the lock
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER; // of what follows
    std::vector<Module> mapped_;                       // those that calls may come from, when it was last looked
    std::vector<Module> named_;                        // the same, as news() gave them
};

} // namespace tactus
