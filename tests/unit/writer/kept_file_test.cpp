// The file of a rank whose descriptor the application closes, or takes for a file of its own.
#include "trace/rank_file.hpp"
#include "writer/lane.hpp"
#include "writer/rank_writer.hpp"

#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace tactus;

namespace {

// The descriptor by which this process has the file open; -1: none.
int descriptor_of(const std::filesystem::path& path) {
    for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        std::error_code none;
        if (std::filesystem::read_symlink(entry.path(), none) == path) return std::stoi(entry.path().filename());
    }
    return -1;
}

// Whether `tactus recover` sees that a process lives that writes this file: a process does not see its own locks.
bool is_locked_for_others(const std::string& path) {
    const pid_t child = fork();
    if (child == 0) {
        struct flock lock {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        _exit(fcntl(open(path.c_str(), O_RDWR), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 1;
}

struct OpenRank {
    TestFolder folder;
    std::string path = folder.path() / "rank.trace";
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    std::unique_ptr<Lane> lane = Lane::make(writer);

    OpenRank() {
        lane->begin_life(0, 0, 1);
        Header header;
        header.job = 7;
        header.ranks = 1;
        header.start = read_anchor();
        header.schema = schema();
        REQUIRE(writer.open(path, header, {}));
    }
    // Makes so many calls, which are in the file on return if it can be written.
    void call(int calls) {
        for (int i = 0; i < calls; ++i) {
            Record& record = lane->slot();
            record = {};
            record.what.function = Function::Send;
            record.enter = lane->stamp();
            record.leave = lane->stamp();
            lane->publish();
        }
        lane->seal();
        writer.drain();
    }
    [[nodiscard]] std::uint64_t not_written() const {
        return losses_now.values()[static_cast<std::size_t>(Loss::block_not_written)];
    }
};

} // namespace

TEST_CASE("a descriptor that the application closed is opened anew, and nothing is lost") {
    OpenRank rank;
    rank.call(10);
    for (int i = 0; i < 3; ++i) {
        close(descriptor_of(rank.path));
        CHECK_FALSE(is_locked_for_others(rank.path));
        rank.call(10);
        CHECK(is_locked_for_others(rank.path));
        CHECK(descriptor_of(rank.path) >= 500); // where it does not get into the application's way
    }
    close(descriptor_of(rank.path));
    REQUIRE(rank.writer.close({}));
    CHECK(rank.not_written() == 0);
    const auto file = RankFile::open(rank.path);
    REQUIRE(file);
    CHECK(file->closed());
    std::uint64_t calls = 0;
    for (const IndexEntry& block : file->blocks()) calls += block.calls;
    CHECK(calls == 40);
}

TEST_CASE("a file that got the number of our descriptor is not written to") {
    OpenRank rank;
    const std::string strangers = rank.folder.path() / "stranger";
    const int stranger = open(strangers.c_str(), O_RDWR | O_CREAT, 0600);
    REQUIRE(stranger >= 0);
    const int taken = descriptor_of(rank.path);
    REQUIRE(dup2(stranger, taken) == taken);
    rank.call(10);
    const int taken_at_end = descriptor_of(rank.path);
    REQUIRE(dup2(stranger, taken_at_end) == taken_at_end);
    REQUIRE(rank.writer.close({}));
    CHECK(rank.not_written() == 0);
    CHECK(RankFile::open(rank.path)->closed());
    CHECK(std::filesystem::file_size(strangers) == 0);
    for (const int still_open : {stranger, taken, taken_at_end}) CHECK(close(still_open) == 0);
}

TEST_CASE("a file that is no longer the same is not opened anew, and what is lost is counted") {
    const auto change = GENERATE(0, 1, 2);
    OpenRank rank;
    rank.call(10);
    close(descriptor_of(rank.path));
    if (change == 0) std::filesystem::remove(rank.path);
    if (change == 1) { // another one in its place
        std::filesystem::copy_file(rank.path, rank.path + ".copy");
        std::filesystem::rename(rank.path + ".copy", rank.path);
    }
    if (change == 2) std::ofstream{rank.path, std::ios::app} << "recovered"; // by somebody who took us for dead
    rank.call(10);
    CHECK_FALSE(rank.writer.close({}));
    CHECK(rank.not_written() == 10);
    CHECK(rank.writer.last_errno() == (change == 0 ? ENOENT : ESTALE));
}
