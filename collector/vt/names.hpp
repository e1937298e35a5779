// The classes, symbols, counters and source locations that the application defined, with their handles. Any thread may
// call this. Defining takes a lock, but finding a symbol does not.
#pragma once

#include "base/mpi/handle_table.hpp"
#include "collector/process_state.hpp"
#include "trace/definitions.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>

namespace tactus {

// Handles that the application picks itself (VT_symdef) are below those of tactus.
constexpr int first_own_handle = 1 << 24;
// In a counter's handle: the counter's values come as two halves.
constexpr int halves_bit = 1 << 30;

// In a scope's handle, so that regions and scopes are not taken for each other.
constexpr int scope_bit = 1 << 29;

// In a source location's handle, so that a program that passes another handle in its place is noticed.
constexpr int scl_bit = 1 << 28;

// The result of a definition: its handle, and the definition itself when it is new.
template <class T> struct Defined {
    int id = 0;
    std::optional<T> fresh{};
};

class VtNames {
  public:
    // The number of a handle's symbol (a function), or scope; 0: there is none. hot
    [[nodiscard]] std::uint32_t symbol(int id) const {
        const auto number = static_cast<std::uint32_t>(id) - first_own_handle;
        if (number - 1 < symbols_.load(std::memory_order_acquire)) [[likely]] // pairs with the release in add_symbol()
            return number;
        return id < 0 ? 0 : static_cast<std::uint32_t>(picked_.find(static_cast<std::uint64_t>(id) + 1));
    }
    [[nodiscard]] std::uint32_t scope(int id) const { return (id & scope_bit) != 0 ? symbol(id & ~scope_bit) : 0; }
    // The number of a handle's source location; 0: there is none, as for VT_NOSCL.
    [[nodiscard]] std::int32_t scl(int id) const { return in(id ^ scl_bit, scls_) ? id ^ scl_bit : 0; }
    [[nodiscard]] bool is_counter(int id) const { return in(id & ~halves_bit, counters_); }
    [[nodiscard]] bool is_class(int id) const { return in(id, classes_); } // VT_NOCLASS is not
    int define_class(std::string_view name);
    // `classhandle` is a class or VT_NOCLASS.
    Defined<Symbol> define_symbol(std::string_view name, int classhandle);
    // `begin_scl` and `end_scl` are numbers of locations, or 0.
    Defined<Symbol> define_scope(std::string_view name, int classhandle, std::int32_t begin_scl, std::int32_t end_scl);
    // The scope that has the name of a function, for regions that may overlap.
    Defined<Symbol> define_scope_like(std::uint32_t symbol);
    // Defines a symbol with the application's own handle. The result has id -1 when the handle is another symbol's.
    Defined<Symbol> pick_symbol(int id, std::string_view name, std::string_view activity);
    // The handle has the counter's number, and whether values come as two halves. The result has id -1 when the name is
    // a counter of another type.
    Defined<Counter> define_counter(std::string_view name, int classhandle, Counter counter, bool in_halves);
    Defined<Scl> define_scl(std::string_view file, int line);
    void define_thread(ThreadName named);

    // Adds all definitions. The end of the file needs them, and so does the start: some were made before MPI_Init.
    void add_to(Definitions& definitions);

  private:
    struct Tables;
    static bool in(int id, const std::atomic<std::uint32_t>& count) {
        return static_cast<std::uint32_t>(id) - 1 < count.load(std::memory_order_acquire);
    }
    Tables& tables();
    std::string full_name(std::string_view name, int classhandle);
    Defined<Symbol> add_symbol(std::string name, const Symbol& like);
    Defined<Symbol> add_scope(std::string name, std::int32_t begin_scl, std::int32_t end_scl);

    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    Tables* tables_ = nullptr; // made at the first definition, never destroyed
    HandleTable picked_;       // handle + 1 to number
    std::atomic<std::uint32_t> symbols_{0};
    std::atomic<std::uint32_t> counters_{0};
    std::atomic<std::uint32_t> scls_{0};
    std::atomic<std::uint32_t> classes_{0};
};

} // namespace tactus
