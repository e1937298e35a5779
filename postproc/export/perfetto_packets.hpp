// Writes one sequence of packets of a Perfetto trace. Names are written with the first packet that may use them.
#pragma once

#include "postproc/export/output_file.hpp"
#include "postproc/export/protobuf.hpp"

#include <cstdint>

namespace tactus {

class PerfettoPackets {
  public:
    // `sequence`: its number, which nothing else has.
    PerfettoPackets(std::uint64_t sequence, OutputFile& out) : sequence_{sequence}, out_{out} {}
    void put_track(const Protobuf& descriptor);
    // `time` counts the units of global time; `field` says what `content` is.
    void put_timed(std::uint64_t time, std::uint32_t field, const Protobuf& content);
    [[nodiscard]] Protobuf& new_names() { return new_names_; } // that were not written yet

  private:
    void put_packet();

    std::uint64_t sequence_;
    OutputFile& out_;
    bool state_cleared_ = false;
    Protobuf new_names_;
    Protobuf packet_;
    Protobuf whole_;
};

} // namespace tactus
