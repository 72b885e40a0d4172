#include "sync/frames.h"

namespace kartei::sync {
namespace {

constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kFragmentMax = crypto::kNoiseMessageMax - kTagBytes - 1;
constexpr std::size_t kControlMax = 16;

}  // namespace

void append_packet(Bytes& out, ByteView body) {
  out.push_back(static_cast<std::uint8_t>(body.size() >> 8));
  out.push_back(static_cast<std::uint8_t>(body.size()));
  out.insert(out.end(), body.begin(), body.end());
}

void PacketReader::feed(ByteView bytes) {
  if (begin_ > 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<ByteView>> PacketReader::next() {
  if (buffered() < 2) return std::optional<ByteView>();
  const std::size_t size = static_cast<std::size_t>(buffer_[begin_] << 8 | buffer_[begin_ + 1]);
  if (size == 0) return corrupt("The peer sent an empty packet.");
  if (size > max_bytes_) return corrupt("The peer sent a packet that is too long here.");
  if (buffered() < 2 + size) return std::optional<ByteView>();
  const ByteView packet(buffer_.data() + begin_ + 2, size);
  begin_ += 2 + size;
  return std::optional<ByteView>(packet);
}

FrameChannel::FrameChannel(crypto::NoiseTransport transport, std::size_t message_max_bytes)
    : transport_(std::move(transport)), message_max_bytes_(message_max_bytes) {}

Status FrameChannel::send_frame(FrameKind kind, ByteView body, Bytes& out) {
  plain_.clear();
  plain_.push_back(static_cast<std::uint8_t>(kind));
  plain_.insert(plain_.end(), body.begin(), body.end());
  KARTEI_ASSIGN(const Bytes cipher, transport_.encrypt(plain_));
  append_packet(out, cipher);
  return {};
}

Status FrameChannel::send_message(ByteView message, Bytes& out) {
  if (message.size() > message_max_bytes_) {
    return bad_input("The message is longer than a link carries.", "message");
  }
  while (message.size() > kFragmentMax) {
    KARTEI_TRY(send_frame(FrameKind::kMore, message.first(kFragmentMax), out));
    message = message.subspan(kFragmentMax);
  }
  return send_frame(FrameKind::kData, message, out);
}

Status FrameChannel::send_control(FrameKind kind, ByteView body, Bytes& out) {
  if (body.size() > kControlMax) return bad_input("The control frame is too long.", "body");
  return send_frame(kind, body, out);
}

Result<std::optional<Frame>> FrameChannel::receive(ByteView packet) {
  KARTEI_ASSIGN(const Bytes plain, transport_.decrypt(packet));
  if (plain.empty()) return corrupt("The peer sent a frame without a kind.");
  const ByteView body = ByteView(plain).subspan(1);
  const auto kind = static_cast<FrameKind>(plain[0]);
  if (kind > FrameKind::kConfirm) return corrupt("The peer sent a frame of an unknown kind.");

  if (kind != FrameKind::kData && kind != FrameKind::kMore) {
    if (body.size() > kControlMax)
      return corrupt("The peer sent a control frame that is too long.");
    return std::optional<Frame>(Frame{kind, to_bytes(body)});
  }
  if (partial_.size() + body.size() > message_max_bytes_) {
    return corrupt("The peer sent a message that is too long.");
  }
  // An empty fragment would let a peer keep us busy for ever without a message.
  if (kind == FrameKind::kMore && body.empty()) return corrupt("The peer sent an empty fragment.");
  partial_.insert(partial_.end(), body.begin(), body.end());
  if (kind == FrameKind::kMore) return std::optional<Frame>();
  Frame whole{FrameKind::kData, std::move(partial_)};
  partial_ = {};
  return std::optional<Frame>(std::move(whole));
}

}  // namespace kartei::sync
