// Linked as the preload libraries are: an exception, and memory that is refused, for which libstdc++ uses one.
#include <cstddef>
#include <new>

extern "C" [[gnu::visibility("default")]] int caught() {
    try {
        throw 7;
    } catch (const int value) {
        return value;
    }
}

extern "C" [[gnu::visibility("default")]] bool refused() {
    struct alignas(64) Large {
        std::byte bytes[std::size_t{1} << 62];
    };
    return ::operator new (sizeof(Large), std::align_val_t{alignof(Large)}, std::nothrow) == nullptr;
}
