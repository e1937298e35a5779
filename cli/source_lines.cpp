#include "cli/source_lines.hpp"

#include "cli/format.hpp"
#include "cli/tail_calls.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <fmt/format.h>

namespace tactus {
namespace {

const Dwfl_Callbacks callbacks = {.find_elf = nullptr,
                                  .find_debuginfo = dwfl_standard_find_debuginfo,
                                  .section_address = dwfl_offline_section_address,
                                  .debuginfo_path = nullptr};

// The name of a function as it stands in the source. Compilers give parts and copies of a function names of their own.
std::string demangled(std::string symbol) {
    for (const char* const ending : {".isra.", ".constprop.", ".part.", ".cold", ".lto_priv."})
        symbol.resize(std::min(symbol.find(ending), symbol.size()));
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain{
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free};
    std::string name = plain ? plain.get() : symbol;
    // The parameter list is cut off, because it would make the place hard to read.
    if (const std::size_t bracket = name.find('('); bracket != std::string::npos && bracket > 0) name.resize(bracket);
    return name;
}

} // namespace

// One ELF file on this machine.
class SourceLines::File {
  public:
    explicit File(const std::string& path) : dwfl_{dwfl_begin(&callbacks), &dwfl_end} {
        std::error_code failed;
        if (dwfl_ == nullptr || !std::filesystem::is_regular_file(path, failed)) return; // Opening a pipe would block.
        dwfl_report_begin(dwfl_.get());
        module_ = dwfl_report_offline(dwfl_.get(), path.c_str(), path.c_str(), -1);
        dwfl_report_end(dwfl_.get(), nullptr, nullptr);
        if (module_ != nullptr && dwfl_module_getelf(module_, &bias_) == nullptr) module_ = nullptr;
    }

    [[nodiscard]] bool good() const { return module_ != nullptr; }

    [[nodiscard]] std::string build_id() const {
        const unsigned char* bits = nullptr;
        GElf_Addr address = 0;
        std::string text;
        const int size = dwfl_module_build_id(module_, &bits, &address);
        for (int i = 0; i < size; ++i) text += fmt::format("{:02x}", bits[i]);
        return text;
    }

    [[nodiscard]] SourceLine find(std::uint64_t offset) const {
        // The offset is the return address, just after the call.
        const auto jump = tail_call(module_, offset + bias_);
        SourceLine found = line_at(jump && jump->at ? *jump->at - 1 : offset + bias_ - 1);
        if (jump && !jump->at) found.through = demangled(jump->through);
        return found;
    }

  private:
    [[nodiscard]] SourceLine line_at(Dwarf_Addr call) const {
        SourceLine found;
        if (const char* symbol = dwfl_module_addrname(module_, call)) found.function = demangled(symbol);
        Dwfl_Line* line = dwfl_module_getsrc(module_, call);
        int number = 0;
        const char* file = line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
        if (file != nullptr && number > 0) {
            found.file = file;
            found.line = number;
        }
        return found;
    }

    std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl_;
    Dwfl_Module* module_ = nullptr;
    GElf_Addr bias_ = 0;
};

// libdw must not fetch debug information from servers, since a report must not wait for a network.
SourceLines::SourceLines(const std::string& trace) {
    unsetenv("DEBUGINFOD_URLS");
    take_kept_names(trace);
}
SourceLines::~SourceLines() = default;

SourceLines::File* SourceLines::open(const Place& place) {
    const auto [entry, fresh] = files_.try_emplace(place.module);
    if (!fresh) return entry->second.get();
    auto file = std::make_unique<File>(place.module);
    if (!file->good()) {
        untrusted_.push_back(place.module + ": cannot be read here, so its call places are shown as offsets");
        return nullptr;
    }
    if (!place.build_id.empty() && file->build_id() != place.build_id) {
        untrusted_.push_back(place.module + ": was rebuilt since the trace was made (its build id differs), "
                                            "so its call places are shown as offsets");
        return nullptr;
    }
    entry->second = std::move(file);
    return entry->second.get();
}

const SourceLine& SourceLines::find(const Place& place) {
    const auto [entry, fresh] = known_.try_emplace(place);
    if (!fresh || place.module.empty()) return entry->second;
    if (!place.function.empty())
        return entry->second = {.function = place.function,
                                .through = {},
                                .file = place.module,
                                .line = static_cast<int>(std::min<std::uint64_t>(place.offset, INT_MAX))};
    if (const File* file = open(place)) entry->second = file->find(place.offset);
    return entry->second;
}

namespace {

std::string text_of(const Place& place, const SourceLine& found, const std::string& through) {
    if (place.module.empty()) return place.offset == 0 ? "unknown" : fmt::format("{:#x}", place.offset);
    const std::string way = through.empty() ? "" : fmt::format(" (through {})", through);
    if (found.known()) return fmt::format("{}:{}{}", file_name(found.file), found.line, way);
    if (!place.function.empty()) return fmt::format("{} ({})", file_name(place.module), place.function);
    const std::string offset = fmt::format("{}+{:#x}", file_name(place.module), place.offset);
    if (!way.empty()) return offset + way;
    return found.function.empty() ? offset : fmt::format("{} ({})", offset, found.function);
}

} // namespace

std::string SourceLines::text(const Place& place) {
    const SourceLine& found = find(place);
    return text_of(place, found, found.through);
}

std::string SourceLines::caller_text(const Place& place) { return text_of(place, find(place), {}); }

} // namespace tactus
