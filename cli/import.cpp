// `tactus import`: makes a trace from an archive of another tool.
#include "base/shell_word.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "postproc/export/otf2_import.hpp"

#include <fmt/format.h>

namespace tactus {

int import_trace(const ImportRequest& request) {
    const auto imported = import_otf2(request.archive, request.trace, request.clocks);
    if (!imported) return fail(imported.error());
    fmt::print("{}: {}, {} in {}; next: tactus finish {}\n", printable(request.trace),
               plural(imported->ranks, "rank", "ranks"), plural(imported->calls, "call", "calls"),
               plural(imported->records, "record", "records"), shell_word(request.trace));
    if (!imported->not_said.empty())
        fmt::print(stderr, "tactus: {}: of the archive: {}\n", printable(request.trace),
                   printable(imported->not_said.line()));
    return exit_code::fine;
}

} // namespace tactus
