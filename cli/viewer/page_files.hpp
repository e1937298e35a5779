// The files of the page, which are in the program.
#pragma once

#include <span>
#include <string_view>

namespace tactus {

struct PageFile {
    std::string_view name; // below the page's address
    std::string_view type;
    std::string_view content;
};

// The first is the page itself.
std::span<const PageFile> page_files();

} // namespace tactus
