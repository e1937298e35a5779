// Finds the word that somebody probably meant. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace tactus {

// Gives the word that is nearest to `word` when letters are added, left out, exchanged or swapped with their neighbor;
// empty when more than a quarter of its letters would have to change. Upper and lower case are the same.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& words);

} // namespace tactus
