#include "sync/pairing.h"

#include "crypto/hash.h"

namespace kartei::sync {
namespace {

constexpr std::string_view kChannel = "kartei pairing 1";
constexpr std::size_t kWelcomeMax = 16 << 20;

// H. M. Damm's check digit: finds every single wrong digit and every swap of neighbours.
char check_digit(std::string_view digits) {
  static constexpr std::uint8_t kTable[10][10] = {
      {0, 3, 1, 7, 5, 9, 8, 6, 4, 2}, {7, 0, 9, 2, 1, 5, 4, 8, 6, 3},
      {4, 2, 0, 6, 8, 7, 1, 3, 5, 9}, {1, 7, 5, 0, 9, 8, 3, 4, 2, 6},
      {6, 1, 2, 3, 0, 4, 5, 9, 7, 8}, {3, 6, 7, 4, 2, 0, 9, 5, 8, 1},
      {5, 8, 6, 9, 7, 2, 0, 1, 3, 4}, {8, 9, 4, 5, 3, 6, 2, 0, 1, 7},
      {9, 4, 3, 8, 6, 1, 7, 2, 0, 5}, {2, 5, 8, 1, 4, 3, 6, 7, 9, 0}};
  std::uint8_t state = 0;
  for (const char digit : digits) state = kTable[state][digit - '0'];
  return static_cast<char>('0' + state);
}

}  // namespace

PairingCode PairingCode::generate(crypto::Random& random) {
  std::uint64_t number = random.next_u64() % 1'000'000'000;  // the bias is below 2^-34
  std::string digits(9, '0');
  for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
    *at = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  digits += check_digit(digits);
  return PairingCode(std::move(digits));
}

Result<PairingCode> PairingCode::parse(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == ' ' || c == '-') continue;
    if (c < '0' || c > '9' || digits.size() == 10) {
      return bad_input("A pairing code has ten digits, such as 48105-13965.", "code");
    }
    digits += c;
  }
  if (digits.size() != 10) return bad_input("A pairing code has ten digits.", "code");
  if (check_digit(digits) != '0')
    return bad_input("The code has a typing error: compare it with the other device.", "code");
  return PairingCode(std::move(digits));
}

std::string PairingCode::text() const {
  return digits_.substr(0, 5) + "-" + digits_.substr(5);
}

std::string_view text(PairingFailure failure) {
  switch (failure) {
    case PairingFailure::kWrongCode:
      return "The code is wrong.";
    case PairingFailure::kExpired:
      return "The code has expired; ask for a new one.";
    case PairingFailure::kSpent:
      return "The code was used, or tried too often; ask for a new one.";
    case PairingFailure::kRefused:
      return "The other device refused.";
    case PairingFailure::kProtocol:
      return "The other device does not speak this protocol.";
    case PairingFailure::kLost:
      return "The connection was lost; try again with a new code.";
    case PairingFailure::kTimeout:
      return "The other device did not answer in time.";
    case PairingFailure::kNotFound:
      return "No device that waits for pairing was found.";
  }
  return "Pairing failed.";
}

std::optional<PairingFailure> PairingOffer::refusal(std::int64_t now_ms) const {
  if (spent_ || attempts_ <= 0) return PairingFailure::kSpent;
  if (now_ms >= expires_ms_) return PairingFailure::kExpired;
  return std::nullopt;
}

// ---- what both roles share

std::vector<PairingEvent> PairingSession::receive(ByteView bytes, std::int64_t now_ms) {
  Events events;
  if (closed_) return events;
  reader_.feed(bytes);
  while (!closed_) {
    auto packet = reader_.next();
    if (packet.has_error()) {
      fail(PairingFailure::kProtocol, packet.error().what, events);
      break;
    }
    if (!*packet) break;
    if (const Status taken = take_packet(**packet, now_ms, events); taken.has_error()) {
      fail(PairingFailure::kProtocol, taken.error().what, events);
    }
  }
  return events;
}

std::vector<PairingEvent> PairingSession::end() {
  Events events;
  if (!closed_) fail(PairingFailure::kLost, {}, events);
  return events;
}

void PairingSession::fail(PairingFailure failure, std::string what, Events& events) {
  closed_ = true;
  events.push_back(PairingFailed{failure, std::move(what)});
}

Status PairingSession::take_packet(ByteView packet, std::int64_t now_ms, Events& events) {
  if (!confirmed_) return take_clear(packet, now_ms, events);
  if (!channel_) return take_noise(packet, events);
  KARTEI_ASSIGN(auto frame, channel_->receive(packet));
  if (!frame) return {};
  if (frame->kind != FrameKind::kData)
    return corrupt("The peer sent a frame that has no place here.");
  return take_message(frame->body, events);
}

void PairingSession::make_session(ByteView newcomer_nonce, ByteView member_nonce) {
  session_ = crypto::hash("kartei pairing session", {newcomer_nonce, member_nonce});
}

void PairingSession::start_cpace(const PairingCode& code, std::string_view role) {
  cpace_.emplace(code.bytes(), session_, as_bytes(kChannel), as_bytes(role), random_);
}

Status PairingSession::finish_cpace(ByteView share, std::string_view role, bool initiator) {
  KARTEI_ASSIGN(isk_, cpace_->finish(share, as_bytes(role), initiator));
  return {};
}

Bytes PairingSession::proof(ByteView share, std::string_view role) const {
  return crypto::cpace_confirmation(isk_, session_, share, as_bytes(role));
}

Status PairingSession::start_noise(bool newcomer, const crypto::Secret& box_secret) {
  confirmed_ = true;
  // Never the code itself: a PSK must have the entropy of a key.
  const Hash32 psk = crypto::hash("kartei pairing key", {isk_.view(), session_});
  crypto::NoiseConfig config;
  config.pattern = crypto::NoisePattern::kXXpsk3;
  config.role = newcomer ? crypto::NoiseRole::kInitiator : crypto::NoiseRole::kResponder;
  config.prologue = to_bytes(as_bytes(kChannel));
  config.prologue.insert(config.prologue.end(), session_.begin(), session_.end());
  config.local_static = box_secret.copy();
  config.psk = crypto::Secret(ByteView(psk));
  KARTEI_ASSIGN(handshake_, crypto::NoiseHandshake::create(std::move(config), random_));
  isk_ = {};
  if (!newcomer) return {};
  KARTEI_ASSIGN(const Bytes first, handshake_->write({}));
  append_packet(output_, first);
  return {};
}

Status PairingSession::take_noise(ByteView packet, Events& events) {
  KARTEI_TRY(handshake_->read(packet));
  if (!handshake_->finished() && handshake_->my_turn()) {
    KARTEI_ASSIGN(const Bytes next, handshake_->write({}));
    append_packet(output_, next);
  }
  if (!handshake_->finished()) return {};
  if (!handshake_->remote_static()) return corrupt("The peer showed no key.");
  peer_key_ = *handshake_->remote_static();
  KARTEI_ASSIGN(auto transport, handshake_->split());
  channel_.emplace(std::move(transport), kWelcomeMax);
  handshake_.reset();
  reader_.set_max(crypto::kNoiseMessageMax);
  return opened(events);
}

Status PairingSession::send(std::uint8_t type, std::initializer_list<ByteView> parts) {
  if (!channel_ || closed_)
    return Error{Cause::kUnavailable, "The pairing channel is not open.", {}};
  Bytes message{type};
  for (const auto part : parts) message.insert(message.end(), part.begin(), part.end());
  return channel_->send_message(message, output_);
}

}  // namespace kartei::sync
