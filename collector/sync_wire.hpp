// The wire of clock measurements: sends 64-bit words between two ranks through the traced program's MPI.
#pragma once

#include "base/bytes.hpp"
#include "base/mpi/mpi_functions.hpp"
#include "clocksync/exchange.hpp"

#include <array>

namespace tactus {

// A message carries one word. The rest is padding: with the MPI's header the message fills a cache line. Open MPI puts
// two smaller messages into one line of its shared memory. The second message then waits for the line, and the answer
// was always the second: 40 ns of error that no statistics could find.
constexpr int words_a_message = 4;
using WireMessage = std::array<std::uint64_t, words_a_message>;

class MpiWire final : public Wire {
  public:
    // Receives give up at `deadline_ns` (CLOCK_MONOTONIC). `crowded` says that there are more ranks than cores: await()
    // then sleeps between its tests.
    MpiWire(MPI_Comm comm, int tag, std::int64_t deadline_ns, bool crowded = false)
        : comm_{comm}, tag_{tag}, deadline_ns_{deadline_ns}, crowded_{crowded} {}
    bool send(std::uint32_t to, std::uint64_t word) override;
    void expect(std::uint32_t from) override;
    bool receive(std::uint32_t from, std::uint64_t& word) override;
    bool await(std::uint32_t from, std::uint64_t& word) override;

  private:
    MPI_Comm comm_;
    int tag_;
    std::int64_t deadline_ns_;
    bool crowded_;
    MPI_Request request_ = handle.REQUEST_NULL;
    // Where the expected word arrives. It outlives this object, because after a deadline has passed the MPI may still
    // write to it.
    static thread_local WireMessage message_;
};

// Send and receive bytes, with their size sent first. Both return false when the deadline passed, the MPI reports an
// error, or memory is refused.
bool send_bytes(MPI_Comm comm, std::uint32_t to, const Bytes& bytes, std::int64_t deadline_ns);
bool receive_bytes(MPI_Comm comm, std::uint32_t from, Bytes& bytes, std::int64_t deadline_ns);

} // namespace tactus
