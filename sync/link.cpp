#include "sync/link.h"

#include <set>

#include "crypto/hash.h"

namespace kartei::sync {
namespace {

using crypto::BoxKey;

// version, level, tag
constexpr std::size_t kHelloBytes = 2 + 32;

Bytes prologue() {
  Bytes bytes = to_bytes(as_bytes("kartei link"));
  bytes.insert(bytes.end(), kLinkGreeting.begin(), kLinkGreeting.end());
  return bytes;
}

Error refused() {
  return {Cause::kForbidden, "The connection is not one of this box's members.", {}};
}

}  // namespace

std::string_view text(LinkEnd end) {
  switch (end) {
    case LinkEnd::kLocal:
      return "closed here";
    case LinkEnd::kBye:
      return "closed by the peer";
    case LinkEnd::kDuplicate:
      return "another connection stays";
    case LinkEnd::kRevoked:
      return "not a member any more";
    case LinkEnd::kLost:
      return "connection lost";
    case LinkEnd::kRefused:
      return "refused";
    case LinkEnd::kProtocol:
      return "broke the protocol";
    case LinkEnd::kTimeout:
      return "no answer in time";
    case LinkEnd::kOverrun:
      return "too slow for what was to be sent";
  }
  return "closed";
}

Hash32 link_box_tag(const Hash32& link_key, const BoxKey& dialler, const BoxKey& answerer) {
  return crypto::keyed_hash(link_key, "kartei link box", {dialler, answerer});
}

LinkSession::LinkSession(bool dialled, State state) : dialled_(dialled), state_(state) {}

Result<LinkSession> LinkSession::dial(const LinkBox& box, const BoxKey& peer, std::uint8_t level,
                                      crypto::Random& random) {
  const auto member = box.members.find(peer);
  if (member == box.members.end()) return refused();
  crypto::NoiseConfig config;
  config.prologue = prologue();
  config.local_static = box.box_secret.copy();
  config.remote_static = peer;
  LinkSession session(true, State::kAnswer);
  KARTEI_ASSIGN(session.handshake_, crypto::NoiseHandshake::create(std::move(config), random));

  Bytes hello{kLinkVersion, level};
  const Hash32 tag = link_box_tag(box.link_key, box.box_key, peer);
  hello.insert(hello.end(), tag.begin(), tag.end());
  KARTEI_ASSIGN(const Bytes packet, session.handshake_->write(hello));
  session.output_.assign(kLinkGreeting.begin(), kLinkGreeting.end());
  append_packet(session.output_, packet);
  session.peer_ = {box.box, member->second, peer, level};
  return session;
}

LinkSession LinkSession::accept(const LinkBoxes& boxes, crypto::Random& random) {
  LinkSession session(false, State::kGreeting);
  session.boxes_ = &boxes;
  session.random_ = &random;
  return session;
}

bool LinkSession::take_greeting(ByteView& bytes) {
  while (state_ == State::kGreeting && !bytes.empty()) {
    if (bytes.front() != kLinkGreeting.at(greeting_seen_)) return false;
    bytes = bytes.subspan(1);
    if (++greeting_seen_ == kGreetingBytes) state_ = State::kHello;
  }
  return true;
}

std::vector<LinkEvent> LinkSession::receive(ByteView bytes) {
  std::vector<LinkEvent> events;
  if (closed()) return events;
  if (!take_greeting(bytes)) {
    fail(corrupt("The peer does not speak this protocol, or not this version."), events);
    return events;
  }
  reader_.feed(bytes);
  while (!closed()) {
    auto packet = reader_.next();
    if (packet.has_error()) {
      fail(packet.error(), events);
      break;
    }
    if (!*packet) break;
    if (const Status taken = take_packet(**packet, events); taken.has_error()) {
      fail(taken.error(), events);
    }
  }
  return events;
}

std::vector<LinkEvent> LinkSession::end() {
  std::vector<LinkEvent> events;
  if (closed()) return events;
  // Whoever is not wanted is told nothing but the end of the connection.
  const bool was_refused = dialled_ && state_ == State::kAnswer;
  state_ = State::kClosed;
  events.push_back(LinkClosed{was_refused ? LinkEnd::kRefused : LinkEnd::kLost, 0, {}});
  return events;
}

Status LinkSession::take_packet(ByteView packet, std::vector<LinkEvent>& events) {
  switch (state_) {
    case State::kHello:
      return take_hello(packet);
    case State::kAnswer:
      return take_answer(packet, events);
    case State::kConfirm:
    case State::kReady:
      return take_frame(packet, events);
    default:
      return {};
  }
}

// Boxes of this device may have key pairs of their own: whichever opens the hello is the one meant.
Status LinkSession::take_hello(ByteView packet) {
  std::set<BoxKey> tried;
  for (const auto& [id, box] : *boxes_) {
    if (!tried.insert(box.box_key).second) continue;
    KARTEI_ASSIGN(const bool opened, take_hello_for(box, packet));
    if (opened) return {};
  }
  return refused();
}

// False: the hello is not for this key pair. Error: it is, but not welcome.
Result<bool> LinkSession::take_hello_for(const LinkBox& first, ByteView packet) {
  crypto::NoiseConfig config;
  config.role = crypto::NoiseRole::kResponder;
  config.prologue = prologue();
  config.local_static = first.box_secret.copy();
  KARTEI_ASSIGN(auto handshake, crypto::NoiseHandshake::create(std::move(config), *random_));
  auto hello = handshake->read(packet);
  if (hello.has_error()) return false;
  if (hello->size() < kHelloBytes || (*hello)[0] == 0) return refused();

  const BoxKey peer = handshake->remote_static().value_or(BoxKey{});
  const ByteView tag = ByteView(*hello).subspan(2, 32);
  for (const auto& [id, box] : *boxes_) {
    if (box.box_key != first.box_key) continue;
    const auto member = box.members.find(peer);
    if (member == box.members.end() || peer == box.box_key) continue;
    if (!equal_in_constant_time(tag, link_box_tag(box.link_key, peer, box.box_key))) continue;
    peer_ = {box.box, member->second, peer, (*hello)[1]};
    const std::array<std::uint8_t, 1> answer{kLinkVersion};
    KARTEI_ASSIGN(const Bytes reply, handshake->write(answer));
    append_packet(output_, reply);
    KARTEI_ASSIGN(auto transport, handshake->split());
    channel_.emplace(std::move(transport), kLinkMessageMax);
    state_ = State::kConfirm;
    return true;
  }
  return refused();
}

Status LinkSession::take_answer(ByteView packet, std::vector<LinkEvent>& events) {
  KARTEI_ASSIGN(const Bytes answer, handshake_->read(packet));
  if (answer.empty() || answer[0] == 0) return corrupt("The peer's answer names no version.");
  KARTEI_ASSIGN(auto transport, handshake_->split());
  channel_.emplace(std::move(transport), kLinkMessageMax);
  KARTEI_TRY(channel_->send_control(FrameKind::kConfirm, {}, output_));
  become_ready(events);
  return {};
}

Status LinkSession::take_frame(ByteView packet, std::vector<LinkEvent>& events) {
  KARTEI_ASSIGN(auto frame, channel_->receive(packet));
  if (state_ == State::kConfirm) {
    // A hello can be replayed by anyone who saw it; only its maker can write this frame.
    if (!frame || frame->kind != FrameKind::kConfirm) return corrupt("The peer did not confirm.");
    become_ready(events);
    return {};
  }
  if (!frame) return {};
  switch (frame->kind) {
    case FrameKind::kData:
      events.push_back(LinkMessage{std::move(frame->body)});
      return {};
    case FrameKind::kPing:
      return channel_->send_control(FrameKind::kPong, {}, output_);
    case FrameKind::kPong:
      return {};
    case FrameKind::kClose: {
      const auto& body = frame->body;
      LinkClosed end{LinkEnd::kBye, 0, {}};
      if (body.size() == 2 && body[0] == 1) end = {LinkEnd::kDuplicate, body[1], {}};
      if (body.size() == 2 && body[0] == 2) end = {LinkEnd::kRevoked, 0, {}};
      state_ = State::kClosed;
      events.push_back(end);
      return {};
    }
    default:
      return corrupt("The peer sent a frame that has no place here.");
  }
}

void LinkSession::become_ready(std::vector<LinkEvent>& events) {
  state_ = State::kReady;
  handshake_.reset();
  boxes_ = nullptr;
  random_ = nullptr;
  reader_.set_max(crypto::kNoiseMessageMax);
  events.push_back(peer_);
}

void LinkSession::fail(const Error& error, std::vector<LinkEvent>& events) {
  const bool known = state_ == State::kReady;
  state_ = State::kClosed;
  output_.clear();
  const auto end =
      error.cause == Cause::kForbidden && !known ? LinkEnd::kRefused : LinkEnd::kProtocol;
  events.push_back(LinkClosed{end, 0, error.what});
}

Status LinkSession::send(ByteView message) {
  if (!ready()) return Error{Cause::kUnavailable, "The link is not up.", {}};
  return channel_->send_message(message, output_);
}

void LinkSession::ping() {
  if (!ready()) return;
  // Fails only when nonces are used up, after 2^64 frames.
  (void)channel_->send_control(FrameKind::kPing, {}, output_);
}

void LinkSession::close(LinkEnd reason, std::uint8_t level) {
  if (ready()) {
    std::uint8_t code = 0;
    if (reason == LinkEnd::kDuplicate) code = 1;
    if (reason == LinkEnd::kRevoked) code = 2;
    const std::array<std::uint8_t, 2> body{code, level};
    (void)channel_->send_control(FrameKind::kClose, body, output_);
  }
  state_ = State::kClosed;
}

Bytes LinkSession::take_output() {
  return std::exchange(output_, {});
}

}  // namespace kartei::sync
