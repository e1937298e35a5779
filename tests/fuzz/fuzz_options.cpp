// Option values, a VT_CONFIG file and filters: rules that were accepted are accepted again in the form in which they
// are kept.
#include "base/grammar.hpp"
#include "base/options/filter.hpp"
#include "base/options/pattern.hpp"
#include "base/options/time_windows.hpp"
#include "input.hpp"

#include <cstdlib>
#include <iterator>

using namespace tactus;

static void check_kept_as_it_is(const Options& options) {
    std::string state = "VT_STATE=" + options.text(Option::state);
    std::string process = "VT_PROCESS=" + options.text(Option::process);
    std::string counter = "VT_COUNTER=" + options.text(Option::counter);
    const char* environment[] = {state.c_str(), process.c_str(), counter.c_str(), nullptr};
    const Options again = Options::read(environment);
    if (again.text(Option::state) != options.text(Option::state)) std::abort();
    if (again.text(Option::process) != options.text(Option::process)) std::abort();
    if (again.text(Option::counter) != options.text(Option::counter)) std::abort();
}

static void read_config(const std::string& text) {
    const MemoryFile input{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    const std::string config = "VT_CONFIG=" + input.path();
    const char* environment[] = {config.c_str(), nullptr};
    check_kept_as_it_is(Options::read(environment));
}

static void read_filter(const char* variable, const std::string& text) {
    const std::string assignment = variable + text;
    const char* environment[] = {assignment.c_str(), nullptr};
    const Options options = Options::read(environment);
    check_kept_as_it_is(options);
    (void)Filter::read(options).records("MPI", "MPI_Send");
    (void)state_of_process(options, 3, 8);
    (void)events_to_count(options);
    (void)TimeWindows::read(options).at(1'000'000'000);
}

// The last byte says what kind of input the text before it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text{reinterpret_cast<const char*>(data), size - 1};
    (void)static_cast<bool>(parse_time(text));
    (void)static_cast<bool>(parse_bytes(text));
    (void)static_cast<bool>(parse_bool(text));
    constexpr const char* filters[] = {
        "VT_STATE=", "VT_SYMBOL=", "VT_ACTIVITY=", "VT_PROCESS=", "VT_TIME_WINDOWS=", "VT_COUNTER="};
    const std::size_t which = data[size - 1] % (std::size(filters) + 1);
    if (which == 0)
        read_config(text);
    else
        read_filter(filters[which - 1], text);
    const std::string_view some = std::string_view{text}.substr(0, 2000);
    (void)matches(some.substr(0, some.size() / 2), some.substr(some.size() / 2));
    return 0;
}
