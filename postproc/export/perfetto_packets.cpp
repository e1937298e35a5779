#include "postproc/export/perfetto_packets.hpp"

#include "postproc/export/perfetto_fields.hpp"
#include "trace/time_map.hpp"

namespace tactus {

void PerfettoPackets::put_packet() {
    whole_.clear();
    whole_.message(perfetto::trace_packet, packet_);
    out_.put(whole_.bytes());
}

void PerfettoPackets::put_track(const Protobuf& descriptor) {
    packet_.clear();
    packet_.number(perfetto::packet::sequence, sequence_).message(perfetto::packet::track_descriptor, descriptor);
    put_packet();
}

void PerfettoPackets::put_timed(std::uint64_t time, std::uint32_t field, const Protobuf& content) {
    packet_.clear();
    packet_
        .number(perfetto::packet::timestamp, static_cast<std::uint64_t>(static_cast<double>(time) / time_units_per_ns))
        .number(perfetto::packet::sequence, sequence_)
        .number(perfetto::packet::sequence_flags, state_cleared_
                                                      ? perfetto::flags::needs_state
                                                      : perfetto::flags::state_cleared | perfetto::flags::needs_state);
    state_cleared_ = true;
    if (!new_names_.empty()) packet_.message(perfetto::packet::interned_data, new_names_);
    new_names_.clear();
    packet_.message(field, content);
    put_packet();
}

} // namespace tactus
