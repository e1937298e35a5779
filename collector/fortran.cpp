#include "collector/fortran.hpp"

#include "base/mpi/libraries.hpp"
#include "collector/arguments.hpp"
#include "collector/modules.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <iterator>

namespace tactus {

constinit void* fortran_originals[fortran_count + 1] = {};
constinit void* fortran_mpi[fortran_count + 1] = {};

namespace {

// Where the sentinels are, in the order of their tables.
template <std::size_t n> struct Places { std::array<std::atomic<const void*>, n> place{}; };
constinit Places<std::size(in_place_sentinels)> in_place;
constinit Places<std::size(bottom_sentinels)> bottom;
constinit Places<std::size(status_sentinels)> status_ignore;
constinit Places<std::size(statuses_sentinels)> statuses_ignore;
constinit Places<std::size(automatic_sentinels)> automatic;

// The global scope comes first: a program that names an object holds a copy of it, and the MPI uses that copy.
void* find_symbol(const char* name) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    return found != nullptr ? found : find_in_libraries(fortran_library_names, name);
}

template <class Table, std::size_t n> void find(const Table& table, Places<n>& places) {
    for (std::size_t i = 0; i < n; ++i)
        if (places.place[i].load(std::memory_order_relaxed) == nullptr)
            places.place[i].store(find_symbol(table[i].symbol), std::memory_order_relaxed);
}

template <class Table, std::size_t n> bool is_one_of(const void* address, const Table& table, const Places<n>& places) {
    for (std::size_t i = 0; i < n; ++i) {
        const void* const place = places.place[i].load(std::memory_order_relaxed); // pairs with nothing: set once
        if (place == nullptr) continue;
        if (address == (table[i].holds_address ? *static_cast<void* const*>(place) : place)) return true;
    }
    return false;
}

} // namespace

bool is_fortran_in_place(const void* buffer) {
    return buffer != nullptr && is_one_of(buffer, in_place_sentinels, in_place);
}

bool is_fortran_bottom(const void* buffer) { return buffer != nullptr && is_one_of(buffer, bottom_sentinels, bottom); }

bool is_fortran_automatic(const void* buffer) { return is_one_of(buffer, automatic_sentinels, automatic); }

MPI_Status* fortran_status(MPI_Fint* status) {
    return is_one_of(status, status_sentinels, status_ignore) ? MPI_STATUS_IGNORE
                                                              : reinterpret_cast<MPI_Status*>(status);
}

MPI_Status* fortran_statuses(MPI_Fint* statuses) {
    return is_one_of(statuses, statuses_sentinels, statuses_ignore) ? MPI_STATUSES_IGNORE
                                                                    : reinterpret_cast<MPI_Status*>(statuses);
}

bool find_fortran(std::size_t procedure) {
    find(in_place_sentinels, in_place);
    find(bottom_sentinels, bottom);
    find(status_sentinels, status_ignore);
    find(statuses_sentinels, statuses_ignore);
    find(automatic_sentinels, automatic);
    const char* const name = fortran_list[procedure].name;
    void* found = dlsym(RTLD_NEXT, name);
    void* mpi = found;
    if (found == nullptr || !is_mpi_code(found)) mpi = find_in_libraries(fortran_library_names, name);
    if (mpi == nullptr) mpi = found;
    if (found == nullptr) found = mpi;
    fortran_mpi[procedure] = mpi;
    __atomic_store_n(&fortran_originals[procedure], found, __ATOMIC_RELEASE); // before a wrapper can call it
    return found != nullptr;
}

} // namespace tactus
