// Header, definitions and index, which are structs coded field by field.
#include "trace/fields.hpp"
#include "trace/rank_file.hpp"

template <class T> static void read_one(const std::uint8_t* data, std::size_t size) {
    tactus::ByteReader in{{data, size}};
    T value;
    tactus::read_value(in, value);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    read_one<tactus::Header>(data, size);
    read_one<tactus::Definitions>(data, size);
    read_one<tactus::Index>(data, size);
    return 0;
}
