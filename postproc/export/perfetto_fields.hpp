// Field numbers of Perfetto's trace format (protos/perfetto/trace of github.com/google/perfetto), as docs/exports.md
// lists them.
#pragma once

#include <cstdint>

namespace tactus::perfetto {

constexpr std::uint32_t trace_packet = 1; // of Trace

namespace packet { // TracePacket
constexpr std::uint32_t clock_snapshot = 6;
constexpr std::uint32_t timestamp = 8; // ns
constexpr std::uint32_t sequence = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t interned_data = 12;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t track_descriptor = 60;
constexpr std::uint32_t perf_sample = 66;
} // namespace packet

namespace flags { // TracePacket.SequenceFlags
constexpr std::uint64_t state_cleared = 1;
constexpr std::uint64_t needs_state = 2;
} // namespace flags

namespace snapshot { // ClockSnapshot, and a Clock of it
constexpr std::uint32_t clocks = 1;
constexpr std::uint32_t clock_id = 1;
constexpr std::uint32_t timestamp = 2;
constexpr std::uint64_t realtime = 1; // BuiltinClock
constexpr std::uint64_t boottime = 6;
} // namespace snapshot

namespace descriptor { // TrackDescriptor
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t process = 3;
constexpr std::uint32_t thread = 4;
constexpr std::uint32_t parent = 5;
constexpr std::uint32_t counter = 8;
} // namespace descriptor

namespace process { // ProcessDescriptor
constexpr std::uint32_t pid = 1;
constexpr std::uint32_t name = 6;
} // namespace process

namespace thread { // ThreadDescriptor
constexpr std::uint32_t pid = 1;
constexpr std::uint32_t tid = 2;
constexpr std::uint32_t name = 5;
} // namespace thread

namespace counter { // CounterDescriptor
constexpr std::uint32_t unit_name = 6;
} // namespace counter

namespace event { // TrackEvent
constexpr std::uint32_t category = 3;
constexpr std::uint32_t annotation = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t name = 10;
constexpr std::uint32_t track = 11;
constexpr std::uint32_t text_name = 23;
constexpr std::uint32_t counter_value = 30;
constexpr std::uint32_t double_counter_value = 44;
constexpr std::uint32_t flow = 47;             // fixed64
constexpr std::uint32_t terminating_flow = 48; // fixed64
constexpr std::uint64_t slice_begin = 1;       // Type
constexpr std::uint64_t slice_end = 2;
constexpr std::uint64_t instant = 3;
constexpr std::uint64_t counter_type = 4;
} // namespace event

namespace annotation { // DebugAnnotation
constexpr std::uint32_t name = 1;
constexpr std::uint32_t unsigned_value = 3;
constexpr std::uint32_t signed_value = 4;
constexpr std::uint32_t text = 6;
} // namespace annotation

namespace interned { // InternedData, and its entries: each has a number and a name
constexpr std::uint32_t categories = 1;
constexpr std::uint32_t event_names = 2;
constexpr std::uint32_t annotation_names = 3;
constexpr std::uint32_t function_names = 5;
constexpr std::uint32_t frames = 6;
constexpr std::uint32_t callstacks = 7;
constexpr std::uint32_t mapping_paths = 17;
constexpr std::uint32_t mappings = 19;
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t name = 2;
} // namespace interned

namespace sample { // PerfSample
constexpr std::uint32_t pid = 2;
constexpr std::uint32_t tid = 3;
constexpr std::uint32_t callstack = 4;
constexpr std::uint32_t unwind_error = 16;
constexpr std::uint64_t unknown_error = 0; // StackUnwindError
} // namespace sample

namespace text { // InternedString
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t text = 2;
} // namespace text

namespace mapping { // Mapping
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t path = 7;
} // namespace mapping

namespace frame { // Frame
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t function = 2;
constexpr std::uint32_t mapping = 3;
constexpr std::uint32_t offset = 4;
} // namespace frame

namespace callstack { // Callstack
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t frame = 2;
} // namespace callstack

} // namespace tactus::perfetto
