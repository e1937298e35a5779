#include "collector/shared_objects.hpp"

#include "base/locked.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tactus {
namespace {

constexpr std::size_t most_objects_kept = 4096;

} // namespace

SharedObject SharedObjects::define(Function made_by, std::uint64_t key, std::uint32_t comm, std::uint64_t comm_identity,
                                   std::string_view name) {
    const std::uint64_t made_of[] = {static_cast<std::uint64_t>(made_by), comm_identity};
    const std::uint64_t hash = XXH3_64bits(made_of, sizeof made_of) | 1;
    const Locked hold{lock_};
    const std::uint64_t repetition = repetitions_.find(hash) + 1;
    repetitions_.put(hash, repetition);
    SharedObject made;
    made.number = next_++;
    made.identity = XXH3_64bits_withSeed(&repetition, sizeof repetition, hash);
    made.made_by = made_by;
    made.comm = comm;
    made.name = name;
    table_.put(key, value_of({comm, made.number}));
    if (kept_ == nullptr) kept_ = new std::vector<SharedObject>;
    if (kept_->size() < most_objects_kept) kept_->push_back(made);
    return made;
}

SharedObjects::Found SharedObjects::retire(std::uint64_t key) {
    const Locked hold{lock_};
    const Found object = find(key);
    if (object.number != 0) table_.put(key, 0);
    return object;
}

void SharedObjects::restore(std::uint64_t key, Found object) {
    if (object.number == 0) return;
    const Locked hold{lock_};
    table_.put(key, value_of(object));
}

std::vector<SharedObject> SharedObjects::definitions() {
    const Locked hold{lock_};
    return kept_ == nullptr ? std::vector<SharedObject>{} : *kept_;
}

} // namespace tactus
