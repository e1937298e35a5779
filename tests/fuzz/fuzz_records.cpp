// The unpacked columns of a record block. Whatever is decoded must be safe to interpret.
#include "trace/codec.hpp"
#include "trace/definitions.hpp"
#include "trace/words.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tactus;
    if (size < 2) return 0;
    BlockHeader header;
    header.records = static_cast<std::uint32_t>(data[0] | data[1] << 8);
    const auto block = decode_records(header, {data + 2, size - 2});
    if (!block) return 0;
    for (std::size_t i = 0; i < block->records.size(); ++i) {
        const auto words = block->words_of(i);
        const Record& record = block->records[i];
        (void)completions_of(record, words);
        (void)received_half(words);
        (void)byte_vectors_of(words);
        (void)starts_of(record, words);
        (void)not_recorded_of(words);
        SharedObject object;
        (void)from_words(words, object);
        Definitions defined;
        add_from_record(record, words, defined);
        Comm comm;
        if (from_words(words, comm)) (void)comm.world_rank(record.what.peer);
    }
    return 0;
}
