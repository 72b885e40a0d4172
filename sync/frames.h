// What travels on a connection after its greeting: packets (2-byte big-endian length, then that
// many bytes), and on an encrypted connection frames inside of them. Shared by links and pairing.
// State machines without I/O; one thread; an error is final for the connection.
#pragma once

#include <cstdint>
#include <optional>

#include "crypto/bytes.h"
#include "crypto/noise.h"
#include "crypto/result.h"

namespace kartei::sync {

// Appends one packet. The body is at most crypto::kNoiseMessageMax bytes.
void append_packet(Bytes& out, ByteView body);

// Cuts a stream into packets, whatever the pieces it arrives in. Holds at most one incomplete
// packet beyond the piece fed last.
class PacketReader {
 public:
  explicit PacketReader(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  void set_max(std::size_t max_bytes) { max_bytes_ = max_bytes; }
  void feed(ByteView bytes);
  // The next whole packet, valid until the next feed(); empty: more bytes are needed. Error: empty
  // or above the limit, which is noticed at its length, before its body is there.
  Result<std::optional<ByteView>> next();
  std::size_t buffered() const { return buffer_.size() - begin_; }

 private:
  std::size_t max_bytes_;
  Bytes buffer_;
  std::size_t begin_ = 0;
};

enum class FrameKind : std::uint8_t {
  kData = 0,  // the last (or only) fragment of a message
  kMore = 1,  // a fragment, others follow
  kPing = 2,
  kPong = 3,
  kClose = 4,    // body: reason, then one byte that belongs to it
  kConfirm = 5,  // the dialler's first: its handshake was no replay
};

struct Frame {
  FrameKind kind = FrameKind::kData;  // never kMore
  Bytes body;                         // kData: the whole message
};

// A Noise transport that carries messages of any length up to a bound, cut into frames of one
// packet each: kind (1 byte), body.
class FrameChannel {
 public:
  FrameChannel(crypto::NoiseTransport transport, std::size_t message_max_bytes);
  // Appends packets to `out`. Error: the message is longer than the bound; nothing was appended.
  Status send_message(ByteView message, Bytes& out);
  Status send_control(FrameKind kind, ByteView body, Bytes& out);
  // A frame, or empty while a message is still incomplete.
  Result<std::optional<Frame>> receive(ByteView packet);

 private:
  Status send_frame(FrameKind kind, ByteView body, Bytes& out);

  crypto::NoiseTransport transport_;
  std::size_t message_max_bytes_;
  Bytes plain_;    // scratch of send_frame
  Bytes partial_;  // fragments so far
};

}  // namespace kartei::sync
