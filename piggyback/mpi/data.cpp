#include "piggyback/mpi/data.hpp"

#include "base/locked.hpp"
#include "base/mpi/handle_table.hpp"
#include "piggyback/mpi/host.hpp"
#include "piggyback/mpi/policy.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

namespace tactus {

namespace {

// Derived datatypes that the MPI accepted. The lowest bits of a value hold the DataFlow for which it accepted them, and
// the facts below. The bits above hold the address of the first pieces of an element, once these were asked for.
constinit HandleTable sound_types;
constexpr std::uint64_t is_dense_type = 4;
constexpr std::uint64_t is_even_type = 8;
constexpr std::uint64_t type_facts = 15;
using Pieces = std::vector<Piece>;
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ > type_facts);
const Pieces* pieces_in(std::uint64_t known) { return reinterpret_cast<const Pieces*>(known & ~type_facts); } // NOLINT
constinit pthread_mutex_t types_lock = PTHREAD_MUTEX_INITIALIZER;

// A message to or from MPI_PROC_NULL makes the MPI check the arguments and do nothing else.
bool would_take(const Data& data, DataFlow way) {
    const int count = static_cast<int>(std::min<MPI_Count>(data.count, INT_MAX));
    MPI_Status status;
    return way == DataFlow::in
               ? pmpi.Recv(const_cast<void*>(data.buffer), count, data.type, MPI_PROC_NULL, 0, piggyback_host.comm,
                           &status) == MPI_SUCCESS
               : pmpi.Send(data.buffer, count, data.type, MPI_PROC_NULL, 0, piggyback_host.comm) == MPI_SUCCESS;
}

// The result of MPI_Type_get_contents. The destructor frees the datatypes that the MPI made for it.
class Contents {
  public:
    explicit Contents(MPI_Datatype type) {
        int a = 0;
        int n = 0;
        int inner = 0;
        if (pmpi.Type_get_envelope(type, &n, &a, &inner, &combiner) != MPI_SUCCESS || inner == 0) return;
        numbers.resize(static_cast<std::size_t>(n));
        addresses.resize(static_cast<std::size_t>(a));
        types.resize(static_cast<std::size_t>(inner));
        if (pmpi.Type_get_contents(type, n, a, inner, numbers.data(), addresses.data(), types.data()) != MPI_SUCCESS)
            types.clear();
    }
    ~Contents() {
        for (MPI_Datatype& inner_type : types) {
            int n = 0;
            int a = 0;
            int inner = 0;
            int how = MPI_COMBINER_NAMED;
            pmpi.Type_get_envelope(inner_type, &n, &a, &inner, &how);
            const bool ours = how != MPI_COMBINER_NAMED && datatypes.predefined(inner_type).size == 0 && inner != 0;
            if (ours) pmpi.Type_free(&inner_type);
        }
    }
    Contents(const Contents&) = delete;
    Contents& operator=(const Contents&) = delete;

    int combiner = MPI_COMBINER_NAMED;
    std::vector<int> numbers;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Datatype> types; // empty: the contents are not known
};

struct Basics {
    bool dense;
    std::uint64_t size; // of every basic element; 0: the sizes differ or are not known
};

Basics basics_of(MPI_Datatype type) {
    const Datatypes::Predefined known = datatypes.predefined(type);
    if (known.size != 0) return {known.dense, known.dense ? known.size : 0};
    const Contents contents{type};
    if (contents.types.empty()) return {false, 0};
    const Basics first = basics_of(contents.types[0]);
    const bool in_a_row = contents.combiner == MPI_COMBINER_CONTIGUOUS || contents.combiner == MPI_COMBINER_DUP;
    Basics all{in_a_row && first.dense, first.size};
    for (std::size_t i = 1; i < contents.types.size() && all.size != 0; ++i)
        if (basics_of(contents.types[i]).size != all.size) all.size = 0;
    return all;
}

std::uint64_t learn(MPI_Datatype type) {
    const Basics basics = basics_of(type);
    const bool even = basics.size != 0 && 8 % basics.size == 0;
    return (basics.dense ? is_dense_type : 0) | (even ? is_even_type : 0);
}

} // namespace

bool is_sound(const Data& data, DataFlow way) {
    if (data.count < 0) return false;
    const bool predefined = datatypes.predefined(data.type).size != 0;
    const bool has_buffer = data.buffer != nullptr || data.count == 0;
    if (predefined && has_buffer) return true;
    const std::uint64_t wanted = static_cast<std::uint64_t>(way);
    const std::uint64_t known = predefined ? 0 : sound_types.find(key_of(data.type));
    if ((known & wanted) == wanted && has_buffer) return true;
    for (const DataFlow direction : {DataFlow::out, DataFlow::in})
        if ((wanted & static_cast<std::uint64_t>(direction)) != 0 && !would_take(data, direction)) return false;
    if (predefined || data.count == 0) return true;
    const std::uint64_t learnt = known != 0 ? known : learn(data.type);
    const Locked hold{types_lock};
    sound_types.put(key_of(data.type), learnt | wanted);
    return true;
}

Data with_valid_type(const Data& data) { return {data.buffer, data.count, data.count == 0 ? handle.BYTE : data.type}; }

TypeFacts facts_of(MPI_Datatype type) {
    const Datatypes::Predefined predefined = datatypes.predefined(type);
    if (predefined.size != 0) return {predefined.dense, predefined.dense && 8 % predefined.size == 0};
    const std::uint64_t known = sound_types.find(key_of(type));
    return {(known & is_dense_type) != 0, (known & is_even_type) != 0};
}

namespace {

// Lists the pieces in which the first bytes of datatypes lie, in the order in which they are packed.
class Flattening {
  public:
    explicit Flattening(std::size_t bytes) : left_{bytes} {}

    void add_element_of(MPI_Datatype type) { add_elements(type, 1, 0); }
    // Empty when a datatype was met that cannot be flattened.
    [[nodiscard]] std::vector<Piece> pieces() && { return std::move(pieces_); }

  private:
    void add_elements(MPI_Datatype type, MPI_Count count, std::ptrdiff_t at) {
        const Datatypes::Predefined known = datatypes.predefined(type);
        if (known.size != 0) {
            if (!known.dense) return give_up();
            return add_bytes(at, static_cast<std::size_t>(count) * known.size);
        }
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        pmpi.Type_get_extent(type, &lower, &extent);
        const Contents contents{type};
        const std::size_t before = left_;
        for (MPI_Count i = 0; i < count && left_ > 0; ++i) {
            add_element(contents, at + static_cast<std::ptrdiff_t>(i) * extent);
            if (left_ == before) return; // The elements have no bytes.
        }
    }
    void give_up() {
        left_ = 0;
        pieces_.clear();
    }
    void add_bytes(std::ptrdiff_t at, std::size_t bytes) {
        const std::size_t taken = std::min(bytes, left_);
        left_ -= taken;
        if (taken == 0) return;
        if (!pieces_.empty() && pieces_.back().at + static_cast<std::ptrdiff_t>(pieces_.back().bytes) == at)
            pieces_.back().bytes += taken;
        else
            pieces_.push_back({at, taken});
    }
    static std::ptrdiff_t extent_of(MPI_Datatype type) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        pmpi.Type_get_extent(type, &lower, &extent);
        return extent;
    }
    // MPI 4.0, 5.1.13 says what the numbers of each combiner mean.
    void add_element(const Contents& of, std::ptrdiff_t at) {
        if (of.types.empty()) return give_up();
        const MPI_Datatype inner = of.types[0];
        const std::vector<int>& n = of.numbers;
        const std::vector<MPI_Aint>& a = of.addresses;
        const auto blocks = [&](auto length_of, auto place_of) {
            for (int i = 0; i < n[0] && left_ > 0; ++i)
                add_elements(inner, length_of(static_cast<std::size_t>(i)), at + place_of(static_cast<std::size_t>(i)));
        };
        switch (of.combiner) {
        case MPI_COMBINER_DUP:
        case MPI_COMBINER_RESIZED:
            return add_elements(inner, 1, at);
        case MPI_COMBINER_CONTIGUOUS:
            return add_elements(inner, n[0], at);
        case MPI_COMBINER_VECTOR: {
            const std::ptrdiff_t stride = n[2] * extent_of(inner);
            return blocks([&](auto) { return n[1]; },
                          [&](std::size_t i) { return static_cast<std::ptrdiff_t>(i) * stride; });
        }
        case MPI_COMBINER_HVECTOR:
            return blocks([&](auto) { return n[1]; },
                          [&](std::size_t i) { return static_cast<std::ptrdiff_t>(i) * a[0]; });
        case MPI_COMBINER_INDEXED: {
            const std::ptrdiff_t extent = extent_of(inner);
            const auto count = static_cast<std::size_t>(n[0]);
            return blocks([&](std::size_t i) { return n[1 + i]; },
                          [&](std::size_t i) { return n[1 + count + i] * extent; });
        }
        case MPI_COMBINER_HINDEXED:
            return blocks([&](std::size_t i) { return n[1 + i]; }, [&](std::size_t i) { return a[i]; });
        case MPI_COMBINER_INDEXED_BLOCK: {
            const std::ptrdiff_t extent = extent_of(inner);
            return blocks([&](auto) { return n[1]; }, [&](std::size_t i) { return n[2 + i] * extent; });
        }
        case MPI_COMBINER_HINDEXED_BLOCK:
            return blocks([&](auto) { return n[1]; }, [&](std::size_t i) { return a[i]; });
        case MPI_COMBINER_STRUCT:
            for (std::size_t i = 0; i < of.types.size() && left_ > 0; ++i)
                add_elements(of.types[i], n[1 + i], at + a[i]);
            return;
        case MPI_COMBINER_SUBARRAY:
            return add_subarray(of, at);
        default:
            return give_up();
        }
    }
    void add_subarray(const Contents& of, std::ptrdiff_t at) {
        const auto dimensions = static_cast<std::size_t>(of.numbers[0]);
        const int* const sizes = of.numbers.data() + 1;
        const int* const parts = sizes + dimensions;
        const int* const starts = parts + dimensions;
        const bool last_is_next = starts[dimensions] == order_of_c; // the last index varies fastest in memory
        std::vector<std::size_t> order(dimensions);                 // innermost dimension first
        for (std::size_t d = 0; d < dimensions; ++d) order[d] = last_is_next ? dimensions - 1 - d : d;
        std::vector<std::ptrdiff_t> strides(dimensions);
        std::ptrdiff_t stride = extent_of(of.types[0]);
        for (const std::size_t d : order) {
            strides[d] = stride;
            at += starts[d] * stride;
            stride *= sizes[d];
        }
        std::vector<int> place(dimensions);
        while (left_ > 0) {
            std::ptrdiff_t row = at;
            for (std::size_t d = 0; d < dimensions; ++d) row += place[d] * strides[d];
            add_elements(of.types[0], parts[order[0]], row);
            std::size_t k = 1;
            while (k < dimensions && ++place[order[k]] == parts[order[k]]) place[order[k++]] = 0;
            if (k >= dimensions) return;
        }
    }

    std::size_t left_;
    std::vector<Piece> pieces_;
};

} // namespace

std::vector<Piece> first_pieces(const Data& data, std::size_t bytes) {
    const Locked hold{types_lock};
    const std::uint64_t known = sound_types.find(key_of(data.type));
    const Pieces* element = pieces_in(known);
    if (element == nullptr) {
        if (known == 0) return {}; // a predefined type with gaps
        Flattening flattening{bytes};
        flattening.add_element_of(data.type);
        element = new Pieces{std::move(flattening).pieces()};
        sound_types.put(key_of(data.type), known | reinterpret_cast<std::uintptr_t>(element));
    }
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    pmpi.Type_get_extent(data.type, &lower, &extent);
    Pieces all;
    std::size_t left = element->empty() ? 0 : bytes;
    for (MPI_Count i = 0; i < data.count && left > 0; ++i) {
        for (const Piece& piece : *element) {
            const std::size_t taken = std::min(piece.bytes, left);
            if (taken > 0) all.push_back({piece.at + static_cast<std::ptrdiff_t>(i) * extent, taken});
            left -= taken;
        }
    }
    if (left > 0) all.clear();
    return all;
}

void forget_type(MPI_Datatype type) {
    if (!piggyback_policy.on || sound_types.find(key_of(type)) == 0) return;
    const Locked hold{types_lock};
    delete pieces_in(sound_types.find(key_of(type)));
    sound_types.put(key_of(type), 0);
}

std::uint64_t Data::bytes() const {
    MPI_Count size = static_cast<MPI_Count>(datatypes.predefined(type).size);
    if (size == 0) pmpi.Type_size_x(type, &size);
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

OnePiece::OnePiece(const void* at, std::size_t bytes) : count_{static_cast<int>(bytes)}, type_{handle.PACKED} {
    if (bytes <= INT_MAX) return;
    const auto* const behind = static_cast<const std::byte*>(at) + header_bytes;
    count_ = 1;
    type_ = type_after_header(at, {behind, static_cast<MPI_Count>(bytes - header_bytes), handle.BYTE});
}

OnePiece::~OnePiece() {
    if (type_ != handle.PACKED) pmpi.Type_free(&type_);
}

bool copy_by_message(const Data& from, const Data& to) {
    static constinit pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    constexpr int tag = 301; // on the host's communicator
    const Locked hold{one_at_a_time};
    int self = 0;
    pmpi.Comm_rank(piggyback_host.comm, &self);
    return pmpi.Sendrecv(from.buffer, static_cast<int>(from.count), from.type, self, tag, const_cast<void*>(to.buffer),
                         static_cast<int>(to.count), to.type, self, tag, piggyback_host.comm,
                         MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void pack(const Data& data, void* to, std::size_t bytes) {
    if (facts_of(data.type).dense) {
        std::memcpy(to, data.buffer, bytes);
    } else if (bytes <= INT_MAX) {
        int at = 0;
        pmpi.Pack(data.buffer, static_cast<int>(data.count), data.type, to, static_cast<int>(bytes), &at,
                  piggyback_host.comm);
    } else {
        const OnePiece piece{to, bytes};
        copy_by_message(data, {to, piece.count(), piece.type()});
    }
}

void unpack(const void* from, std::size_t bytes, const Data& data) {
    void* const to = const_cast<void*>(data.buffer);
    if (facts_of(data.type).dense) {
        std::memcpy(to, from, bytes);
    } else if (bytes <= INT_MAX) {
        int at = 0;
        pmpi.Unpack(from, static_cast<int>(bytes), &at, to, static_cast<int>(data.count), data.type,
                    piggyback_host.comm);
    } else {
        const OnePiece piece{from, bytes};
        copy_by_message({from, piece.count(), piece.type()}, data);
    }
}

bool unpack_part(const std::byte* from, std::size_t bytes, const Data& data) {
    if (facts_of(data.type).dense) {
        std::memcpy(const_cast<void*>(data.buffer), from, bytes);
        return true;
    }
    const std::size_t element = data.bytes() / static_cast<std::size_t>(data.count);
    if (bytes % element == 0) {
        unpack(from, bytes, {data.buffer, static_cast<MPI_Count>(bytes / element), data.type});
        return true;
    }
    const OnePiece piece{from, bytes};
    return copy_by_message({from, piece.count(), piece.type()}, data);
}

// MPI_Send_c accepts more elements than an int counts. These become blocks of `many` elements, and the rest.
MPI_Datatype type_after_header(const void* header, const Data& data, int of_header) {
    constexpr MPI_Count many = 1 << 30;
    const auto user = reinterpret_cast<std::intptr_t>(data.buffer);
    const auto front = reinterpret_cast<std::intptr_t>(header);
    int lengths[] = {of_header, static_cast<int>(data.count % many), static_cast<int>(data.count / many)};
    MPI_Aint places[] = {0, user - front, user - front};
    MPI_Datatype types[] = {handle.BYTE, data.type, handle.DATATYPE_NULL};
    MPI_Datatype outer = handle.DATATYPE_NULL;
    int parts = 2;
    if (lengths[2] != 0) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        if (pmpi.Type_contiguous(many, data.type, &types[2]) != MPI_SUCCESS) return handle.DATATYPE_NULL;
        pmpi.Type_get_extent(data.type, &lower, &extent);
        places[1] += (data.count - data.count % many) * extent;
        parts = 3;
    }
    const bool made = pmpi.Type_create_struct(parts, lengths, places, types, &outer) == MPI_SUCCESS;
    if (parts == 3) pmpi.Type_free(&types[2]);
    return made && pmpi.Type_commit(&outer) == MPI_SUCCESS ? outer : handle.DATATYPE_NULL;
}

} // namespace tactus
