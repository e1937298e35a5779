// The names of call places, as the command knows them. Exports have no debug information themselves.
#pragma once

#include "postproc/profile/places.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace tactus {

using PlaceText = std::function<std::string(const Place&)>;
struct PlaceNames {
    PlaceText place;
    PlaceText function; // the name of the function that a place is in; empty where it is not known
    std::function<std::string(std::int32_t)> system_call;

    // The function, or the place where its name is not known.
    [[nodiscard]] std::string function_or_place(const Place& at) const {
        std::string name = function(at);
        return name.empty() ? place(at) : name;
    }
};

} // namespace tactus
