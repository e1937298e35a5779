#include "writer/rank_writer.hpp"

#include "base/locked.hpp"
#include "base/write_signals.hpp"
#include "trace/fields.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sched.h>

namespace tactus {
namespace {

constexpr std::size_t most_index_entries = 1024; // 64 KiB of memory

BlockHeader header_of(ByteView block) {
    BlockHeader header;
    std::memcpy(&header, block.data(), sizeof header);
    return header;
}

template <class T> Bytes block_of(BlockKind kind, std::uint64_t job, const T& value) {
    Bytes content;
    write_value(content, value);
    BlockHeader header;
    header.kind = kind;
    header.job = job;
    return pack_block(header, content);
}

} // namespace

std::vector<std::uint64_t> LossCounters::values() const {
    std::vector<std::uint64_t> values;
    for (const auto& count : counts_) values.push_back(count.load(std::memory_order_relaxed));
    return values;
}

RankWriter::RankWriter(LossCounters& lost, std::uint64_t job) : losses_{lost}, job_{job} {
    index_.blocks.reserve(most_index_entries);
}

Outcome RankWriter::open(const std::string& path, const Header& header, const Definitions& first) {
    if (!file_.create(path)) {
        last_errno_ = errno;
        return Error{.what = "cannot be created: " + std::string{strerror(last_errno_)}, .file = path};
    }
    last_errno_ = 0;
    job_ = header.job;
    const Bytes block = block_of(BlockKind::header, job_, header);
    if (!append(block, {.kind = BlockKind::header})) {
        file_.remove();
        return Error{.what = "cannot be written: " + std::string{strerror(last_errno_)}, .file = path};
    }
    add_definitions(first);
    return Done{};
}

Outcome RankWriter::reopen(const std::string& path, std::uint64_t job, std::uint64_t end,
                           const std::vector<IndexEntry>& blocks) {
    if (!file_.open(path, end))
        return Error{.what = "cannot be written: " + std::string{strerror(errno)}, .file = path};
    job_ = job;
    end_ = end;
    index_.blocks = blocks;
    for (const IndexEntry& block : blocks)
        if (block.kind == BlockKind::records) ++block_count_;
    return Done{};
}

void RankWriter::start_thread(Errand errand, time_t seconds_between_anchors) {
    errand_ = errand;
    seconds_between_anchors_ = seconds_between_anchors;
    constexpr std::size_t stack = 1 << 18;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // our thread inherits this: no signal of the application arrives there
    {
        const Locked hold{queue_lock_};
        has_thread_ = pthread_create(&thread_, &attributes, &RankWriter::run, this) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
}

void* RankWriter::run(void* self) {
    // The launcher bound the rank to a core. This thread is there to write on another core.
    cpu_set_t everywhere;
    std::memset(&everywhere, 0xff, sizeof everywhere);
    sched_setaffinity(0, sizeof everywhere, &everywhere);
    pthread_setname_np(pthread_self(), "tactus");
    static_cast<RankWriter*>(self)->loop();
    return nullptr;
}

void RankWriter::loop() {
    const auto seconds_now = [] {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec;
    };
    time_t next_anchor = seconds_now() + seconds_between_anchors_;
    while (!stop_.load(std::memory_order_acquire)) { // pairs with stop_thread()
        const std::int64_t errand_ns = errand_ != nullptr ? errand_() : 0;
        drain();
        const time_t left = next_anchor - seconds_now();
        if (left > 0) {
            if (errand_ != nullptr)
                bell_.sleep({errand_ns / 1'000'000'000, errand_ns % 1'000'000'000});
            else
                bell_.sleep({left, 0});
            continue;
        }
        next_anchor += seconds_between_anchors_ - left;
        Definitions minute;
        minute.anchors.push_back(read_anchor());
        add_definitions(minute);
    }
    drain();
}

void RankWriter::drain() {
    const Locked hold{queue_lock_};
    while (head_ != nullptr || being_written_ > 0) {
        if (head_ != nullptr)
            pop_and_write();
        else
            pthread_cond_wait(&written_, &queue_lock_); // another thread is writing the last blocks
    }
}

// Called with queue_lock_ held. It is released during the write and held again on return.
void RankWriter::pop_and_write() {
    SealedBlock& block = *head_;
    head_ = block.next;
    if (head_ == nullptr) tail_ = nullptr;
    block.queued = false;
    ++being_written_;
    pthread_mutex_unlock(&queue_lock_);
    write(block);
    pthread_mutex_lock(&queue_lock_);
    --being_written_;
    pthread_cond_broadcast(&written_);
}

void RankWriter::submit(SealedBlock& block) {
    {
        const Locked hold{queue_lock_};
        block.pending.store(true, std::memory_order_relaxed);
        block.queued = true;
        block.next = nullptr;
        (tail_ != nullptr ? tail_->next : head_) = &block;
        tail_ = &block;
    }
    bell_.ring();
}

bool RankWriter::complete(SealedBlock& block) {
    if (!block.pending.load(std::memory_order_acquire)) return false; // pairs with the release in write()
    const Locked hold{queue_lock_};
    // Blocks before ours are written first, so that a cut file never has a later block without an earlier one.
    while (block.queued) pop_and_write();
    while (block.pending.load(std::memory_order_acquire)) pthread_cond_wait(&written_, &queue_lock_);
    return true;
}

void RankWriter::write(SealedBlock& block) {
    const Ticks begin = now();
    if (append({block.bytes.get(), block.size}, block.entry))
        block.buffer->written.store(block.entry.sequence + 1,
                                    std::memory_order_release); // pairs with read_lane
    else if (!has_tail_.load(std::memory_order_relaxed)) {      // ordered by file_lock_, which append() has held
        losses_.add(Loss::block_not_written, block.entry.records);
        block.refused = true;
    }
    writing_.fetch_add(now() - begin, std::memory_order_relaxed);
    block.pending.store(false, std::memory_order_release); // pairs with the acquire in complete()
}

bool RankWriter::append(ByteView bytes, IndexEntry entry) {
    const Locked hold{file_lock_};
    entry.offset = end_;
    if (!append_bytes(bytes)) return false;
    if (entry.kind == BlockKind::records) ++block_count_;
    index_.blocks.push_back(entry);
    if (index_.blocks.size() >= most_index_entries) write_index_part();
    return true;
}

// False when the file system refused; the next block tries it again.
bool RankWriter::write_index_part() {
    const auto end = index_.blocks.begin() + most_index_entries;
    const Index part{.blocks = {index_.blocks.begin(), end}, .previous = index_.previous};
    const std::uint64_t offset = end_;
    if (!append_bytes(block_of(BlockKind::index, job_, part))) return false;
    index_.previous = offset;
    index_.blocks.erase(index_.blocks.begin(), end);
    return true;
}

bool RankWriter::append_bytes(ByteView bytes) {
    const WriteSignalsBlocked quiet;
    if (!file_.is_open()) return false;
    if (!file_.write(bytes, end_)) {
        last_errno_ = errno;
        // Half a block must not stay, since the next block goes to the same place.
        if (file_.size() > end_ && !file_.cut(end_)) last_errno_ = errno;
        return false;
    }
    end_ += bytes.size();
    return true;
}

bool RankWriter::add(ByteView block) {
    const BlockHeader header = header_of(block);
    if (append(block, entry_of(header, 0))) return true;
    losses_.add(Loss::block_not_written, header.records);
    return false;
}

void RankWriter::add_definitions(const Definitions& definitions) {
    append(block_of(BlockKind::definitions, job_, definitions), {.kind = BlockKind::definitions});
}

void RankWriter::stop_thread() {
    if (!has_thread_.exchange(false)) return;
    stop_.store(true, std::memory_order_release); // pairs with loop()
    bell_.ring();
    if (pthread_equal(thread_, pthread_self()) != 0)
        pthread_detach(thread_); // this call comes from an errand
    else
        pthread_join(thread_, nullptr);
}

bool RankWriter::close(Definitions closing) {
    stop_thread();
    drain();
    if (!file_.is_open()) return false;
    for (Totals& totals : closing.totals) {
        totals.blocks = block_count_;
        totals.writing = writing_ticks();
        totals.lost = losses_.values();
    }
    const bool good = append(block_of(BlockKind::definitions, job_, closing), {.kind = BlockKind::definitions});
    const Locked hold{file_lock_};
    return close_file(good && write_end());
}

// Writes the index of the blocks that are in no index part yet, and the tail.
bool RankWriter::write_end() {
    while (index_.blocks.size() > most_index_entries && write_index_part()) {
    }
    const Tail tail{.index_offset = end_};
    Bytes ending = block_of(BlockKind::index, job_, index_);
    append_raw(ending, tail);
    if (!append_bytes(ending)) return false;
    index_ = {.blocks = {}, .previous = tail.index_offset};
    has_tail_.store(true, std::memory_order_relaxed);
    return true;
}

bool RankWriter::close_file(bool good) {
    if (file_.close()) return good;
    last_errno_ = errno;
    return false;
}

bool RankWriter::append_to_closed(std::span<const Bytes> blocks, const Definitions& more) {
    const Locked hold{file_lock_};
    if (!has_tail_.load(std::memory_order_relaxed)) return true; // not closed in order: nothing can be appended
    if (!file_.open_again()) {
        last_errno_ = errno;
        return false;
    }
    const Tail tail{.index_offset = index_.previous};
    const std::uint64_t begin = end_ -= sizeof tail;
    Index part{.blocks = {}, .previous = index_.previous};
    bool good = true;
    for (const Bytes& block : blocks) {
        part.blocks.push_back(entry_of(header_of(block), end_));
        good = good && append_bytes(block);
    }
    part.blocks.push_back({.offset = end_, .kind = BlockKind::definitions});
    Bytes ending = block_of(BlockKind::definitions, job_, more);
    const Tail new_tail{.index_offset = end_ + ending.size()};
    const Bytes index = block_of(BlockKind::index, job_, part);
    ending.insert(ending.end(), index.begin(), index.end());
    append_raw(ending, new_tail);
    good = good && append_bytes(ending);
    if (good) {
        index_.previous = new_tail.index_offset;
    } else {
        end_ = begin;
        Bytes old;
        append_raw(old, tail);
        append_bytes(old); // the file had room for it before
        end_ = begin + sizeof tail;
        if (file_.size() > end_ && !file_.cut(end_)) last_errno_ = errno;
    }
    return close_file(good);
}

} // namespace tactus
