/* Lays blocks one after the other in any order, with gaps where the call can describe them. */
#include "blocks.hpp"

#include <numeric>

Blocks::Blocks(Shape shape, int signature, int granule, const std::vector<int>& units) : units_(units) {
    const std::size_t blocks = units.size();
    for (std::size_t i = 0; i < (shape == Shape::types ? std::max<std::size_t>(blocks, 1) : 1); i++)
        layouts_.push_back(random_layout(signature, granule, here.choice));
    std::vector<std::size_t> order(blocks);
    std::iota(order.begin(), order.end(), 0);
    if (shape != Shape::same && here.choice.coin()) here.choice.shuffle(order);
    for (auto* list : {&counts_, &displacements_, &byte_displacements_})
        list->resize(blocks + 1); // MPICH reads the first even if there is none
    std::size_t bytes = 0;
    for (std::size_t block : order) {
        const Layout& its = layout(block);
        // For a single rank, Open MPI's MPI_Alltoallw takes the displacement for a number of extents.
        if (shape != Shape::same && blocks > 1) bytes += its.extent * static_cast<std::size_t>(here.choice.below(3));
        counts_[block] = units[block] / its.units;
        displacements_[block] = static_cast<int>(bytes / its.extent);
        byte_displacements_[block] = static_cast<int>(bytes);
        bytes += its.extent * static_cast<std::size_t>(counts_[block]);
    }
    address_displacements_.assign(byte_displacements_.begin(), byte_displacements_.end());
    for (std::size_t block = 0; block < blocks; block++) types_.push_back(layout(block).type);
    types_.push_back(MPI_BYTE);
    area_ = untouched(bytes + 1);
}

void Blocks::put(Area& area, std::size_t block, std::uint64_t key) {
    const Layout& its = layout(block);
    write(area, static_cast<std::size_t>(byte_displacements_[block]), its, units_[block] * its.elements_per_unit(),
          key);
}

void Blocks::free_types() {
    for (Layout& layout : layouts_) layout.free();
}
