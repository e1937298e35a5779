/* Messages that may be received in any order, and what a receive of one of them got. */
#pragma once
#include "communicators.hpp"
#include "layout.hpp"

#include <algorithm>

enum class Mode { standard, synchronous, buffered, ready };

struct Planned_message {
    int sender, tag, units;
    std::uint64_t key; // names the content
    Mode mode = Mode::standard;
    bool taken = false; // by a receive
};

struct Message_group {
    const Communicator* comm;
    int receiver;
    bool any_source, any_tag, sends_early, receives_early;
    bool ignores_statuses; // then the receiver recognizes messages by their content
    int signature, granule, most_units = 0;
    std::vector<Planned_message> messages;

    /* For messages to oneself, MPICH aborts with MPI_PACKED, and uses the datatype even after it was freed. */
    bool may_pack() const { return ordered() && !to_oneself(); }
    bool to_oneself() const {
        return std::ranges::any_of(messages, [this](const auto& message) { return message.sender == receiver; });
    }
    bool ordered() const { return !any_source; } // the k-th receive takes the k-th message
};

/* The buffer of a receive, and what must be in it afterwards. */
class Reception {
  public:
    Reception(Message_group& group, std::size_t index);
    void* buffer() { return packed_ ? packed_area_.data() : area_.data(); }
    bool needs_status() const { return !group_.ordered() && !group_.ignores_statuses && group_.messages.size() > 1; }
    void check_probed(const MPI_Status& status) const;
    void accept(const MPI_Status* status);
    /* Allowed while the receive is under way. */
    void free_type_early();

    MPI_Datatype type;
    int count;

  private:
    Planned_message& identified(const MPI_Status* status);
    bool looks_like(const Planned_message& message) const;
    bool agrees(const Planned_message& message, const MPI_Status& status) const;
    void check_length(const MPI_Status& status, const Planned_message& message) const;

    Message_group& group_;
    std::size_t index_;
    Layout layout_;
    int instances_;
    bool packed_, freed_ = false;
    Area area_, packed_area_;
};
