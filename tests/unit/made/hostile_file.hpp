// Rank files made to do harm: every block has a right checksum, and everything else is as the test wants it. Also
// checks that every command survives them.
#pragma once

#include "tests/unit/made/make_trace.hpp"
#include "trace/block.hpp"
#include "trace/codec.hpp"
#include "trace/rank_file.hpp"

#include <map>
#include <string>
#include <vector>

namespace tactus {

class HostileFile {
  public:
    HostileFile(); // uses the header of rank 0 of 1
    explicit HostileFile(const Header& header);

    // Fills in stored_size and checksum, and raw_size unless it is set. Adds the block to the index, and returns its
    // offset.
    std::uint64_t add(BlockHeader header, ByteView payload);
    std::uint64_t add_definitions(const Definitions& definitions);
    std::uint64_t add_definitions(ByteView content);
    std::uint64_t add_records(const std::vector<Record>& records, std::uint32_t lane = 0, std::uint64_t sequence = 0);
    // Adds a record block of exactly these columns.
    std::uint64_t add_columns(const std::map<Column, Bytes>& columns, std::uint32_t records,
                              std::uint64_t sequence = 0);
    void close();       // adds totals, index and tail
    void close_index(); // adds only index and tail
    // Writes rank-000000.trace of a new trace in the folder. Returns the path of the trace.
    [[nodiscard]] std::string write(const std::filesystem::path& folder) const;

    Header header;
    Index index;
    Bytes bytes;
};

Bytes varints(std::initializer_list<std::uint64_t> numbers);
std::vector<Record> some_records(std::size_t count);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// Runs the commands, each limited to 60 s of CPU time and 512 MiB (except under sanitizers, whose shadow memory needs
// more). They must end by themselves with `status`, and print `reason` (if it is not empty) in a few lines.
using Commands = std::vector<std::string>;
inline const Commands all_commands = {"info --json ", "report --json ", "dump "};
inline const Commands reading_commands = {"report --json ", "dump "}; // the other commands only use the index
void check_survives(const std::string& trace, int status, const std::string& reason,
                    const Commands& commands = all_commands);

} // namespace tactus
