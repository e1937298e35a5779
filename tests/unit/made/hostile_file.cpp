#include "tests/unit/made/hostile_file.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include "tests/unit/made/catch.hpp"
#include "trace/fields.hpp"

#include <cstring>
#include <fstream>

namespace tactus {

HostileFile::HostileFile() : HostileFile{made_ranks(1).front().header} {}

HostileFile::HostileFile(const Header& of) : header{of} {
    Bytes content;
    write_value(content, header);
    BlockHeader block;
    block.kind = BlockKind::header;
    add(block, content);
}

std::uint64_t HostileFile::add(BlockHeader block, ByteView payload) {
    const std::uint64_t offset = bytes.size();
    if (block.job == 0) block.job = header.job;
    if (block.raw_size == 0) block.raw_size = payload.size();
    block.stored_size = payload.size();
    block.checksum = checksum_of(block, payload);
    append_raw(bytes, block);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    bytes.resize(padded(bytes.size()));
    index.blocks.push_back(
        {offset, block.kind, block.lane, block.sequence, block.first, block.last, block.records, block.calls});
    return offset;
}

std::uint64_t HostileFile::add_definitions(const Definitions& definitions) {
    Bytes content;
    write_value(content, definitions);
    return add_definitions(content);
}

std::uint64_t HostileFile::add_definitions(ByteView content) {
    BlockHeader block;
    block.kind = BlockKind::definitions;
    return add(block, content);
}

std::uint64_t HostileFile::add_records(const std::vector<Record>& records, std::uint32_t lane, std::uint64_t sequence) {
    BlockEncoder encoder{records.size()};
    Bytes block(encoder.most_bytes());
    BlockHeader like;
    like.lane = lane;
    like.sequence = sequence;
    like.job = header.job;
    encoder.encode(records, like, block.data());
    std::memcpy(static_cast<void*>(&like), block.data(), sizeof like);
    return add(like, {block.data() + sizeof like, like.stored_size});
}

std::uint64_t HostileFile::add_columns(const std::map<Column, Bytes>& columns, std::uint32_t records,
                                       std::uint64_t sequence) {
    Bytes content;
    for (const auto& [column, values] : columns) {
        content.push_back(static_cast<std::uint8_t>(column));
        append_varint(content, values.size());
    }
    content.push_back(0);
    for (const auto& [column, values] : columns) content.insert(content.end(), values.begin(), values.end());
    BlockHeader block;
    block.kind = BlockKind::records;
    block.records = records;
    block.calls = records;
    block.sequence = sequence;
    block.first = made_start;
    block.last = made_start + 1000;
    return add(block, content);
}

void HostileFile::close() {
    Definitions closing = made_ranks(1).front().definitions;
    closing.anchors.push_back(
        {header.start.tick + 1'000'000'000, header.start.monotonic_ns + 1'000'000'000, header.start.realtime_ns});
    add_definitions(closing);
    close_index();
}

void HostileFile::close_index() {
    Bytes content;
    write_value(content, index);
    const Tail tail{.index_offset = bytes.size()};
    BlockHeader block;
    block.kind = BlockKind::index;
    add(block, content);
    append_raw(bytes, tail);
}

std::string HostileFile::write(const std::filesystem::path& folder) const {
    const std::filesystem::path trace = folder / "app.tactus";
    std::filesystem::create_directories(trace / "ranks/000");
    std::ofstream{trace / rank_file_name(0), std::ios::binary}.write(reinterpret_cast<const char*>(bytes.data()),
                                                                     static_cast<std::streamsize>(bytes.size()));
    return trace.string();
}

Bytes varints(std::initializer_list<std::uint64_t> numbers) {
    Bytes bytes;
    for (const std::uint64_t number : numbers) append_varint(bytes, number);
    return bytes;
}

std::vector<Record> some_records(std::size_t count) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < count; ++i)
        records.push_back(made_call(Function::Comm_rank, 100 * i + 10, 100 * i + 60).record);
    return records;
}

// Works on a copy of the trace, because it may change it.
static void check_finish_survives(const std::string& trace) {
    const std::string copy = trace + ".finished";
    std::filesystem::remove_all(copy);
    std::error_code failed;
    std::filesystem::copy(trace, copy, std::filesystem::copy_options::recursive, failed);
    if (failed) return; // a loop of links cannot be copied
    const CommandOutcome outcome =
        run_tactus("finish " + copy + " >/dev/null", sanitized ? "" : "ulimit -v 524288; ulimit -t 60; ");
    INFO("tactus finish " << copy << "\n" << outcome.errors);
    CHECK((outcome.status == 0 || outcome.status == 1));
    CHECK(outcome.errors.find("fault of tactus") == std::string::npos);
    std::filesystem::remove_all(copy);
}

void check_survives(const std::string& trace, int status, const std::string& reason, const Commands& commands) {
    for (const std::string& command : commands) {
        const CommandOutcome outcome =
            run_tactus(command + trace + " >/dev/null", sanitized ? "" : "ulimit -v 524288; ulimit -t 60; ");
        INFO("tactus " << command << trace << "\n" << outcome.errors);
        CHECK(outcome.status == status);
        CHECK(lines_in(outcome.errors).size() <= 9);
        CHECK(outcome.errors.find("fault of tactus") == std::string::npos);
        CHECK(outcome.errors.find(reason) != std::string::npos);
        for (const std::string& line : lines_in(outcome.errors)) CHECK(line.rfind("tactus: ", 0) == 0);
    }
    check_finish_survives(trace);
}

} // namespace tactus
