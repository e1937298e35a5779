// The files of the page, which are embedded in the program.
#pragma once

#include <span>
#include <string_view>

namespace tactus {

struct PageFile {
    std::string_view name; // relative to the page's address
    std::string_view type;
    std::string_view content;
};

// The first file is the page itself.
std::span<const PageFile> page_files();

} // namespace tactus
