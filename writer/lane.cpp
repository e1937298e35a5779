#include "writer/lane.hpp"

#include "base/thread_state_kept.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <unistd.h>
#include <utility>

namespace tactus {

std::unique_ptr<Lane> Lane::make(RankWriter& writer) {
    LaneMemory memory = LaneMemory::private_memory(lane_size(buffers_per_lane, slots_per_buffer));
    if (!memory) return nullptr;
    std::unique_ptr<Lane> lane{new (std::nothrow) Lane{writer, std::move(memory)}};
    if (lane == nullptr || !lane->encoder_.ready()) return nullptr;
    for (std::size_t i = 0; i < buffers_per_lane; ++i) {
        lane->sealed_[i].bytes.reset(new (std::nothrow) std::uint8_t[lane->encoder_.most_bytes()]);
        lane->sealed_[i].buffer = &lane->header_->buffer[i];
        if (lane->sealed_[i].bytes == nullptr) return nullptr;
    }
    return lane;
}

Lane::Lane(RankWriter& writer, LaneMemory memory)
    : writer_{writer}, memory_{std::move(memory)}, header_{new (memory_.begin()) LaneHeader{}}, encoder_{
                                                                                                    slots_per_buffer,
                                                                                                    timer_step()} {
    header_->buffers = buffers_per_lane;
    header_->slots = slots_per_buffer;
    header_->pid = static_cast<std::uint64_t>(getpid());
}

void Lane::set_job(std::uint64_t job, std::uint32_t rank, const std::string& trace) {
    header_->job = job;
    header_->rank = rank;
    if (trace.size() < longest_trace_path) std::memcpy(header_->trace, trace.c_str(), trace.size() + 1);
}

void Lane::begin_life(std::uint32_t number, std::uint32_t rank, std::uint64_t tid) {
    header_->lane = number;
    header_->tid = tid;
    header_->rank = rank;
    sequence_ = 0;
    of_others_ = false;
    off_since_.store(0, std::memory_order_relaxed);
    header_->lost.store(0, std::memory_order_relaxed);
    calls_ = records_ = 0;
    header_->nesting.store(0, std::memory_order_relaxed);
    header_->regions.store(0, std::memory_order_relaxed);
    start_counting(number);
    for (std::size_t i = 0; i < buffers_per_lane; ++i) {
        writer_.complete(sealed_[i]);
        header_->buffer[i].sequence.store(0, std::memory_order_relaxed);
        header_->buffer[i].written.store(0, std::memory_order_release); // pairs with read_lane
    }
    activate(0);
    header_->closed.store(0, std::memory_order_release); // pairs with read_lane
}

void Lane::end_life() {
    seal();
    for (SealedBlock& block : sealed_) writer_.complete(block);
    header_->closed.store(1, std::memory_order_release);
}

bool Lane::protect(const std::string& directory) {
    return memory_.move_to_file(directory, lane_file_name(header_->rank, header_->lane));
}

// The stores are in this order so that at every moment the call is found in one of its two places.
void Lane::set_aside(const Record& call, std::size_t level, bool recorded) {
    header_->outer[level] = call;
    if (!recorded) header_->outer[level].enter = 0;
    header_->nesting.store(level + 1, std::memory_order_release); // pairs with read_lane
    std::atomic_thread_fence(std::memory_order_release);          // before another call comes into slot()
}

void Lane::take_up(std::size_t level, bool recorded) {
    if (recorded) header_->resumed.store(next_->enter, std::memory_order_release); // pairs with read_lane
    header_->nesting.store(level, std::memory_order_release);                      // pairs with read_lane
}

namespace {

// The owner may be writing the bytes that are copied here; the caller finds out which of them are whole.
[[gnu::noinline, gnu::no_sanitize_thread, gnu::no_sanitize_address]] void
copy_as_it_is(void* to, const std::uint8_t* from, std::size_t size) {
    auto* byte = static_cast<std::uint8_t*>(to);
    const auto* const end = from + size;
    for (; end - from >= 8; from += 8, byte += 8)
        *reinterpret_cast<volatile std::uint64_t*>(byte) = *reinterpret_cast<const volatile std::uint64_t*>(from);
    for (; from != end; ++from, ++byte) *byte = *static_cast<const volatile std::uint8_t*>(from);
}

} // namespace

Result<LaneContents> Lane::contents() const {
    const std::uint64_t all = lane_size(buffers_per_lane, slots_per_buffer);
    const ReadLane read = [&](void* to, std::size_t size, std::uint64_t offset) {
        copy_as_it_is(to, memory_.begin() + offset, size);
        return true;
    };
    return read_lane(read, all);
}

// Finds an open call as read_lane() does, but not one that is open around it.
bool Lane::in_call() const {
    const std::uint64_t active = header_->active.load(std::memory_order_acquire); // pairs with activate()
    const std::uint64_t filled = header_->buffer[active].filled.load(std::memory_order_acquire); // pairs with advance()
    if (filled >= slots_per_buffer) return false;
    const std::size_t before = std::min<std::uint64_t>(filled, 1); // the record before it, or its last words
    std::array<Record, 2> slots{};
    copy_as_it_is(&slots[1 - before],
                  memory_.begin() + lane_header_size + (active * slots_per_buffer + filled - before) * sizeof(Record),
                  (1 + before) * sizeof(Record));
    const Ticks enter = slots[1].enter;
    // A call may have been added to the record before it.
    const Ticks left =
        std::max(header_->turned.load(std::memory_order_relaxed), slots[0].enter != 0 ? slots[0].leave : 0);
    return enter != 0 && (enter > left || enter == header_->resumed.load(std::memory_order_relaxed));
}

// The stale content of a reused buffer carries older ticks than header_->turned, so it is never taken for an open call.
void Lane::activate(std::size_t index) {
    active_ = index;
    earliest_ = ~Ticks{0};
    repeating_ = nullptr;
    buffer_ = &header_->buffer[index];
    begin_ = reinterpret_cast<Record*>(memory_.begin() + lane_header_size) + index * slots_per_buffer;
    next_ = begin_;
    end_ = begin_ + slots_per_buffer;
    header_->turned.store(last_, std::memory_order_relaxed);
    header_->resumed.store(0, std::memory_order_relaxed);
    // The order matters to a reader between two of these stores. They pair with read_lane.
    buffer_->filled.store(0, std::memory_order_release);
    buffer_->sequence.store(sequence_ + 1, std::memory_order_release);
    header_->active.store(index, std::memory_order_release);
    // The records that follow come behind all of that: whoever reads one of them, and the sequence again, sees that the
    // buffer is another block's by then.
    std::atomic_thread_fence(std::memory_order_release);
}

void Lane::encode(std::size_t index) {
    SealedBlock& block = sealed_[index];
    BlockHeader header;
    header.lane = header_->lane;
    header.sequence = sequence_;
    header.job = writer_.job();
    header.lost = header_->lost.load(std::memory_order_relaxed);
    header.first = std::min(begin_->enter, earliest_);
    block.size = encoder_.encode({begin_, next_}, header, block.bytes.get());
    std::memcpy(&header, block.bytes.get(), sizeof header);
    block.entry = entry_of(header, 0);
    calls_ += header.calls;
    records_ += header.records;
    ++sequence_;
}

void Lane::turn() {
    const ThreadStateKept kept;
    const Ticks begin = now();
    const std::size_t other = (active_ + 1) % buffers_per_lane;
    encode(active_);
    writer_.submit(sealed_[active_]);
    const Ticks sealed = now();
    add_sealing(sealed - begin);
    const bool stalled = writer_.complete(sealed_[other]);
    if (std::exchange(sealed_[other].refused, false))
        header_->lost.fetch_add(sealed_[other].entry.calls, std::memory_order_relaxed);
    activate(other);
    if (!stalled || of_others_) return;
    const Ticks end = now();
    add_stalled(end - sealed);
    stall_.what.kind = Kind::stall;
    stall_.enter = std::max(sealed, last_ + 1);
    stall_.leave = last_ = std::max(end, stall_.enter + 1);
}

void Lane::seal() {
    if (!skipped_.empty()) note_skipped();
    if (next_ != begin_) turn();
    stall_ = Record{};
}

void Lane::publish(std::span<const std::int64_t> words) {
    const std::size_t slots = 1 + slots_of_words(words.size());
    if (slots > static_cast<std::size_t>(end_ - next_)) [[unlikely]]
        return publish_in_pieces(words);
    put(words);
    advance(slots);
    if (next_ == end_) [[unlikely]]
        turn_and_note();
}

// Puts the words after the record in slot(). They fit into the buffer.
void Lane::put(std::span<const std::int64_t> words) {
    reaches_back(next_->enter);
    next_->what.words = static_cast<std::uint32_t>(words.size());
    // The words are stored as bytes, since a record lay there before, and in place, since a copy on the stack would be
    // read back before its stores are done.
    auto* to = reinterpret_cast<std::byte*>(next_ + 1);
    const auto store = [&to](const std::int64_t* from, std::size_t count) {
        std::memcpy(to, from, count * sizeof *from);
        to += count * sizeof *from;
    };
    constexpr std::int64_t zero = 0;
    for (; !words.empty(); words = words.subspan(std::min(words.size(), words_per_slot))) {
        store(&zero, 1); // Continuation::unused
        if (words.size() >= words_per_slot)
            store(words.data(), words_per_slot);
        else
            for (std::size_t i = 0; i < words_per_slot; ++i) store(i < words.size() ? &words[i] : &zero, 1);
    }
}

void Lane::publish_in_pieces(std::span<const std::int64_t> words) {
    Record record = *next_;
    do {
        constexpr std::size_t most_words = (slots_per_buffer - 1) * words_per_slot;
        const auto piece = words.first(std::min(words.size(), most_words));
        const std::size_t slots = 1 + slots_of_words(piece.size());
        if (slots > static_cast<std::size_t>(end_ - next_)) turn();
        *next_ = record;
        put(piece);
        advance(slots);
        words = words.subspan(piece.size());
        record.what.kind = Kind::more;
    } while (!words.empty());
    if (next_ == end_) turn();
    note_stall();
}

void Lane::turn_and_note() {
    turn();
    note_stall();
}

// A stall is noted after the call in which it happened, never between the pieces of that call's record.
void Lane::note_stall() {
    if (stall_.leave == 0) return;
    const Record stall = stall_;
    stall_ = Record{};
    note(stall);
}

void Lane::note_skipped() {
    Record record;
    record.enter = skipped_.first() != 0 ? skipped_.first() : stamp();
    record.leave = stamp();
    record.what = {
        .bytes = skipped_.calls(), .type = static_cast<std::uint32_t>(Loss::switched_off), .kind = Kind::loss};
    writer_.count_loss(Loss::switched_off, skipped_.calls());
    const ThreadStateKept kept;
    note(record, skipped_.take());
}

void Lane::store(const Record& record, std::span<const std::int64_t> words) {
    of_others_ = true;
    last_ = std::max(last_ + 1, record.leave);
    reaches_back(record.enter);
    Record ordered = record;
    ordered.leave = last_;
    note(ordered, words);
}

void Lane::note(const Record& record, std::span<const std::int64_t> words) {
    *next_ = record;
    publish(words);
}

} // namespace tactus
