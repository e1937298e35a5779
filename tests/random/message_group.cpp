/* Finds which message a receive got: by order, by status or by content, whichever the group allows. */
#include "message_group.hpp"

Reception::Reception(Message_group& group, std::size_t index)
    : group_(group), index_(index), layout_(random_layout(group.signature, group.granule, here.choice)) {
    const int spare = here.choice.coin() ? 0 : here.choice.below(20);
    instances_ = layout_.instances(group.most_units + spare);
    area_ = untouched(static_cast<std::size_t>(instances_) * layout_.extent);
    packed_ = group.may_pack() && here.choice.one_in(6);
    type = packed_ ? MPI_PACKED : layout_.type;
    count = instances_;
    if (!packed_) return;
    must(MPI_Pack_size(instances_, layout_.type, group.comm->handle, &count));
    packed_area_ = untouched(static_cast<std::size_t>(count));
}

/* Packed data needs the type until the end. */
void Reception::free_type_early() {
    if (packed_ || freed_ || group_.to_oneself()) return;
    freed_ = true;
    layout_.free();
}

bool Reception::agrees(const Planned_message& message, const MPI_Status& status) const {
    return status.MPI_SOURCE == group_.comm->rank_of(message.sender) && status.MPI_TAG == message.tag;
}

void Reception::check_probed(const MPI_Status& status) const {
    if (group_.ordered()) return require(agrees(group_.messages[index_], status), "another message was probed");
    if (group_.ignores_statuses) return; // after this, what was taken is only known up to equal content
    for (const Planned_message& message : group_.messages)
        if (!message.taken && agrees(message, status)) return;
    fail("a probed message was never sent");
}

bool Reception::looks_like(const Planned_message& message) const {
    Area expected = untouched(area_.size());
    write(expected, 0, layout_, message.units * layout_.elements_per_unit(), message.key);
    return expected == area_;
}

Planned_message& Reception::identified(const MPI_Status* status) {
    if (group_.ordered()) return group_.messages[index_];
    for (Planned_message& message : group_.messages) {
        if (message.taken || !looks_like(message)) continue;
        if (status == nullptr || group_.ignores_statuses || agrees(message, *status)) return message;
    }
    fail("a received message was never sent like this");
}

void Reception::check_length(const MPI_Status& status, const Planned_message& message) const {
    int elements = -1, whole = -1, cancelled = 1;
    const int sent = message.units * layout_.elements_per_unit(), each = static_cast<int>(layout_.places.size());
    must(MPI_Test_cancelled(&status, &cancelled));
    require(!cancelled, "cancelled by nobody");
    if (freed_ && layout_.made) {
        // The datatype is freed, but the length can be had with a basic type.
        std::size_t bytes = 0;
        for (int i = 0; i < sent; i++) bytes += layout_.places[static_cast<std::size_t>(i % each)].size;
        must(MPI_Get_count(&status, MPI_BYTE, &whole));
        return require(static_cast<std::size_t>(whole) == bytes, "wrong length in bytes");
    }
    must(MPI_Get_elements(&status, layout_.type, &elements));
    must(MPI_Get_count(&status, layout_.type, &whole));
    require(elements == sent, "wrong number of elements");
    require(whole == (sent % each == 0 ? sent / each : MPI_UNDEFINED), "wrong count");
}

void Reception::accept(const MPI_Status* status) {
    if (packed_) {
        const Planned_message& message = group_.messages[index_];
        int at = 0, packed_bytes = count;
        if (status != nullptr) must(MPI_Get_count(status, MPI_PACKED, &packed_bytes));
        // Types whose units do not fill an instance cannot be unpacked in this way.
        const int instances = message.units / layout_.units;
        must(MPI_Unpack(packed_area_.data(), packed_bytes, &at, area_.data(), instances, layout_.type, MPI_COMM_WORLD));
        require(status == nullptr || at == packed_bytes, "a packed message of another length");
    }
    Planned_message& message = identified(status);
    require(!message.taken && looks_like(message), "wrong content");
    message.taken = true;
    if (status != nullptr && !packed_) {
        require(agrees(message, *status) || group_.ignores_statuses, "wrong source or tag");
        check_length(*status, message);
    }
    if (!freed_) layout_.free();
    fold(message.sender, message.tag, message.key, here.rank);
}
