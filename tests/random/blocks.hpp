/* The buffer of a collective call: one block for each peer, placed in a way that this kind of call can describe. */
#pragma once
#include "layout.hpp"

/* What a call can specify for its blocks: one count for all, a count and a displacement each, or also a datatype each.
 */
enum class Shape { same, counts, types };

class Blocks {
  public:
    Blocks() = default;
    /* `units[i]` of the signature in block i, each a multiple of the granule; all the same for Shape::same. */
    Blocks(Shape shape, int signature, int granule, const std::vector<int>& units);

    void put(std::size_t block, std::uint64_t key) { put(area_, block, key); }
    /* At the end of the call, the block must have this content. */
    void expect(std::size_t block, std::uint64_t key) { put(expected_, block, key); }
    /* Everything else must stay as it is now. Must be called before the first `expect`. */
    void expect_unchanged() { expected_ = area_; }
    void check() const { require(area_ == expected_, "wrong content of a collective call"); }
    void free_types();

    void* buffer() { return area_.data(); }
    int count() const { return units_.empty() ? 0 : counts_[0]; }
    MPI_Datatype type() const { return layouts_[0].type; }
    const int* counts() const { return counts_.data(); }
    const int* displacements() const { return displacements_.data(); }
    const int* byte_displacements() const { return byte_displacements_.data(); }
    const MPI_Aint* address_displacements() const { return address_displacements_.data(); }
    const MPI_Datatype* types() const { return types_.data(); }

  private:
    const Layout& layout(std::size_t block) const { return layouts_[layouts_.size() == 1 ? 0 : block]; }
    void put(Area& area, std::size_t block, std::uint64_t key);

    std::vector<Layout> layouts_;
    std::vector<int> units_, counts_, displacements_, byte_displacements_;
    std::vector<MPI_Aint> address_displacements_;
    std::vector<MPI_Datatype> types_;
    Area area_, expected_;
};
