/* Random datatypes of every constructor. A type consists of blocks of units; a unit is a basic type or a struct of
 * three. */
#include "layout.hpp"

#include <algorithm>
#include <numeric>

namespace {

struct Basic {
    MPI_Datatype type;
    std::size_t size;
};

std::vector<Basic> basics(int signature) {
    switch (signature) {
    case 0:
        return {{MPI_CHAR, 1}};
    case 1:
        return {{MPI_SHORT, 2}};
    case 2:
        return {{MPI_INT, 4}};
    case 3:
        return {{MPI_LONG_LONG, 8}};
    case 4:
        return {{MPI_FLOAT, 4}};
    case 5:
        return {{MPI_DOUBLE, 8}};
    case 6:
        return {{MPI_BYTE, 1}};
    default:
        return {{MPI_INT, 4}, {MPI_CHAR, 1}, {MPI_DOUBLE, 8}};
    }
}
constexpr int signatures = 8;

struct Block {
    int at, length; // in units
};

Layout random_struct(const std::vector<Basic>& members, Random& random) {
    Layout made{MPI_DATATYPE_NULL, {}, 0, 1, true};
    std::vector<int> lengths(members.size(), 1);
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    for (const Basic& member : members) {
        made.places.push_back({made.extent, member.size});
        displacements.push_back(static_cast<MPI_Aint>(made.extent));
        types.push_back(member.type);
        made.extent += 8 * static_cast<std::size_t>(random.between(1, 2));
    }
    MPI_Datatype natural;
    must(MPI_Type_create_struct(static_cast<int>(members.size()), lengths.data(), displacements.data(), types.data(),
                                &natural));
    must(MPI_Type_create_resized(natural, 0, static_cast<MPI_Aint>(made.extent), &made.type));
    must(MPI_Type_free(&natural));
    return made;
}

Layout random_unit(int signature, Random& random) {
    const std::vector<Basic> members = basics(signature);
    if (members.size() > 1) return random_struct(members, random);
    return {members[0].type, {{0, members[0].size}}, members[0].size, 1, false};
}

int random_divisor(int number, Random& random) {
    int divisor;
    do divisor = random.between(1, number);
    while (number % divisor != 0);
    return divisor;
}

/* Blocks of equal length at equal distances. */
MPI_Datatype regular(std::vector<Block>& blocks, int units, const Layout& unit, Random& random) {
    const int length = random_divisor(units, random), number = units / length;
    const int stride = length + random.below(3);
    for (int i = 0; i < number; i++) blocks.push_back({i * stride, length});
    MPI_Datatype type;
    const auto extent = static_cast<MPI_Aint>(unit.extent);
    std::vector<int> displacements;
    std::vector<MPI_Aint> bytes;
    for (const Block& block : blocks) {
        displacements.push_back(block.at);
        bytes.push_back(block.at * extent);
    }
    switch (random.below(4)) {
    case 0:
        must(MPI_Type_vector(number, length, stride, unit.type, &type));
        break;
    case 1:
        must(MPI_Type_create_hvector(number, length, stride * extent, unit.type, &type));
        break;
    case 2:
        must(MPI_Type_create_indexed_block(number, length, displacements.data(), unit.type, &type));
        break;
    default:
        must(MPI_Type_create_hindexed_block(number, length, bytes.data(), unit.type, &type));
        break;
    }
    return type;
}

/* Blocks of any lengths with gaps of any lengths. */
MPI_Datatype irregular(std::vector<Block>& blocks, int units, const Layout& unit, Random& random) {
    std::vector<int> lengths, displacements;
    std::vector<MPI_Aint> bytes;
    std::vector<MPI_Datatype> types;
    for (int left = units, at = 0; left > 0;) {
        const int length = random.between(1, left);
        blocks.push_back({at, length});
        lengths.push_back(length);
        displacements.push_back(at);
        bytes.push_back(at * static_cast<MPI_Aint>(unit.extent));
        types.push_back(unit.type);
        at += length + random.below(3);
        left -= length;
    }
    const int number = static_cast<int>(blocks.size());
    MPI_Datatype type;
    switch (random.below(3)) {
    case 0:
        must(MPI_Type_indexed(number, lengths.data(), displacements.data(), unit.type, &type));
        break;
    case 1:
        must(MPI_Type_create_hindexed(number, lengths.data(), bytes.data(), unit.type, &type));
        break;
    default:
        must(MPI_Type_create_struct(number, lengths.data(), bytes.data(), types.data(), &type));
        break;
    }
    return type;
}

MPI_Datatype contiguous(std::vector<Block>& blocks, int units, const Layout& unit, Random& random) {
    MPI_Datatype type;
    blocks = {{0, units}};
    if (units == 1 && random.coin())
        must(MPI_Type_dup(unit.type, &type));
    else
        must(MPI_Type_contiguous(units, unit.type, &type));
    return type;
}

/* Adds room after every instance. */
void widen(Layout& layout, std::size_t by) {
    layout.extent += by;
    MPI_Datatype natural = layout.type;
    must(MPI_Type_create_resized(natural, 0, static_cast<MPI_Aint>(layout.extent), &layout.type));
    must(MPI_Type_free(&natural));
}

} // namespace

int random_signature(Random& random) { return random.below(signatures); }
int random_count(int signature, int few, int many) {
    const bool large = here.plan.one_in(12) && basics(signature).size() == 1;
    return here.plan.below(large ? many : few);
}

Layout random_layout(int signature, int granule, Random& random) {
    Layout unit = random_unit(signature, random);
    const int units = random_divisor(granule, random);
    if (units == 1 && random.coin()) {
        if (unit.made) must(MPI_Type_commit(&unit.type));
        return unit;
    }
    Layout made{MPI_DATATYPE_NULL, {}, 0, units, true};
    std::vector<Block> blocks;
    constexpr MPI_Datatype (*makers[])(std::vector<Block>&, int, const Layout&, Random&) = {contiguous, regular,
                                                                                            irregular};
    made.type = makers[random.below(3)](blocks, units, unit, random);
    for (const Block& block : blocks)
        for (int i = 0; i < block.length; i++)
            for (const Place& place : unit.places)
                made.places.push_back(
                    {static_cast<std::size_t>(block.at + i) * unit.extent + place.offset, place.size});
    made.extent = static_cast<std::size_t>(blocks.back().at + blocks.back().length) * unit.extent;
    if (random.one_in(3)) widen(made, unit.extent * static_cast<std::size_t>(random.between(1, 3)));
    must(MPI_Type_commit(&made.type));
    unit.free();
    return made;
}

/* Content never has a byte like this. Open MPI accepts no null pointer for an empty buffer that is packed. */
Area untouched(std::size_t bytes) {
    Area area(bytes + 1, 0xa5);
    area.pop_back();
    return area;
}

void write(Area& area, std::size_t at, const Layout& layout, int elements, std::uint64_t key) {
    const std::size_t each = layout.places.size();
    for (std::size_t k = 0; k < static_cast<std::size_t>(elements); k++) {
        const Place& place = layout.places[k % each];
        unsigned char* byte = area.data() + at + k / each * layout.extent + place.offset;
        std::uint64_t value = mix(key, k);
        for (std::size_t b = 0; b < place.size; b++, value >>= 8)
            byte[b] = static_cast<unsigned char>(1 + (value & 0xff) % 127);
    }
}
