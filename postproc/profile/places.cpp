#include "postproc/profile/places.hpp"

namespace tactus {

Place place_of(std::uint64_t address, const std::vector<Module>& modules) {
    // Looks for the byte before the return address, since a call that does not return may be the last instruction of
    // its module.
    const std::uint64_t call = address - 1;
    for (const Module& module : modules)
        if (address != 0 && call >= module.begin && call < module.end)
            return {module.path, module.build_id, address - module.base};
    return {{}, {}, address};
}

} // namespace tactus
